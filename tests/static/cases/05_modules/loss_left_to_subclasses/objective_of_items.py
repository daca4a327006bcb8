from abc import ABC, abstractmethod

from jaxtyping import Float
from torch import Tensor


class Objective(ABC):
    @abstractmethod
    def per_item(self, predicted, wanted):
        """One number for each item of the batch."""

    def __call__(
        self, predicted: Float[Tensor, "batch dim"], wanted: Float[Tensor, "batch dim"]
    ) -> Float[Tensor, ""]:
        return self.combine(self.per_item(predicted, wanted))

    def combine(self, losses: Float[Tensor, " batch"]) -> Float[Tensor, ""]:
        return losses.mean()
