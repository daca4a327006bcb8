"""Modules whose parts are exchanged by computed names, placeholders, empty defaults, slices of unknown rank."""
from __future__ import annotations

import dataclasses
import importlib
from typing import TypeVar

import pytest
import torch
from torch import nn
from torch.distributions import Categorical, Distribution
from torch.nn import functional as F

D = TypeVar("D", bound=Distribution)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.scale = nn.Parameter(torch.tensor(4.6))

    def forward(self, x):
        return self.fc(x) * self.scale


def unwrap(model):
    if isinstance(model, nn.parallel.DistributedDataParallel):
        return model.module
    return model


class Task(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.trainable = model

    def prepare(self):
        model = unwrap(self.trainable)
        for name, param in list(model.named_parameters()):
            if param.ndim == 0:
                parts = name.rsplit(".", 1)
                if len(parts) == 2:
                    parent, attribute = model.get_submodule(parts[0]), parts[1]
                else:
                    parent, attribute = model, parts[0]
                setattr(parent, attribute, nn.Parameter(param.data.unsqueeze(0)))


def test_parameters_are_replaced_in_whatever_holds_them():
    model = Tiny()
    task = Task(model)
    task.prepare()
    assert model.scale.ndim == 1 and model.scale.shape == (1,)


def by_submodule(model: nn.Module) -> None:
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear):
            parent = model.get_submodule(name.rpartition(".")[0])
            setattr(parent, name.rpartition(".")[2], nn.Linear(8, 6))


def by_walking(model, name, new):
    *path, leaf = name.split(".")
    for part in path:
        model = getattr(model, part)
    setattr(model, leaf, new)


def by_dicts(model):
    modules = dict(model.named_modules())
    for name in list(modules):
        if isinstance(modules[name], nn.Linear):
            holder, _, leaf = name.rpartition(".")
            modules[holder]._modules[leaf] = nn.Linear(8, 6)


def test_layers_are_replaced():
    x = torch.ones(2, 8)
    for change in (by_submodule, by_dicts, lambda m: by_walking(m, "fc", nn.Linear(8, 6))):
        model = Tiny()
        change(model)
        assert model.fc.weight.shape == (6, 8)
        model(x) + torch.ones(2, 6)
    model = Tiny()
    by_submodule(model)
    assert model.fc.weight.shape == (6, 8)
    model(x) + torch.ones(2, 6)
    other = Tiny()
    by_walking(other, "fc", nn.Linear(8, 6))
    other(x) + torch.ones(2, 6)
    third = Tiny()
    by_dicts(third)
    third(x) + torch.ones(2, 6)


def test_given_to_a_function_out_of_sight():
    layer = nn.Linear(8, 8)
    prune = importlib.import_module("operator").attrgetter("weight")
    prune(layer)
    cut = importlib.import_module("builtins").setattr
    cut(layer, "weight", nn.Parameter(torch.zeros(2, 8)))
    torch.testing.assert_close(layer.weight.data, torch.zeros(2, 8))


class Cached(nn.Module):
    def __init__(self, anchors=(), ch=[]):
        super().__init__()
        self.kv_cache = (torch.tensor([]), torch.tensor([]))
        self.last = torch.empty(0)
        self.number = len(anchors)
        self.pairs = torch.tensor(anchors).float().view(self.number, -1, 2) if anchors else None
        self.register_buffer("anchors", torch.tensor(anchors).float().view(self.number, -1, 2))
        self.heads = nn.ModuleList(nn.Conv2d(c, 3, 1) for c in ch)

    def forward(self, x):
        return self.kv_cache[0].transpose(-1, -2) @ x + self.last.transpose(-1, -2) @ x


def test_placeholders_are_bound_from_outside():
    cached = Cached(((1, 2, 3, 4), (5, 6, 7, 8)), [2])
    cached.kv_cache = (torch.ones(3, 4), torch.ones(3, 4))
    cached.last = torch.ones(3, 4)
    cached(torch.ones(3, 5))


def sliced(distribution: D, index) -> D:
    if isinstance(distribution, Categorical):
        return Categorical(probs=distribution.probs[index])
    raise NotImplementedError


def test_a_type_variable_is_a_class_and_not_an_object():
    probs = torch.rand(10, 3)
    assert torch.allclose(sliced(Categorical(probs=probs), [1, 3]).probs, Categorical(probs=probs[[1, 3]]).probs)


class Interpolation(nn.Module):
    def __init__(self, coefficients):
        super().__init__()
        self.register_buffer("slopes", coefficients[..., 1:, :] - coefficients[..., :-1, :])

    def slope(self, t):
        index = torch.bucketize(torch.as_tensor(t), torch.arange(3.0)).clamp(0, 1)
        return self.slopes[..., index, :]


def _check(batch, channels, spline):
    for dimension in (0, 1, 2):
        sizes = []
        for _ in range(dimension):
            sizes.append(int(torch.randint(low=1, high=4, size=(1,)).item()))
        expected = tuple(batch) + tuple(sizes) + (channels,)
        found = spline.slope(torch.rand(sizes))
        assert found.shape == expected
        if found.ndim == 1:
            assert found.dim() == 1


def test_a_slice_between_two_runs_of_axes():
    _check([], 2, Interpolation(torch.rand(3, 2)))


def test_old_names():
    F.cross_entropy(torch.rand(3, 4), torch.tensor([0, 1, 2]), reduction="elementwise_mean") + torch.ones(())


def test_lists_of_many_numbers():
    mask = torch.tensor([[0] * 10 + [1] * 90, [0] * 50 + [1] * 50])
    mask + torch.ones(2, 100)
    torch.tensor([0] * 10 + [1] * 90) + torch.ones(100)
    pad = int(torch.randint(9, ()))
    torch.tensor([[0] * 10 + [1] * 90 + [-1] * pad, [0] * 50 + [1] * (50 + pad)]) + torch.ones(2, 1)


class Template:
    def __init__(self):
        self.width = -1

    def flatten(self, x, out):
        return x.view(-1, self.width) + out.view(-1, self.width)


class Layer(Template):
    def __init__(self, width):
        super().__init__()
        self.width = width


def test_a_subclass_says_what_is_minus_one_here():
    Layer(4).flatten(torch.ones(2, 3, 4), torch.ones(6, 4)) + torch.ones(6, 4)


NAMES = ("query", "key", "mask")


class Scores(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, mask):
        ctx.save_for_backward(query, key)
        return query * key

    @staticmethod
    def backward(ctx, gradient):
        query, key = ctx.saved_tensors
        if not any(ctx.needs_input_grad):
            return None
        if ctx.needs_input_grad[0] and not ctx.needs_input_grad[1]:
            return gradient * key, None, None
        by_name = {"query": gradient * key, "key": gradient * query}
        return tuple(by_name.get(name) for name in NAMES)


def test_gradients_are_collected():
    query = torch.ones(3, requires_grad=True)
    Scores.apply(query, torch.ones(3, requires_grad=True), None).sum().backward()
    Scores.apply(query, torch.ones(3), None).sum().backward()
    assert query.grad is not None


def shared_among(ranks, *tensors):
    for tensor in tensors:
        setattr(tensor, "data", tensor.data.flatten()[: tensor.numel() // ranks])


def test_other_data_is_put_in_place():
    x = torch.ones(4, 4)
    (lambda function: function(2, x))(shared_among)
    assert x.data.shape == (8,)


@pytest.mark.skip("never run")
def test_not_run():
    torch.ones(3) + torch.ones(4)


@pytest.mark.xfail(raises=RuntimeError)
def test_known_to_fail():
    torch.ones(3) + torch.ones(4)


class Cameras:
    def __init__(self, count=1, focal=None):
        self.count = count
        self.focal = torch.ones(count) if focal is None else focal

    def clone(self):
        other = type(self)()
        for key in dir(self):
            if not key.startswith("_") and key not in ("clone", "matrix"):
                setattr(other, key, getattr(self, key))
        return other

    def copied(self):
        other = Cameras()
        for key in dir(self):
            if not key.startswith("_") and not callable(getattr(self, key)):
                setattr(other, key, getattr(self, key))
        return other

    def matrix(self):
        made = self.focal.new_zeros(self.count, 4, 4)
        made[:, 0, 0] = self.focal
        return made


def test_an_object_is_given_all_that_another_has():
    cameras = Cameras(11)
    cameras.clone().matrix() + torch.ones(11, 4, 4)
    cameras.copied().matrix() + torch.ones(11, 4, 4)


@dataclasses.dataclass
class Settings:
    width: int = 6


@dataclasses.dataclass
class ActorSettings(Settings):
    discrete: int | None = None


@dataclasses.dataclass
class AlgorithmSettings:
    actor: Settings | None = None


class Algorithm:
    def __init__(self, settings: AlgorithmSettings):
        self.settings = settings.actor
        self.layer = nn.Linear(6, 3)

    def loss(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        actions = batch["actions"]
        if self.settings.discrete is not None:
            actions: torch.Tensor = actions[:, :-1]
        return self.layer(actions)


def test_a_field_that_only_a_subclass_has():
    Algorithm(AlgorithmSettings(ActorSettings())).loss({"actions": torch.ones(4, 6)})


class Shard(nn.Parameter):
    """A part of a weight that several processes hold."""

    is_shard: bool = True


def shard_weights(module, names, parts):
    for name in names:
        whole = getattr(module, name, None)
        if whole is None or getattr(whole, "is_shard", False):
            continue
        delattr(module, name)
        module._parameters[name] = Shard(whole.data[: whole.shape[0] // parts].clone())


def test_sharded():
    tiny = Tiny()
    shard_weights(tiny.fc, ["weight", "bias"], 2)
    assert tiny.fc.weight.shape == (2, 8)
    made = Shard(torch.rand(3, 8))
    layer = nn.Linear(8, 4)
    layer._parameters["weight"] = made
    assert layer.weight.shape == (3, 8)


# run: test_parameters_are_replaced_in_whatever_holds_them()
# run: test_layers_are_replaced()
# run: test_given_to_a_function_out_of_sight()
# run: test_placeholders_are_bound_from_outside()
# run: test_a_type_variable_is_a_class_and_not_an_object()
# run: test_a_slice_between_two_runs_of_axes()
# run: test_old_names()
# run: test_lists_of_many_numbers()
# run: test_a_subclass_says_what_is_minus_one_here()
# run: test_gradients_are_collected()
# run: test_other_data_is_put_in_place()
# run: test_an_object_is_given_all_that_another_has()
# run: test_a_field_that_only_a_subclass_has()
# run: test_sharded()
