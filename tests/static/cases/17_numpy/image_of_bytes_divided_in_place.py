import numpy as np
from jaxtyping import Float, UInt8


def scaled(image: UInt8[np.ndarray, "h w 3"]) -> Float[np.ndarray, "3 h w"]:
    pixels = image.astype(np.float32)  #! pixels = image.copy()
    pixels /= 255  # E: dtype
    return pixels.transpose(2, 0, 1)  # e: dtype


# run: scaled(np.zeros((4, 5, 3), dtype=np.uint8))
