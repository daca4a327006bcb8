"""Forward hooks, feature extraction, registries, builders from dictionaries."""

import inspect
from collections import OrderedDict
from typing import Any, Callable, ClassVar, Dict, List, Type, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

M = TypeVar("M", bound=Type[nn.Module])


class Registry:
    def __init__(self, name: str):
        self.name = name
        self._items: Dict[str, Callable[..., nn.Module]] = {}

    def register(self, name: str | None = None) -> Callable[[M], M]:
        def wrap(cls: M) -> M:
            self._items[name or cls.__name__.lower()] = cls
            return cls

        return wrap

    def build(self, cfg: Dict[str, Any], **extra: Any) -> nn.Module:
        cfg = dict(cfg)
        kind = self._items[cfg.pop("type")]
        accepted = inspect.signature(kind).parameters
        return kind(**cfg, **{k: v for k, v in extra.items() if k in accepted})


LAYERS = Registry("layers")


class AutoNamed(type(nn.Module)):
    """Every class remembers those derived from it."""

    def __new__(mcls, name, bases, ns, **kwargs):
        cls = super().__new__(mcls, name, bases, ns)
        for base in bases:
            known = getattr(base, "known", None)
            if known is not None:
                known.append(name)
        return cls


class Layer(nn.Module, metaclass=AutoNamed):
    known: ClassVar[List[str]] = []

    def extra_repr(self) -> str:
        return ", ".join(f"{k}={v}" for k, v in vars(self).items() if isinstance(v, int))


@LAYERS.register()
class Dense(Layer):
    def __init__(self, d_in: int, d_out: int, bias: bool = True):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        self.weight = nn.Parameter(torch.randn(d_out, d_in))
        self.bias = nn.Parameter(torch.zeros(d_out)) if bias else None

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        y = x @ self.weight.T
        if self.bias is not None:
            y = y + self.bias
        return y


@LAYERS.register("scale")
class Scale(Layer):
    def __init__(self, d: int):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        return x * self.gain


class FeatureExtractor:
    def __init__(self, model: nn.Module, names: List[str]):
        self.features: "OrderedDict[str, Tensor]" = OrderedDict()
        modules = dict(model.named_modules())
        self.handles = [modules[n].register_forward_hook(self._hook(n)) for n in names]

    def _hook(self, name: str):
        def hook(module, args, output):
            self.features[name] = output.detach()

        return hook

    def __enter__(self) -> "FeatureExtractor":
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self.handles:
            handle.remove()


class GradRecorder(dict):
    def watch(self, x: Float[Tensor, "..."], name: str) -> Float[Tensor, "..."]:
        x.register_hook(lambda g: self.__setitem__(name, g.norm().item()))
        return x


def build_model(spec: List[Dict[str, Any]]) -> nn.Sequential:
    return nn.Sequential(*(LAYERS.build(s, bias=False) for s in spec))


def activations(model: nn.Sequential, x: Float[Tensor, "b d"]) -> Dict[str, Float[Tensor, "b _"]]:
    with FeatureExtractor(model, ["0", "1"]) as extractor:
        model(x)
    return dict(extractor.features)


def saliency(model: nn.Module, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    x = x.clone().requires_grad_()
    record = GradRecorder()
    out = record.watch(model(x), "out")
    out.sum().backward()
    assert x.grad is not None and record["out"] > 0
    return x.grad.abs()


# run: m = build_model([{"type": "dense", "d_in": 5, "d_out": 7}, {"type": "scale", "d": 7}])
# run: activations(m, randn(3, 5)); saliency(m, randn(3, 5)); assert Layer.known == ["Dense", "Scale"]
