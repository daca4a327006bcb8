"""However parameters, gradients and states lie in memory, a step moves every element by its own gradient."""

import pytest
import torch
from torch import Tensor, nn

from optim.rules import CASES, Case, gradients
from typedtorch.optim import SGD, pure
from typedtorch.optim.pure.layout import is_dense, laid_out_like, walkable

SHAPE = (6, 4)
PLACES = ("rows", "columns", "sliced", "a part", "expanded")


def _put(x: Tensor, place: str) -> Tensor:
    """The numbers of a matrix in another place (but for an expanded one, which has one number in a row)."""
    if place == "columns":
        return x.t().clone(memory_format=torch.contiguous_format).t()
    if place == "sliced":
        return torch.zeros(12, 8)[::2, ::2].copy_(x)
    if place == "a part":
        return torch.zeros(9, 4)[1:7].copy_(x)
    if place == "expanded":
        return x[:, :1].clone().expand(SHAPE)
    return x.clone(memory_format=torch.contiguous_format)


OWN_PLACES = [
    place for place in PLACES if place != "expanded"
]  # torch, too, refuses to write into such a one


def _moved(case: Case, place: str, grad_places: list[str], form: dict[str, bool]) -> tuple[Tensor, Tensor]:
    """A parameter after one step for each place of a gradient: as everything lies, and as rows."""
    rule = case.rule(**case.options)
    odd, even = [_put(torch.ones(SHAPE), place), torch.ones(5, 1)], [torch.ones(SHAPE), torch.ones(5, 1)]
    odd_state, even_state = rule.init(odd), rule.init(even)
    for step, grad_place in enumerate(grad_places):
        grads = gradients(even, 3 * step + 2)
        grads[0] = _put(grads[0], grad_place)
        plain = [grads[0].clone(memory_format=torch.contiguous_format), grads[1]]
        odd, odd_state = rule.step(grads, odd_state, odd, **form)
        even, even_state = rule.step(plain, even_state, even)
    return odd[0], even[0]


def _close(case: Case, found: Tensor, wanted: Tensor) -> None:
    loose = 100 if case.rule is pure.Muon else 1  # which works in bfloat16
    torch.testing.assert_close(found, wanted, rtol=1e-4 * loose, atol=1e-5 * loose)


@pytest.mark.parametrize("form", [{}, {"donate": True}, {"fused": True}], ids=str)
@pytest.mark.parametrize("place", OWN_PLACES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_element_goes_by_its_own_gradient(case: Case, place: str, form: dict[str, bool]) -> None:
    for grad_place in PLACES:
        for places in ([grad_place] * 2, ["rows", grad_place, "columns"]):
            found, wanted = _moved(case, place, places, form)
            _close(case, found, wanted)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_state_that_lies_otherwise_than_its_parameter_is_right(case: Case) -> None:
    rule = case.rule(**case.options)
    params, wanted = [_put(torch.ones(SHAPE), "columns")], [torch.ones(SHAPE)]
    state, wanted_state = rule.init(params), rule.init(wanted)
    for step in range(3):
        state = [
            {name: value.clone(memory_format=torch.contiguous_format) for name, value in state[0].items()}
        ]
        grads = gradients(wanted, 3 * step + 1)
        params, state = rule.step([grads[0].clone()], state, params, donate=True)
        wanted, wanted_state = rule.step(grads, wanted_state, wanted)
    _close(case, params[0], wanted[0])


def test_the_gradient_of_a_sum_is_read_within_its_memory() -> None:
    weight = nn.Parameter(torch.zeros(4096))
    (weight.grad,) = torch.autograd.grad(weight.sum(), weight)
    assert weight.grad.stride() == (0,)
    SGD([weight], lr=1.0).step()
    assert torch.equal(weight.detach(), torch.full((4096,), -1.0))


def test_one_kernel_takes_what_fills_memory_in_one_order() -> None:
    """The usual gradients are taken as they are, others are turned; other parameters and states are not."""
    for place in PLACES:
        param = _put(torch.zeros(SHAPE), place)
        state = torch.zeros_like(param)
        for grad_place in PLACES:
            grad = _put(torch.ones(SHAPE), grad_place)
            found = walkable([param], [grad], [state])
            assert (found is not None) == is_dense(param) == (place in ("rows", "columns", "a part"))
            if found is not None:
                assert found[0].stride() == param.stride()
                assert (found[0] is grad) == (grad.stride() == param.stride())
        assert walkable([param], [param], [torch.zeros(4, 6).t()]) is None or place == "columns"


@pytest.mark.parametrize(
    "model",
    [
        torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.zeros(3, 1, 1, 2),
        torch.zeros(0, 3),
    ],
)
def test_what_is_laid_out_like_another_keeps_its_numbers(model: Tensor) -> None:
    given = torch.randn(model.shape)
    found = laid_out_like(given, model)
    assert torch.equal(found, given)
    assert walkable([model], [given], [found]) is not None


def test_a_rule_of_many_parameters_fuses_all_or_none() -> None:
    """One odd parameter among others leaves all of them right."""
    params = [torch.ones(3), _put(torch.ones(SHAPE), "sliced"), _put(torch.ones(SHAPE), "columns")]
    rule = pure.AdamW(lr=0.1)
    states, wanted = rule.init(params), [param.clone() for param in params]
    kept = rule.init(wanted)
    grads = gradients(params, 2)
    rule.step(grads, states, params, donate=True)
    wanted, _ = rule.step(grads, kept, wanted)
    for one, other in zip(params, wanted, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_state_read_from_a_file_lies_as_its_parameter_does(case: Case) -> None:
    """A file that keeps numbers and no strides, as safetensors does, changes nothing about the next steps."""
    params = [nn.Parameter(_put(torch.ones(SHAPE), "columns"))]
    going_on = case.facade(params, **case.options)
    params[0].grad = _put(gradients(params, 1)[0], "columns")
    going_on.step()
    saved = going_on.state_dict()
    plain = {
        name: value.clone(memory_format=torch.contiguous_format)
        for name, value in saved["state"].get(0, {}).items()
    }
    again = [nn.Parameter(params[0].detach().clone())]
    resumed = case.facade(again, **case.options)
    resumed.load_state_dict({**saved, "state": {0: plain} if plain else {}})
    for name, value in going_on.state[params[0]].items():
        assert resumed.state[again[0]][name].stride() == value.stride()
    for _ in range(2):
        again[0].grad = params[0].grad.clone()
        going_on.step()
        resumed.step()
    assert torch.equal(again[0], params[0])
