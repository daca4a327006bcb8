import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import grad, vmap


def forces(energy, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    return -vmap(grad(energy))(x)


def leapfrog(force, x: Float[Tensor, "n d"], v: Float[Tensor, "n d"], steps, dt=0.1) -> Float[Tensor, "n d"]:
    for _ in range(steps):
        v = v + 0.5 * dt * force(x)  # E: shape
        x = x + dt * v
    return x


def spring(p):
    return (p**2).sum() + p.prod()


def main():
    x, w = torch.randn(5, 3), torch.randn(3, 3)
    moved = leapfrog(lambda p: forces(spring, p) @ w, x, torch.zeros(5, 3), 20)  #! moved = leapfrog(lambda p: forces(spring, p) @ w.sum(0), x, torch.zeros(5, 3), 20)
    return moved.norm(dim=-1)


# run: main()
