import torch


def newton_schulz(G: torch.Tensor, steps: int = 5) -> torch.Tensor:
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G / (G.norm() + 1e-7)
    if G.size(0) > G.size(1):
        X = X.T
    for _ in range(steps):
        A = X @ X.T
        B = b * A + c * A @ A
        X = a * X + B @ X  #! X = a * X + X @ B
    if G.size(0) > G.size(1):
        X = X.T
    return X


def main():
    W = torch.nn.Parameter(torch.randn(64, 32))
    (torch.randn(5, 64) @ W).pow(2).mean().backward()
    with torch.no_grad():
        W -= 0.02 * newton_schulz(W.grad)  # E: shape


# run: main()
