"""The pure rules are torch's for-loops, bit by bit, and keep to themselves."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from optim.rules import CASES, DTYPES, Case, gradients, leaves, parameters, torch_loop
from typedtorch.optim import pure


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fifty_steps_are_bitwise_those_of_torch(case: Case) -> None:
    rule = case.rule(**case.options)
    params: list[Tensor] = leaves(case.shapes, DTYPES)
    theirs = parameters(params)
    optimizer = torch_loop(case, theirs)
    state = rule.init(params)
    for step in range(50):
        grads = gradients(params, step)
        for param, grad in zip(theirs, grads, strict=True):
            param.grad = grad.clone()
        optimizer.step()
        params, state = rule.step(grads, state, params)
    for i, (ours, their) in enumerate(zip(params, theirs, strict=True)):
        assert torch.equal(ours, their), f"{case}: parameter {i}, {tuple(ours.shape)} {ours.dtype}"
        kept = optimizer.state.get(their, {})
        assert state[i].keys() == kept.keys()
        for name, value in kept.items():
            assert torch.equal(state[i][name], value), f"{case}: {name} of parameter {i}"
            assert state[i][name].dtype == value.dtype


@pytest.mark.parametrize("case", [c for c in CASES if c.rule not in (pure.Muon, pure.Adafactor)], ids=str)
def test_complex_parameters_move_as_in_torch(case: Case) -> None:
    rule = case.rule(**case.options)
    params: list[Tensor] = [torch.randn(3, 2, dtype=torch.complex64), torch.randn((), dtype=torch.complex64)]
    theirs = parameters(params)
    optimizer = torch_loop(case, theirs)
    state = rule.init(params)
    for _ in range(5):
        grads = [torch.randn_like(p) for p in params]
        for param, grad in zip(theirs, grads, strict=True):
            param.grad = grad.clone()
        optimizer.step()
        params, state = rule.step(grads, state, params)
    for ours, their in zip(params, theirs, strict=True):
        assert torch.equal(ours, their)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("fused", [False, True])
def test_a_pure_step_changes_nothing_it_was_given(case: Case, fused: bool) -> None:
    rule = case.rule(**case.options)
    params = leaves(case.shapes, DTYPES)
    state = rule.init(params)
    for step in range(2):  # the second step finds a state
        grads = gradients(params, step)
        before = copy.deepcopy((grads, state, params))
        new_params, new_state = rule.step(grads, state, params, fused=fused)
        for old, now in zip(_tensors(before), _tensors((grads, state, params)), strict=True):
            assert torch.equal(old, now)
        given = {t.data_ptr() for t in (*grads, *params) if t.numel()}
        assert not given & {t.data_ptr() for t in new_params if t.numel()}
        params, state = new_params, new_state


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_donated_step_is_the_pure_one_up_to_rounding(case: Case) -> None:
    rule = case.rule(**case.options)
    params = leaves(case.shapes, (torch.float32, torch.float64))
    state = rule.init(params)
    kept, kept_state = [p.clone() for p in params], copy.deepcopy(state)
    for step in range(10):
        grads = gradients(params, step)
        params, state = rule.step(grads, state, params)
        again, again_state = rule.step([g.clone() for g in grads], kept_state, kept, donate=True)
        assert all(a is b for a, b in zip(again, kept, strict=True))
        assert all(a is b for a, b in zip(again_state, kept_state, strict=True))
    for pure_one, donated in zip(params, kept, strict=True):
        torch.testing.assert_close(donated, pure_one, rtol=1e-4, atol=1e-5)
    for one, other in zip(state, kept_state, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            torch.testing.assert_close(other[name], one[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_donated_step_in_half_precision_is_right(case: Case, dtype: torch.dtype) -> None:
    # torch's own fused SGD is not, on the CPU, from 16 elements on
    options = {"eps": 1e-3, **case.options} if "eps" in case.rule.__dataclass_fields__ else case.options
    if case.rule is pure.Adafactor:
        options = {**case.options, "eps": (1e-3, 1e-3)}
    rule = case.rule(**options)
    params = [tensor for tensor in leaves(case.shapes, [dtype]) if tensor.numel() > 16]
    wide = [tensor.double() for tensor in params]
    state, wide_state = rule.init(params), rule.init(wide)
    for step in range(5):
        grads = [
            torch.randn(p.shape, generator=torch.Generator().manual_seed(step)).to(dtype) for p in params
        ]
        wide, wide_state = rule.step([g.double() for g in grads], wide_state, wide)
        rule.step(grads, state, params, donate=True)
    for param, exact in zip(params, wide, strict=True):
        torch.testing.assert_close(param.double(), exact, rtol=0.05, atol=0.1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fused_step_is_bitwise_the_donated_one(case: Case) -> None:
    rule = case.rule(**case.options)
    params = leaves(case.shapes, (torch.float32, torch.float64))
    state, kept, kept_state = rule.init(params), [p.clone() for p in params], rule.init(params)
    for step in range(3):
        grads = gradients(params, step)
        params, state = rule.step(grads, state, params, fused=True)
        rule.step(grads, kept_state, kept, donate=True)
    for one, other in zip(_tensors((params, state)), _tensors((kept, kept_state)), strict=True):
        assert torch.equal(one, other)


def test_named_parameters_step_like_listed_ones() -> None:
    rule = pure.AdamW(lr=0.1)
    listed = leaves([(2, 3), (4,)], [torch.float32])
    named = {"a": listed[0], "b": listed[1]}
    grads = gradients(listed, 0)
    moved, states = rule.step(grads, rule.init(listed), listed)
    named_moved, named_states = rule.step({"b": grads[1], "a": grads[0]}, rule.init(named), named)
    assert list(named_moved) == ["a", "b"]
    assert all(torch.equal(x, y) for x, y in zip(moved, named_moved.values(), strict=True))
    assert torch.equal(states[1]["exp_avg"], named_states["b"]["exp_avg"])


@pytest.mark.parametrize("donate", [False, True])
def test_a_parameter_without_gradient_stays(donate: bool) -> None:
    rule = pure.Adam(lr=0.1)
    params = [torch.ones(2), torch.ones(3)]
    moved, state = rule.step([None, torch.ones(3)], rule.init(params), params, donate=donate)
    assert torch.equal(moved[0], torch.ones(2))
    assert state[0]["step"].item() == 0
    assert state[1]["step"].item() == 1
    assert (moved[1] < 1).all()


def test_new_parameters_require_a_gradient_where_the_old_ones_did() -> None:
    params = [torch.ones(2, requires_grad=True), torch.ones(2)]
    moved, _ = pure.SGD(lr=0.1).step([torch.ones(2), torch.ones(2)], [{}, {}], params)
    assert [p.requires_grad for p in moved] == [True, False]
    assert all(p.is_leaf for p in moved)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_state_lives_where_and_as_the_parameter_does(case: Case) -> None:
    state = case.rule(**case.options).init([torch.empty(4, 4, device="meta", dtype=torch.bfloat16)])[0]
    for name, value in state.items():
        assert value.device.type == "meta"
        assert value.dtype == (torch.float32 if name == "step" else torch.bfloat16)


def test_what_holds_no_tensors_is_refused() -> None:
    wrongs: list[tuple[Any, str]] = [
        ({"layer": {"weight": torch.ones(2)}}, r"parameter 'layer', got dict; flatten it"),
        ([torch.ones(2), 1.0], "a tensor as parameter 1, got float"),
        (torch.ones(2), "a list of parameters, or a mapping from names, got one tensor"),
    ]
    for params, message in wrongs:
        with pytest.raises(TypeError, match=message):
            pure.AdamW().init(params)


def test_what_does_not_belong_together_is_refused() -> None:
    rule = pure.SGD(lr=0.1)
    with pytest.raises(ValueError, match="step: 1 parameters, but 2 gradients and 1 states"):
        rule.step([torch.ones(1), torch.ones(1)], [{}], [torch.ones(1)])
    with pytest.raises(ValueError, match=r"gradient of parameter 0 is \(3,\), the parameter \(2,\)"):
        rule.step([torch.ones(3)], [{}], [torch.ones(2)])
    with pytest.raises(ValueError, match="gradient of parameter 'w' is sparse; make it dense"):
        rule.step({"w": torch.ones(2).to_sparse()}, {"w": {}}, {"w": torch.ones(2)})
    with pytest.raises(ValueError, match=r"parameter 'w' has no gradient \(a gradient may be None\)"):
        rule.step({}, {"w": {}}, {"w": torch.ones(2)})
    with pytest.raises(ValueError, match="state 'v' belongs to no parameter"):
        rule.step({"w": None}, {"w": {}, "v": {}}, {"w": torch.ones(2)})


def _tensors(tree: object) -> list[Tensor]:
    if isinstance(tree, Tensor):
        return [tree]
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [t for item in tree for t in _tensors(item)] if isinstance(tree, list | tuple) else []
