import jaxtyping
from torch import Tensor


class _Maker:
    def __init__(self, wrapper):
        self.wrapper = wrapper

    def __getitem__(self, text):
        return self.wrapper[Tensor, text]


Float = _Maker(jaxtyping.Float)
Int = _Maker(jaxtyping.Int)
