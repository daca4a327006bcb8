"""Lion against algorithm 2 of its paper, written down element by element."""

import numpy as np
import pytest
import torch

from typedtorch.optim import pure


def paper(
    theta: np.ndarray, gradients: list[np.ndarray], lr: float, betas: tuple[float, float], decay: float
) -> tuple[np.ndarray, np.ndarray]:
    """``c = b1*m + (1-b1)*g;  theta = theta - lr*(sign(c) + decay*theta);  m = b2*m + (1-b2)*g``."""
    m = np.zeros_like(theta)
    for g in gradients:
        c = betas[0] * m + (1 - betas[0]) * g
        theta = theta - lr * (np.sign(c) + decay * theta)
        m = betas[1] * m + (1 - betas[1]) * g
    return theta, m


@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("donate", [False, True])
def test_fifty_steps_are_those_of_the_paper(decay: float, donate: bool) -> None:
    rule = pure.Lion(lr=0.01, betas=(0.9, 0.99), weight_decay=decay)
    start = torch.randn(6, 5, dtype=torch.float64)
    gradients = [torch.randn(6, 5, dtype=torch.float64) for _ in range(50)]
    gradients[7].zero_()
    params, state = [start.clone()], rule.init([start])
    for grad in gradients:
        params, state = rule.step([grad], state, params, donate=donate)
    theta, m = paper(start.numpy(), [g.numpy() for g in gradients], 0.01, (0.9, 0.99), decay)
    np.testing.assert_allclose(params[0].numpy(), theta, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(state[0]["exp_avg"].numpy(), m, rtol=1e-12, atol=1e-14)


def test_a_donated_step_is_bitwise_the_pure_one() -> None:
    rule = pure.Lion(lr=0.01, weight_decay=0.1, maximize=True)
    pure_params = [
        torch.randn(4, 3),
        torch.randn(5, dtype=torch.bfloat16),
        torch.randn(2, dtype=torch.complex64),
    ]
    donated = [p.clone() for p in pure_params]
    state, donated_state = rule.init(pure_params), rule.init(donated)
    for _ in range(20):
        grads = [torch.randn_like(p) for p in pure_params]
        pure_params, state = rule.step(grads, state, pure_params)
        rule.step(grads, donated_state, donated, donate=True)
    for one, other in zip(pure_params, donated, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6 if one.dtype != torch.bfloat16 else 0.05)
