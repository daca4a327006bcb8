import numpy as np
from jaxtyping import Float


class Layer:
    def __init__(self, width: int, classes: int) -> None:
        self.weight: Float[np.ndarray, "width classes"] = np.zeros((width, classes))
        self.bias: Float[np.ndarray, "classes"] = np.zeros(classes)

    def step(self, x: Float[np.ndarray, "n width"], p: Float[np.ndarray, "n classes"], lr: float) -> None:
        n = len(x)
        grad = p.copy()
        grad /= n
        self.weight -= lr * x.T @ grad
        self.bias -= lr * grad.sum(axis=0)  #! self.bias -= lr * grad.sum(axis=1)  # E: shape


# run: Layer(4, 3).step(np.random.randn(8, 4), np.random.randn(8, 3), 0.1)
