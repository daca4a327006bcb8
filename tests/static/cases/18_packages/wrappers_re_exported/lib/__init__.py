from lib._typing import Float, Tensor

__all__ = ["Float", "Tensor"]
