import torch
from jaxtyping import Float
from torch import Tensor


class LeastSquares:
    weight: Float[Tensor, "features targets"]

    def fit(self, x: Float[Tensor, "n features"], y: Float[Tensor, "n targets"]) -> None:
        self.weight = torch.linalg.pinv(x) @ y  #! self.weight = (torch.linalg.pinv(x) @ y).T  # E: shape

    def predict(self, x: Float[Tensor, "n features"]) -> Float[Tensor, "n targets"]:
        return x @ self.weight


# run: (m := LeastSquares()).fit(randn(9, 3), randn(9, 2)) or m.predict(randn(4, 3))
