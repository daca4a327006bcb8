"""Steps of many models at once, under ``torch.vmap``: each model's is the step it takes alone."""

from __future__ import annotations

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.optim import pure

RULES = [
    pure.SGD(lr=0.1, momentum=0.9, nesterov=True), pure.Adagrad(), pure.RMSprop(momentum=0.9, centered=True),
    pure.Adam(weight_decay=0.1), pure.Adam(amsgrad=True), pure.AdamW(), pure.AdamW(lr=torch.tensor(0.1)),
    pure.Adafactor(), pure.Muon(), pure.Lion(weight_decay=0.1),
]  # fmt: skip
STEPS, MANY = 3, 5


def alone(
    rule: pure.Rule, weight: Float[Tensor, "a b"], slopes: Float[Tensor, "steps a b"]
) -> Float[Tensor, "a b"]:
    params = {"weight": weight}
    state = rule.init(params)
    for slope in slopes:
        params, state = rule.step({"weight": slope}, state, params)
    return params["weight"]


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_many_models_step_as_each_does_alone(rule: pure.Rule) -> None:
    torch.manual_seed(0)
    weights, slopes = torch.randn(MANY, 4, 3), torch.randn(MANY, STEPS, 4, 3)
    wanted = torch.stack([alone(rule, *each) for each in zip(weights, slopes, strict=True)])
    inside = torch.vmap(lambda weight, given: alone(rule, weight, given))(weights, slopes)
    torch.testing.assert_close(inside, wanted, rtol=1e-3, atol=1e-5)

    params = {"weight": weights}  # the same, with states that come from outside
    state = torch.vmap(rule.init)(params)
    for step in range(STEPS):
        params, state = torch.vmap(rule.step)({"weight": slopes[:, step]}, state, params)
    torch.testing.assert_close(params["weight"], wanted, rtol=1e-3, atol=1e-5)
