import numpy as np
import torch
from torch import nn


def regression(rng: np.random.Generator, n: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(n, features))  #! x = rng.normal(size=(features, n))
    weight = rng.uniform(-1.0, 1.0, size=features)
    noise = rng.standard_normal(n, dtype=np.float32)
    return x, x @ weight + noise  # E: shape


def main() -> torch.Tensor:
    rng = np.random.default_rng(0)
    x, y = regression(rng, 32, 5)
    rows = rng.choice(len(x), size=8, replace=False)
    inputs, targets = torch.from_numpy(x[rows]).float(), torch.from_numpy(y[rows]).float()
    return nn.functional.mse_loss(nn.Linear(5, 1)(inputs).squeeze(-1), targets)  # e: shape


# run: main()
