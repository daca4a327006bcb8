"""Predicted peaks against the storages a real training loop allocates."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from typedtorch import optim
from typedtorch.accounting import StorageTracker, account
from typedtorch.accounting.corrections import lstm_workspace

from .truth import inputs_of, kernels_of_this_processor, measured_peak
from .zoo import GPT, MLP, Entry
from .zoo_more import ZOO

Factory = Callable[[Any], torch.optim.Optimizer]
OPTIMIZERS: dict[str, Factory] = {
    "sgd": functools.partial(torch.optim.SGD, lr=1e-3),
    "adamw": torch.optim.AdamW,
    "adamw:foreach": functools.partial(torch.optim.AdamW, foreach=True),
    "adamw:fused": functools.partial(torch.optim.AdamW, fused=True),
}


def total(output: Tensor) -> Tensor:
    return output.sum()


@pytest.mark.parametrize("autocast", [None, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("entry", ZOO.values(), ids=ZOO)
def test_the_peak_is_what_storages_add_up_to(
    entry: Entry, optimizer: str, autocast: torch.dtype | None
) -> None:
    model = entry.model()
    found = account(model, sizes=entry.inputs(), optimizer=optimizer, autocast=autocast)
    factory = OPTIMIZERS[optimizer]
    real = measured_peak(model, inputs_of(found), total, optimizer=factory, autocast=autocast)
    assert found.memory.peak == pytest.approx(real, rel=0.01)


def _named(name: str) -> Factory:
    kind = getattr(torch.optim, name)
    return lambda parameters: kind(list(parameters), lr=1e-3)


@pytest.mark.parametrize(
    "name",
    ["ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"],
)
def test_other_optimizers_of_torch(name: str) -> None:
    model = MLP(24, 40)
    found = account(model, batch=4, optimizer=_named(name))
    assert found.memory.peak == measured_peak(model, inputs_of(found), total, optimizer=_named(name))
    state = sum(t.untyped_storage().nbytes() for t in _state_after_a_step(MLP(24, 40), _named(name)))
    assert found.memory.optimizer == state


def _state_after_a_step(model: nn.Module, factory: Factory) -> list[Tensor]:
    optimizer = factory(model.parameters())
    model(torch.randn(4, 24)).sum().backward()
    optimizer.step()
    return [t for s in optimizer.state.values() for t in s.values() if isinstance(t, Tensor)]


@pytest.mark.parametrize("kind", [optim.AdamW, optim.SGD, optim.Lion, optim.Adafactor, optim.RMSprop])
def test_our_own_optimizers(kind: Any) -> None:
    def factory(parameters: Any) -> torch.optim.Optimizer:
        made: torch.optim.Optimizer = kind(list(parameters), lr=1e-3)
        return made

    model = MLP(24, 40)
    found = account(model, batch=4, optimizer=factory)
    assert found.memory.peak == measured_peak(model, inputs_of(found), total, optimizer=factory)


class Averaging(torch.optim.Optimizer):
    """Its average is a new tensor in every step."""

    def __init__(self, params: Any) -> None:
        super().__init__(params, {})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # torch's gives a loss back
        for param in self.param_groups[0]["params"]:
            state = self.state[param]
            average = 0.9 * state.get("average", torch.zeros_like(param)) + 0.1 * param.grad
            param.sub_(0.1 * average)
            state["average"] = average


def test_state_that_is_made_anew_is_counted_once() -> None:
    model = MLP(24, 40)
    found = account(model, batch=4, optimizer=Averaging)
    count = sum(p.numel() for p in model.parameters())
    assert found.memory.optimizer == 4 * count == found.formula("memory.optimizer").subs(batch=9)
    assert found.sharded(1, "ddp").optimizer == 4 * count
    assert found.memory.peak == measured_peak(model, inputs_of(found), total, optimizer=Averaging)


def test_an_existing_optimizer_keeps_its_groups_and_settings() -> None:
    model = MLP(24, 40)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "momentum": 0.9}, {"params": vectors, "momentum": 0.0}]
    found = account(model, batch=4, optimizer=torch.optim.SGD(groups, lr=0.1))
    assert found.memory.optimizer == 4 * sum(p.numel() for p in matrices)


def test_parameters_gradients_and_state_are_exact() -> None:
    model = MLP(24, 40)
    count = sum(p.numel() for p in model.parameters())
    memory = account(model, batch=4, optimizer="adamw").memory
    assert memory.parameters == memory.gradients == 4 * count
    assert memory.optimizer == 8 * count + 4 * 6  # two moments, and a step count per tensor


def test_saved_for_backward_is_what_the_graph_holds() -> None:
    model = MLP(24, 40)
    x = torch.randn(4, 24)
    kept: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage._cdata] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss = model(x).sum()
    own = {p.untyped_storage()._cdata for p in model.parameters()} | {x.untyped_storage()._cdata}
    held = sum(size for key, size in kept.items() if key not in own)
    assert account(model, batch=4).memory.saved == held + loss.untyped_storage().nbytes()


def test_without_memory_of_its_own_nothing_is_allocated_or_changed() -> None:
    model = GPT(100, 4, 8)
    before = {name: (id(p), p.untyped_storage().data_ptr()) for name, p in model.named_parameters()}
    with StorageTracker() as tracker:
        account(model, batch=2, seq=24)
    assert tracker.peak < 4096
    assert before == {name: (id(p), p.untyped_storage().data_ptr()) for name, p in model.named_parameters()}
    assert all(p.grad is None for p in model.parameters())
    assert "forward" not in vars(model.blocks[0])


def test_modules_on_meta_need_no_memory_to_build() -> None:
    with torch.device("meta"):
        model = GPT(100, 4, 8)
    real = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="adamw")
    assert account(model, batch=2, seq=24, optimizer="adamw").memory == real.memory


def test_checkpointing_keeps_less_and_computes_more() -> None:
    plain = account(GPT(100, 4, 8), batch=4, seq=64)
    again = account(GPT(100, 4, 8), batch=4, seq=64, checkpoint="blocks")
    assert again.memory.saved < plain.memory.saved / 3
    assert again.memory.peak < plain.memory.peak
    assert again.flops.recompute > plain.flops.forward / 2
    assert (again.flops.forward, again.flops.backward) == (plain.flops.forward, plain.flops.backward)


def test_accumulation_holds_the_gradients_during_the_next_forward() -> None:
    plain = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="sgd")
    twice = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="sgd", accumulate=2)
    assert twice.memory.peak > plain.memory.peak
    assert twice.memory == account(GPT(100, 4, 8), batch=2, seq=24, optimizer="sgd", accumulate=7).memory


def test_the_first_step_peaks_below_the_second() -> None:
    memory = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="adamw").memory
    assert memory.first_peak < memory.peak


def test_the_loss_can_be_the_peak() -> None:
    memory = account(GPT(5000, 2, 8), batch=4, seq=32, loss="cross_entropy").memory
    assert memory.peak_operator == "aten._log_softmax_backward_data.default"
    assert memory.peak_phase == "backward"


def test_the_parts_of_the_peak_add_up() -> None:
    memory = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="adamw", autocast=torch.bfloat16).memory
    assert sum(memory.peak_parts.values()) == memory.peak
    assert memory.casts > 0


def test_the_tracker_agrees_with_the_prediction() -> None:
    model = MLP(24, 40)
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(4, 24)
    with StorageTracker(model, x) as tracker:
        for _ in range(2):
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    assert account(model, batch=4, optimizer=torch.optim.AdamW).memory.peak == tracker.peak


class Turned(nn.Module):
    """Layers on data whose last two axes were swapped, so that the strides are not those of the shape."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.Linear(6, 6), nn.Linear(7, 7)
        self.norm, self.channels = nn.LayerNorm(7), nn.BatchNorm1d(6)

    def forward(self, x: Float[Tensor, "batch 7 6"]) -> Float[Tensor, "batch 6 7"]:
        turned: Tensor = self.before(x).mT
        turned = self.channels(turned.log_softmax(-1))
        return nn.functional.logsigmoid(self.norm(self.after(turned).mT.relu().mT)).exp()


class Several(nn.Module):
    """An output of three tensors, a scalar and one without a gradient among them."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.Linear(6, 8), nn.Linear(8, 5), nn.Linear(8, 3)

    def forward(self, x: Float[Tensor, "batch 6"]) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        y = self.a(x)
        return y.square().mean(), {"logits": self.b(y), "others": self.c(y)}, x * 2


def test_the_loss_is_the_sum_of_everything_the_output_has() -> None:
    def everything(output: tuple[Tensor, dict[str, Tensor], Tensor]) -> Tensor:
        scalar, named, _ = output
        return scalar + named["logits"].sum() + named["others"].sum()

    found = account(Several(), batch=4)
    assert found.flops.backward == 2 * 4 * 6 * 8 + 4 * 4 * 8 * (5 + 3)
    assert found.memory == account(Several(), batch=4, loss=everything).memory
    assert found.memory.peak == measured_peak(Several(), inputs_of(found), everything)
    assert account(Several(), batch=4, loss="mean").flops.backward == found.flops.backward
    for loss in ("cross_entropy", "mse"):  # of the first that is no scalar
        named = account(Several(), batch=4, loss=loss)
        assert named.flops.backward == 2 * 4 * 6 * 8 + 4 * 4 * 8 * 5


class Grouped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.Conv2d(16, 4, 3)

    def forward(self, x: Float[Tensor, "batch 3 12 12"]) -> Tensor:
        return self.out(nn.functional.silu(self.norm(self.conv(x))))


def test_the_gradient_through_a_group_norm_has_the_dtype_of_its_data() -> None:
    found = account(Grouped(), batch=4, autocast=torch.bfloat16)
    assert found.memory.peak == measured_peak(Grouped(), inputs_of(found), total, autocast=torch.bfloat16)


LOSSES: dict[str, Callable[..., Tensor]] = {
    "mse": nn.functional.mse_loss,
    "smooth_l1": nn.functional.smooth_l1_loss,
    "huber": nn.functional.huber_loss,
    "l1": nn.functional.l1_loss,
    "binary_cross_entropy": nn.functional.binary_cross_entropy,
    "with_logits": nn.functional.binary_cross_entropy_with_logits,
    "soft_margin": nn.functional.soft_margin_loss,
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", LOSSES)
def test_storages_of_losses_and_of_layers_on_turned_data(name: str, reduction: str) -> None:
    def loss(output: Tensor, target: Float[Tensor, "batch 6 7"]) -> Tensor:
        several = LOSSES[name](output.mT, target.mT, reduction=reduction)
        second = LOSSES[name](output, target, reduction=reduction)
        return several.sum() + second.mT.sum() if reduction == "none" else several + second

    model = Turned()
    found = account(model, batch=5, loss=loss, optimizer="adamw")
    target = torch.rand(5, 6, 7)
    inside = functools.partial(loss, target=target)
    real = measured_peak(model, (*inputs_of(found),), inside, optimizer=torch.optim.AdamW)
    assert found.memory.peak == real


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("steps", "batch", "d_in", "hidden"),
    [(20, 1, 48, 24), (33, 7, 31, 3), (5, 16, 8, 48), (2, 16, 32, 16), (9, 3, 256, 64), (5, 4, 100, 257)],
)
def test_what_a_fused_lstm_keeps_is_what_its_kernel_allocates(
    steps: int, batch: int, d_in: int, hidden: int, dtype: torch.dtype
) -> None:
    kept = []

    class Watched(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            out = func(*args, **(kwargs or {}))
            if str(func) == "aten.mkldnn_rnn_layer.default":
                kept.append(out[3].nbytes)
            return out

    watched = Watched()  # type: ignore[no-untyped-call]  # torch leaves its modes untyped
    autocast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.bfloat16)
    with kernels_of_this_processor(), watched, autocast:
        nn.LSTM(d_in, hidden)(torch.zeros(steps, batch, d_in))
    if not kept:
        pytest.skip("this torch runs an LSTM in this dtype in pieces")
    assert kept == [lstm_workspace(steps, batch, d_in, hidden, dtype)]
