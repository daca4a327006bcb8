from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def logits_last(batch) -> Float[Tensor, "batch classes seq"]:
    logits = batch["logits"]
    return rearrange(logits, "b n c -> b c n")  #! return rearrange(logits, "b n c -> b (c n)")  # E: shape


# run: logits_last({"logits": randn(2, 3, 5)})
