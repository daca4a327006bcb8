from jaxtyping import Float as _Float, Int as _Int
from torch import Tensor


class TorchTyping:
    def __init__(self, wrapper) -> None:
        self.wrapper = wrapper

    def __getitem__(self, axes: str):
        return self.wrapper[Tensor, axes]


Float = TorchTyping(_Float)
Int = TorchTyping(_Int)
