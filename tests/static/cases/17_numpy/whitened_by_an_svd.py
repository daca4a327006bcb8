import numpy as np
from jaxtyping import Float


def whiten(x: Float[np.ndarray, "n d"], eps: float = 1e-5) -> Float[np.ndarray, "n d"]:
    mu = x.mean(axis=0, keepdims=True)
    u, s, _ = np.linalg.svd(np.cov(x - mu, rowvar=False))
    w = u @ np.diag(1.0 / np.sqrt(s + eps)) @ u.T
    return (x - mu) @ w  #! return w @ (x - mu)  # E: shape


# run: whiten(np.random.randn(9, 3))
