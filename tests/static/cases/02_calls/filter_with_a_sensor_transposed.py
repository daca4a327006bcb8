import torch
from jaxtyping import Float
from torch import Tensor


class Kalman:
    def __init__(self, f, h, q, r):
        self.f, self.h, self.q, self.r = f, h, q, r

    def predict(self, x, p):
        return (self.f @ x.unsqueeze(-1)).squeeze(-1), self.f @ p @ self.f.mT + self.q

    def update(self, x, p, z):
        y = z - (self.h @ x.unsqueeze(-1)).squeeze(-1)
        s = self.h @ p @ self.h.mT + self.r
        k = torch.linalg.solve(s, self.h @ p).mT
        return x + (k @ y.unsqueeze(-1)).squeeze(-1), (torch.eye(x.shape[-1]) - k @ self.h) @ p


def track(kf, seen: Float[Tensor, "time batch obs"], state: int) -> Float[Tensor, "time batch state"]:
    x = torch.zeros(seen.shape[1], state)
    p = torch.eye(state).expand(seen.shape[1], state, state)
    out = []
    for z in seen:
        x, p = kf.update(*kf.predict(x, p), z)
        out.append(x)
    return torch.stack(out)


def main():
    dt = 0.1
    f = torch.tensor([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
    kf = Kalman(f, torch.eye(2, 4), 0.01 * torch.eye(4), 0.1 * torch.eye(2))  #! kf = Kalman(f, torch.eye(4, 2), 0.01 * torch.eye(4), 0.1 * torch.eye(2))
    return track(kf, torch.randn(12, 5, 2), 4)  # E: shape


# run: main()
