"""The facades are torch optimizers: groups, hooks, schedulers, and state dicts that torch and we exchange."""

import copy
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from optim.rules import CASES, Case, gradients, leaves, parameters, torch_loop
from typedtorch import optim
from typedtorch.optim import pure


def _steps(
    optimizer: torch.optim.Optimizer, params: list[torch.nn.Parameter], first: int, count: int
) -> None:
    for step in range(first, first + count):
        for param, grad in zip(params, gradients(params, step), strict=True):
            param.grad = grad
        optimizer.step()


def _close(ours: list[torch.nn.Parameter], theirs: list[torch.nn.Parameter]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_torch_state_dict_goes_on_here(case: Case) -> None:
    theirs = parameters(leaves(case.shapes, [torch.float32]))
    peer = torch_loop(case, theirs)
    _steps(peer, theirs, 0, 3)
    ours = parameters(theirs)
    facade = case.facade(ours, **case.options)
    facade.load_state_dict(copy.deepcopy(peer.state_dict()))
    _steps(facade, ours, 3, 3)
    _steps(peer, theirs, 3, 3)
    _close(ours, theirs)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_our_state_dict_goes_on_in_torch(case: Case) -> None:
    ours = parameters(leaves(case.shapes, [torch.float32]))
    facade = case.facade(ours, **case.options)
    _steps(facade, ours, 0, 3)
    theirs = parameters(ours)
    peer = torch_loop(case, theirs)
    peer.load_state_dict(copy.deepcopy(facade.state_dict()))
    _steps(peer, theirs, 3, 3)
    _steps(facade, ours, 3, 3)
    _close(ours, theirs)


FUSED = [case for case in CASES if case.rule in (pure.SGD, pure.Adagrad, pure.Adam, pure.AdamW)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("case", FUSED, ids=str)
def test_a_step_is_bitwise_that_of_torch_fused(case: Case, dtype: torch.dtype) -> None:
    ours = parameters(leaves(case.shapes, [dtype]))
    theirs = parameters(ours)
    _steps(case.facade(ours, **case.options), ours, 0, 5)
    _steps(case.peer(theirs, fused=True, **case.options), theirs, 0, 5)
    for one, other in zip(ours, theirs, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_state_dicts_have_the_same_keys(case: Case) -> None:
    ours, theirs = (parameters(leaves(case.shapes, [torch.float32])) for _ in range(2))
    facade = case.facade(ours, **case.options)
    peer = case.peer(theirs, **case.options)
    _steps(facade, ours, 0, 1)
    _steps(peer, theirs, 0, 1)
    mine, yours = facade.state_dict(), peer.state_dict()
    assert mine["param_groups"][0].keys() >= yours["param_groups"][0].keys()
    assert {k: v.keys() for k, v in mine["state"].items()} == {k: v.keys() for k, v in yours["state"].items()}


def test_groups_have_their_own_hyperparameters() -> None:
    fast, slow = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(1))
    groups: list[dict[str, Any]] = [{"params": [fast]}, {"params": [slow], "lr": 0.01, "name": "slow"}]
    optimizer = optim.SGD(groups, lr=0.1)
    for param in (fast, slow):
        param.grad = torch.ones(1)
    optimizer.step()
    assert fast.item() == pytest.approx(0.9)
    assert slow.item() == pytest.approx(0.99)


def test_a_misspelt_option_is_named() -> None:
    with pytest.raises(TypeError, match="no 'weight_deacy'; did you mean 'weight_decay'"):
        optim.AdamW([{"params": [torch.nn.Parameter(torch.ones(1))], "weight_deacy": 0.1}])
    keys_of_ones_own = {"params": [torch.nn.Parameter(torch.ones(1))], "where": "encoder"}
    assert optim.AdamW([keys_of_ones_own]).param_groups[0]["where"] == "encoder"


def test_values_out_of_range_are_refused_at_construction() -> None:
    weight = torch.nn.Parameter(torch.ones(1))
    with pytest.raises(ValueError, match="AdamW: lr must be at least 0, got -1"):
        optim.AdamW([weight], lr=-1)
    with pytest.raises(ValueError, match="AdamW: lr must be at least 0, got '1e-3'"):
        optim.AdamW([weight], lr="1e-3")  # type: ignore[arg-type]  # as a file of settings holds it
    with pytest.raises(ValueError, match=r"Adam: betas are two numbers in \[0, 1\), got 0.9"):
        optim.Adam([weight], betas=0.9)  # type: ignore[arg-type]  # likewise
    with pytest.raises(ValueError, match=r"Adam: betas are two numbers in \[0, 1\), got \(0.9, 1.0\)"):
        optim.Adam([weight], betas=(0.9, 1.0))
    with pytest.raises(
        ValueError, match=r"SGD: nesterov needs momentum > 0 and dampening 0, got 0.0 and 0.0"
    ):
        optim.SGD([weight], nesterov=True)
    with pytest.raises(
        ValueError, match=r"Muon: parameters are real matrices, got torch.float32 of shape \(1,\)"
    ):
        optim.Muon([weight])
    with pytest.raises(ValueError, match=r"Adafactor: d must be at least 1, got 0.5"):
        optim.Adafactor([weight], d=0.5)
    with pytest.raises(ValueError, match=r"Lion: lr has one element, got a tensor of shape \(2,\)"):
        optim.Lion([weight], lr=torch.ones(2))


def test_a_state_dict_that_does_not_fit_changes_nothing() -> None:
    big = torch.nn.Parameter(torch.ones(3, 2))
    donor = optim.AdamW([big])
    big.grad = torch.ones(3, 2)
    donor.step()
    small = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = optim.AdamW([small], lr=0.5)
    with pytest.raises(
        ValueError, match=r"(?s)parameter 0: exp_avg is \(3, 2\), wanted \(2, 2\).*exp_avg_sq"
    ):
        optimizer.load_state_dict(donor.state_dict())
    assert optimizer.param_groups[0]["lr"] == 0.5
    assert not optimizer.state
    lacking = donor.state_dict()
    del lacking["state"][0]["exp_avg_sq"]
    with pytest.raises(ValueError, match="parameter 0: exp_avg_sq is missing"):
        optim.AdamW([big]).load_state_dict(lacking)
    with pytest.raises(ValueError, match=r"groups of \[1\] parameters, wanted \[2\]"):
        optim.AdamW([small, big]).load_state_dict(donor.state_dict())


@pytest.mark.parametrize("theirs", [torch.optim.Adam, torch.optim.AdamW])
@pytest.mark.parametrize("decoupled", [False, True])
def test_a_state_says_whether_its_decay_is_decoupled(
    theirs: type[torch.optim.Optimizer], decoupled: bool
) -> None:
    """torch's Adam goes on as the state says, torch's AdamW as its name says."""
    first = torch.nn.Parameter(torch.ones(3))
    saved = torch.optim.Adam([first], lr=0.1, weight_decay=0.5, decoupled_weight_decay=decoupled)
    first.grad = torch.ones(3)
    saved.step()
    moved = []
    for kind in (getattr(home, theirs.__name__) for home in (torch.optim, optim)):
        param = torch.nn.Parameter(torch.ones(3))
        made = kind([param])
        made.load_state_dict(copy.deepcopy(saved.state_dict()))
        param.grad = torch.full((3,), 0.1)
        made.step()
        moved.append((param, made.param_groups[0]["decoupled_weight_decay"]))
    torch.testing.assert_close(moved[1][0], moved[0][0])
    assert moved[1][1] == moved[0][1]


def test_decoupled_decay_is_asked_for_as_in_torch() -> None:
    param, other = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    for each, home in ((param, optim), (other, torch.optim)):
        each.grad = torch.full((3,), 0.1)
        home.Adam([each], weight_decay=0.5, decoupled_weight_decay=True).step()
    torch.testing.assert_close(param, other)


def test_steps_counted_in_plain_numbers_are_taken_as_torch_takes_them() -> None:
    """As a torch before 1.12 wrote them."""

    def stepped() -> tuple[torch.nn.Parameter, optim.AdamW, torch.optim.AdamW]:
        weight = torch.nn.Parameter(torch.ones(3))
        weight.grad = torch.ones(3)
        return weight, optim.AdamW([weight]), torch.optim.AdamW([weight])

    donor, ours, _ = stepped()
    ours.step()
    old = ours.state_dict()
    old["state"][0]["step"] = 1
    found = []
    for peer in (False, True):
        weight, *made = stepped()
        with torch.no_grad():
            weight.copy_(donor)
        optimizer: torch.optim.Optimizer = made[peer]
        optimizer.load_state_dict(copy.deepcopy(old))
        optimizer.step()
        assert float(optimizer.state[weight]["step"]) == 2
        found.append(weight.detach())
    torch.testing.assert_close(*found)
    old["state"][0]["exp_avg"] = 3
    with pytest.raises(ValueError, match="parameter 0: exp_avg is 3, wanted a tensor"):
        stepped()[1].load_state_dict(old)


def test_closures_hooks_and_schedulers_work() -> None:
    weight = torch.nn.Parameter(torch.tensor([4.0]))
    optimizer = optim.SGD([weight], lr=0.25)
    seen: list[str] = []
    optimizer.register_step_post_hook(lambda *_: seen.append("stepped"))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)

    def closure() -> float:
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss.item()

    assert optimizer.step(closure) == 16.0
    assert weight.item() == 2.0
    scheduler.step()
    optimizer.step(closure)
    assert weight.item() == 1.5
    assert seen == ["stepped", "stepped"]


def test_a_saved_optimizer_goes_on_bitwise(tmp_path: Path) -> None:
    params = parameters(leaves([(4, 3), (3,)], [torch.float32]))
    optimizer = optim.AdamW(params)
    _steps(optimizer, params, 0, 3)
    torch.save(optimizer.state_dict(), tmp_path / "state.pt")
    again = parameters(params)
    resumed = optim.AdamW(again, lr=9.0)
    resumed.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    _steps(optimizer, params, 3, 3)
    _steps(resumed, again, 3, 3)
    assert all(torch.equal(a, b) for a, b in zip(params, again, strict=True))


def test_parameters_without_gradient_get_no_state() -> None:
    used, idle = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(1))
    optimizer = optim.Adam([used, idle])
    used.grad = torch.ones(1)
    optimizer.step()
    assert idle not in optimizer.state
    assert used in optimizer.state


def test_the_learning_rate_may_be_a_tensor() -> None:
    for facade in (
        optim.SGD,
        optim.Adam,
        optim.AdamW,
        optim.Adagrad,
        optim.RMSprop,
        optim.Lion,
        optim.Adafactor,
    ):
        by_number, by_tensor = (parameters(leaves([(4, 3), (3,)], [torch.float32])) for _ in range(2))
        one, other = facade(by_number, lr=0.1), facade(by_tensor, lr=torch.tensor(0.1))
        _steps(one, by_number, 0, 3)
        _steps(other, by_tensor, 0, 3)
        _close(by_number, by_tensor)


@pytest.mark.parametrize(
    "facade", [optim.SGD, optim.AdamW, optim.Adagrad, optim.RMSprop, optim.Adafactor, optim.Lion]
)
def test_a_compiled_step_is_one_graph_and_the_same(facade: type[optim.Facade]) -> None:
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    compiled_params, params = (parameters(leaves([(4, 3), (3,)], [torch.float32])) for _ in range(2))
    lr = torch.tensor(0.1)
    options = {"momentum": 0.9} if facade is optim.SGD else {}
    compiled_optimizer = facade(compiled_params, lr=lr, **options)  # type: ignore[call-arg,arg-type]  # each its own
    optimizer = facade(params, lr=0.1, **options)  # type: ignore[call-arg,arg-type]  # likewise
    compiled = torch.compile(compiled_optimizer.step, backend="aot_eager", fullgraph=True)
    graphs = torch._dynamo.utils.counters["stats"]
    for step in range(6):
        rate = 0.1 / (step + 1)
        lr.fill_(rate)
        optimizer.param_groups[0]["lr"] = rate
        for ours, theirs, grad in zip(compiled_params, params, gradients(params, step), strict=True):
            ours.grad, theirs.grad = grad.clone(), grad.clone()
        compiled()
        optimizer.step()
    _close(compiled_params, params)
    assert graphs["unique_graphs"] == 2  # one that makes the state, one for all later steps


def test_a_rule_of_ones_own_becomes_an_optimizer() -> None:
    @dataclass(frozen=True, kw_only=True)
    class SignDescent(optim.pure.Rule):
        lr: float = 0.5

        def init_one(self, param: Tensor) -> optim.pure.ParamState:
            return {}

        def update_one(
            self, grad: Tensor, state: optim.pure.ParamState, param: Tensor
        ) -> tuple[Tensor, optim.pure.ParamState]:
            return param - self.lr * grad.sign(), state

        def update_in_place(
            self, grads: list[Tensor], states: list[optim.pure.ParamState], params: list[Tensor]
        ) -> None:
            for grad, param in zip(grads, params, strict=True):
                param.sub_(self.lr * grad.sign())

    class Signs(optim.Facade):
        rule = SignDescent

    weight = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
    optimizer = Signs([weight], {"lr": 0.5})
    weight.grad = torch.tensor([3.0, -0.1])
    optimizer.step()
    assert weight.tolist() == [0.5, 1.5]


NAMED = ("SGD", "Adagrad", "RMSprop", "Adam", "AdamW", "Adafactor", "Muon")


@pytest.mark.parametrize("name", NAMED)
def test_arguments_stand_where_torch_has_them(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(home, name)).parameters for home in (optim, torch.optim))
    positional = [p.name for p in ours.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == list(theirs)[: len(positional)]
    assert ours.keys() - theirs.keys() <= {"maximize"}
    assert theirs.keys() - ours.keys() <= {"capturable", "differentiable"}
    for shared in ours.keys() & theirs.keys() - {"params"}:
        assert ours[shared].default == theirs[shared].default


def test_arguments_by_position_are_what_they_are_in_torch() -> None:
    weight = torch.nn.Parameter(torch.ones(2, 2))
    assert optim.SGD([weight], 0.1, 0.9).param_groups[0]["momentum"] == 0.9
    assert optim.Adam([weight], 1e-3, (0.9, 0.99)).param_groups[0]["betas"] == (0.9, 0.99)
    assert optim.Muon([weight], 1e-3, 0.2).param_groups[0]["weight_decay"] == 0.2


@pytest.mark.parametrize("form", [{"foreach": False}, {"fused": True}, {"foreach": True}, {"fused": False}])
def test_a_kernel_may_be_named_and_changes_nothing(form: dict[str, Any]) -> None:
    params, others = (parameters(leaves([(4, 3)], [torch.float32])) for _ in range(2))
    one, other = optim.AdamW(params, **form), optim.AdamW(others)
    assert all(one.state_dict()["param_groups"][0][name] is value for name, value in form.items())
    _steps(one, params, 0, 2)
    _steps(other, others, 0, 2)
    assert torch.equal(params[0], others[0])
    with pytest.raises(ValueError, match="AdamW: foreach and fused cannot both be True"):
        optim.AdamW(params, foreach=True, fused=True)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop", "Adam", "AdamW", "Lion"])
def test_a_tensor_as_learning_rate_moves_what_no_kernel_fuses(name: str) -> None:
    """Complex numbers, and parameters with gaps between their rows."""
    facade = getattr(optim, name)
    for start in (torch.ones(4, 3, dtype=torch.complex64), torch.ones(8, 6)[::2, ::2]):
        by_number, by_tensor = (torch.nn.Parameter(start.detach()[:]) for _ in range(2))
        by_tensor.data = start.clone() if start.is_complex() else torch.ones(8, 6)[::2, ::2]
        for param, rate in ((by_number, 0.1), (by_tensor, torch.tensor(0.1))):
            param.grad = torch.ones_like(param)
            facade([param], lr=rate).step()
        torch.testing.assert_close(by_number, by_tensor)
        assert not torch.equal(by_number.detach(), torch.ones_like(by_number))
