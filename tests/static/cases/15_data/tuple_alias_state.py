from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class State(NamedTuple):
    h: Float[Tensor, "b d"]
    c: Float[Tensor, "b d"]


def step(x: Float[Tensor, "b d"], state: State, w: Float[Tensor, "d 4*d"]) -> State:
    i, f, g, o = ((x + state.h) @ w).chunk(4, dim=-1)
    c = f.sigmoid() * state.c + i.sigmoid() * g.tanh()
    return State(o.sigmoid() * c.tanh(), c)


def unroll(xs: Float[Tensor, "t b d"], w: Float[Tensor, "d 4*d"]) -> Float[Tensor, "b d"]:
    state = State(torch.zeros_like(xs[0]), torch.zeros_like(xs[0]))
    for x in xs:
        state = step(x, state, w)
    return state.h  #! return torch.stack(state)  # E: shape


# run: unroll(randn(3, 2, 5), randn(5, 20))
