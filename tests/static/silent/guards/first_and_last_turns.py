import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def gae(
    rewards: Float[Tensor, "T N"], values: Float[Tensor, "T N"], dones: Float[Tensor, "T N"], last: Float[Tensor, "N"]
) -> Float[Tensor, "T N"]:
    adv = torch.zeros_like(rewards)
    lastgae = torch.zeros(rewards.shape[1])
    steps = rewards.shape[0]
    for t in reversed(range(steps)):
        if t == steps - 1:
            alive, following = 1.0 - dones[t], last
        else:
            alive, following = 1.0 - dones[t + 1], values[t + 1]
        delta = rewards[t] + 0.9 * following * alive - values[t]
        adv[t] = lastgae = delta + 0.9 * alive * lastgae
    return adv


def turned(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    y = torch.zeros_like(x)
    for t in range(x.shape[1]):
        left = x[:, :0] if t == 0 else x[:, :t]
        right = x[:, t:]
        whole = torch.cat([left, right], dim=1)
        y = y + whole
    return y


def ended(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    y = torch.zeros_like(x)
    for t in range(x.shape[1]):
        seen = x if t == x.shape[1] - 1 else x[:, : t + 1]
        y[:, : t + 1] = seen * 2
    return y


def padded(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    y = torch.zeros_like(x)
    for t in range(x.shape[1]):
        seen = x[:, :0] if t == 0 else x[:, :t]
        y = y + F.pad(seen, (0, 0, 0, x.shape[1] - t))
    return y


def recurrent(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        state = state @ w if t == 0 else state @ u
        state = state.tanh()
    return state


def recurrent2(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        y = state
        z = y @ w if t == 0 else y @ u
        state = z.tanh()
    return state


def collected(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b t h"]:
    states = [x[:, 0]]
    for t in range(x.shape[1]):
        state = states[-1] @ w if t == 0 else states[-1] @ u
        states.append(state.tanh())
    return torch.stack(states[1:], 1)


def greedy(logits: Float[Tensor, "b t v"], start: Int[Tensor, "b"]) -> Int[Tensor, "b t"]:
    out = torch.zeros(logits.shape[0], logits.shape[1], dtype=torch.long)
    for t in range(logits.shape[1]):
        token = start if t == 0 else out[:, t - 1]
        scores = logits[:, t] + F.one_hot(token, logits.shape[2])
        out[:, t] = scores.argmax(-1)
    return out


def broadcast(x: Float[Tensor, "b t d"], start: Float[Tensor, "d"]) -> Float[Tensor, "b t d"]:
    out = torch.zeros_like(x)
    for t in range(x.shape[1]):
        if t > 0:
            before = x[:, t - 1]
        else:
            before = start
        out[:, t] = x[:, t] + before
    return out


def by_layer(x: Float[Tensor, "b d"], first: Float[Tensor, "d h"], inner: Float[Tensor, "n h h"]) -> Float[Tensor, "b h"]:
    for i in range(inner.shape[0]):
        w = first if i == 0 else inner[i]
        x = x @ w
    return x


def by_rank(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b d"]:
    y = x
    for i in range(n):
        z = x.mean(1) if i == n - 1 else x
        y = z * 2
    return y


def stated(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        if t == 0:
            state = state @ w
        else:
            state = state @ u
        state = state.tanh()
    return state


def positive(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        if t > 0:
            state = state @ u
        else:
            state = state @ w
    return state


def expression(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        state = state @ (w if t == 0 else u)
    return state


def expression2(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        state = (state @ w if t == 0 else state @ u).tanh()
    return state


def expression3(x: Float[Tensor, "b t d"], w: Float[Tensor, "d h"], u: Float[Tensor, "h h"]) -> Float[Tensor, "b h"]:
    state = x[:, 0]
    for t in range(x.shape[1]):
        state = state @ w if not t else state @ u
    return state


STEPS, TOTAL = torch.ones(40, 3), torch.zeros(3)
for turn in range(len(STEPS)):
    AFTER = TOTAL if turn == len(STEPS) - 1 else STEPS[turn + 1]
    TOTAL = TOTAL + AFTER


# run: gae(randn(5, 3), randn(5, 3), randn(5, 3), randn(3))
# run: turned(randn(2, 5, 3))
# run: ended(randn(2, 5, 3))
# run: padded(randn(2, 5, 3))
# run: recurrent(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: recurrent2(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: collected(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: greedy(randn(2, 5, 3), randint(0, 3, (2,)))
# run: broadcast(randn(2, 5, 3), randn(3))
# run: by_layer(randn(2, 3), randn(3, 4), randn(3, 4, 4))
# run: by_rank(randn(2, 5, 3), 2)
# run: stated(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: positive(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: expression(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: expression2(randn(2, 5, 3), randn(3, 4), randn(4, 4))
# run: expression3(randn(2, 5, 3), randn(3, 4), randn(4, 4))
