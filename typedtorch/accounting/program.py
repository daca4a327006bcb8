"""Run a target on tensors without memory and record what happens.

A module is not copied: while the recording lasts, its parameters and buffers are replaced by tensors
that have a shape and no memory, and every module's attributes are put back afterwards.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Inexact, Shaped
from torch import Tensor, nn

from typedtorch.accounting import annotations as an
from typedtorch.accounting import fake
from typedtorch.accounting.checks import shown
from typedtorch.accounting.errors import (
    AccountingError,
    AnnotationError,
    CounterError,
    SizeError,
    TooLargeError,
    program_line,
    told,
)
from typedtorch.accounting.fold import Run, folded, runs
from typedtorch.accounting.losses import objective
from typedtorch.accounting.optimizers import make_optimizer
from typedtorch.accounting.stage import (
    NUMBERS,
    Setup,
    World,
    checkpointed,
    default_dtype,
    module_paths,
    without_memory,
)  # fmt: skip
from typedtorch.accounting.trace import Category, Recorder, Trace, Weight, tensors
from typedtorch.accounting.unfold import NotPeriodicError, unfold
from typedtorch.accounting.unfollowed import fault_of


@dataclass(frozen=True)
class Call:
    """A module or function and how its parameters are filled."""

    function: Callable[..., Any]
    module: nn.Module | None
    parameters: tuple[an.Parameter, ...]


def call_of(target: Callable[..., Any], examples: tuple[Any, ...]) -> Call:
    """Read the signature of a module's forward or of a function.

    Raises:
        AnnotationError: a parameter does not say its axes.
    """
    module = target if isinstance(target, nn.Module) else None
    forward = module.forward if module is not None else target
    if module is not None and type(module).forward is nn.Module.forward:
        raise AnnotationError(f"{type(module).__name__} has no forward")
    parameters = an.parameters(_first_annotated(module) or forward, examples)
    return Call(target, module, tuple(parameters))


def _first_annotated(module: nn.Module | None) -> Callable[..., Any] | None:
    """An ``nn.Sequential`` takes what its first member takes."""
    while isinstance(module, nn.Sequential) and len(module):
        module = module[0]
        if not isinstance(module, nn.Sequential):
            return module.forward
    return None


_LOOK_UPS = ("aten.embedding.", "aten._embedding_bag", "aten.index.Tensor", "aten.index_select.")


class Runner:
    """One recording: inputs, then the steps of the program."""

    def __init__(self, call: Call, sizes: an.Sizes, setup: Setup, recorder: Recorder) -> None:
        self.call, self.setup, self.recorder = call, setup, recorder
        self.sizes = sizes
        dtype = default_dtype(call.module, setup)
        values = [(p, an.make(p.spec, sizes, dtype, setup.device)) for p in call.parameters]
        values = [(p, _without_memory(v, setup.device)) for p, v in values]
        self.arguments = [v for p, v in values if not p.keyword]
        self.keywords = {p.name: v for p, v in values if p.keyword}
        self.differentiable = self._ask_gradients(values)
        self.targets, self.loss = objective(setup.loss, sizes, dtype, setup.device)
        self._made: tuple[Any, ...] | None = None  # the targets, once an output showed their shape

    def _ask_gradients(self, values: list[tuple[an.Parameter, Any]]) -> list[Tensor]:
        """A function's floating inputs are parameters (those that ask, if any do); a module's are data."""
        wanted = self.setup.requires_grad
        if self.setup.phase == "inference" or (wanted is None and self.call.module is not None):
            return []
        known = {p.name for p, _ in values}
        for name in wanted or ():
            if name not in known:
                raise AccountingError(f"requires_grad names {name!r}; the parameters are {', '.join(known)}")
        chosen = [
            t for p, v in values if wanted is None or p.name in wanted for t in tensors(v)
            if _differentiable(t)
        ]  # fmt: skip
        if wanted is None:
            chosen = [t for t in chosen if t.requires_grad] or chosen
        return [_asking(t) for t in chosen]

    def _adopt(self, tensor: Shaped[Tensor, "*shape"], category: Category) -> None:
        self.recorder.adopt(tensor, category, self.recorder.path_of(tensor))

    def run(self) -> None:
        recorder, module = self.recorder, self.call.module
        if module is not None:
            for parameter in module.parameters():
                self._adopt(parameter, "parameter")
            for buffer in module.buffers():
                self._adopt(buffer, "buffer")
        for value in (self.arguments, self.keywords):
            recorder.adopt(value, "input")
        recorder.trace.inputs = recorder.measured((self.arguments, self.keywords))
        if self.setup.phase == "inference":
            with recorder, torch.no_grad():
                recorder.trace.outputs = recorder.measured(self._forward())
                recorder.mark("forward")
        else:
            self._train()

    def looked_up(self) -> set[str]:
        """Paths of the parameters that serve as embedding tables."""
        trace = self.recorder.trace
        return {
            trace.storages[op.ins[0].storage].path for op in trace.ops
            if op.name.startswith(_LOOK_UPS) and op.ins
            and trace.storages[op.ins[0].storage].category == "parameter"
        }  # fmt: skip

    def _forward(self) -> Any:
        with self._autocast():
            return self.call.function(*self.arguments, **self.keywords)

    def _autocast(self) -> contextlib.AbstractContextManager[Any]:
        if self.setup.autocast is None:
            return contextlib.nullcontext()
        return torch.autocast(self.setup.device.type, dtype=self.setup.autocast)

    def _train(self) -> None:
        module = self.call.module
        parameters = list(module.parameters()) if module is not None else []
        factory = self.setup.optimizer
        optimizer = None
        if factory is not None and module is not None:
            try:
                optimizer = make_optimizer(factory, module, self.recorder.path_of)
            except (ValueError, TypeError) as error:
                raise AccountingError(f"optimizer: {told(error)}") from error
        with self.recorder:
            for step in range(1 if optimizer is None else 2):
                self.recorder.step = step
                self._accumulate()
                if optimizer is None:
                    continue
                self.recorder.phase = "optimizer"
                optimizer.step()
                for parameter, state in optimizer.state.items():
                    path = self.recorder.path_of(parameter) if isinstance(parameter, Tensor) else ""
                    self.recorder.adopt(state, "optimizer", path)
                self.recorder.mark("optimizer")
                optimizer.zero_grad(set_to_none=True)
        for parameter in (*parameters, *self.differentiable):
            parameter.grad = None

    def _accumulate(self) -> None:
        """Micro-batches after the second repeat it: their cost is counted, not run."""
        repeats = self.setup.accumulate
        self.recorder.times = 1
        self._backward()
        if repeats > 1:
            self.recorder.times = repeats - 1
            self._backward()
            self.recorder.times = 1

    def _backward(self) -> None:
        recorder = self.recorder
        recorder.phase = "forward"
        loss = self._loss()
        recorder.mark("forward")
        recorder.phase = "backward"
        loss.backward()
        del loss
        module = self.call.module
        for parameter in module.parameters() if module is not None else ():
            if parameter.grad is not None:
                recorder.adopt(parameter.grad, "gradient", recorder.path_of(parameter))
        recorder.adopt([t.grad for t in self.differentiable if t.grad is not None], "gradient")
        recorder.mark("backward")

    def _loss(self) -> Inexact[Tensor, ""]:
        return self._lossed(self._forward())

    def _lossed(self, output: Any) -> Inexact[Tensor, ""]:
        if not self.recorder.trace.outputs:
            self.recorder.trace.outputs = self.recorder.measured(output)
        if self._made is None:
            with self.recorder.paused():
                self._made = self.targets(output)
                self.recorder.adopt(self._made, "input", born=0)
        with self._autocast():
            found: Any = self.loss(output, *self._made)
        if not isinstance(found, Tensor) or found.numel() != 1:
            raise AccountingError(f"the loss is {shown(found)}; wanted a tensor of one number")
        if not found.requires_grad:
            raise AccountingError(
                "the loss depends on no parameter or input that needs a gradient: check loss= and "
                "requires_grad, or account for inference with phase='inference'"
            )
        return found


def _without_memory(value: Any, device: torch.device) -> Any:
    """Example inputs lose their memory; what is not a tensor stays."""
    if isinstance(value, Tensor):
        return value if fake.in_fake_mode(value) else fake.fake_copy(value, device)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_without_memory(item, device) for item in value)
    if isinstance(value, dict):
        return {key: _without_memory(item, device) for key, item in value.items()}
    return value


def record(call: Call, sizes: an.Sizes, setup: Setup, world: World = NUMBERS) -> Trace:
    """The trace of a training step (two, with an optimizer) or of one inference.

    Raises:
        SizeError: the sizes contradict the module; the message names operator and module.
        DataDependentError: a shape depends on values.
        UnfollowedError: the program does what a record cannot follow.
    """
    found = runs(call.module) if call.module is not None and world.foldable else []
    if found:
        try:
            return _recorded(call, sizes, setup, world, found)
        except CounterError:
            raise  # all the blocks run even more operators
        except (NotPeriodicError, AccountingError):
            pass  # less regular than it looked
    return _recorded(call, sizes, setup, world, [])


def _recorded(call: Call, sizes: an.Sizes, setup: Setup, world: World, found: list[Run]) -> Trace:
    paths = module_paths(call.module)
    recorder = Recorder(paths, world.measure, world.limit, checked=world.checked)
    with fake.fake_mode(world.env), folded(found), without_memory(call.module, setup, world) as made:
        paths.update({id(copy): paths[original] for original, copy in made.items() if original in paths})
        try:
            with world.around(), checkpointed(call.module, setup, recorder):
                runner = Runner(call, sizes, setup, recorder)
                runner.run()
        except AccountingError:
            raise
        except Exception as error:
            given = ", ".join(f"{name}={size}" for name, size in sizes.items())
            where = recorder.position() + program_line(error)
            if (fault := fault_of(error, where)) is not None:
                raise fault from error
            kind = TooLargeError if "calculation overflowed" in str(error) else SizeError
            raise kind(f"with {given or 'these inputs'}: {where}: {told(error)}") from error
        looked_up = runner.looked_up()
    trace = recorder.trace
    _mark_casts(trace)
    for run in found:
        trace = unfold(trace, run)
    if call.module is not None:
        trace.weights = weights_of(call.module, looked_up)
    return trace


def _mark_casts(trace: Trace) -> None:
    """Copies of parameters in another dtype are autocast's."""
    for op in trace.ops:
        if not op.name.startswith("aten._to_copy") or op.phase == "optimizer" or not op.ins:
            continue
        if trace.storages[op.ins[0].storage].category == "parameter":
            for out in op.outs:
                if trace.storages[out.storage].category == "activation":
                    trace.storages[out.storage].category = "cast"


def weights_of(module: nn.Module, looked_up: set[str]) -> tuple[Weight, ...]:
    """The parameters of a module; ``looked_up`` are the paths of those known to serve as tables."""
    tables = {
        f"{path}.weight".removeprefix(".")
        for path, member in module.named_modules()
        if isinstance(member, (nn.Embedding, nn.EmbeddingBag))
    } | looked_up
    return tuple(_weight(path, p, path in tables) for path, p in module.named_parameters())


def _weight(path: str, parameter: Shaped[Tensor, "*shape"], looked_up: bool) -> Weight:
    shape = tuple(map(int, parameter.shape))
    return Weight(path, shape, parameter.dtype, parameter.requires_grad, looked_up)


def _differentiable(tensor: Shaped[Tensor, "*shape"]) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _asking(tensor: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    """The tensor, asking for a gradient; what was computed asks already where it can."""
    return tensor.requires_grad_() if tensor.is_leaf else tensor
