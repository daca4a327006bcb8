from jaxtyping import Float, Int
from torch import Tensor


def log_prob(logits: Float[Tensor, "b actions"], action: Int[Tensor, "b"]) -> Float[Tensor, "b"]:
    logp = logits.log_softmax(-1)
    return logp.gather(1, action.unsqueeze(1)).squeeze(1)  #! return logp.gather(1, action.unsqueeze(1))  # E: shape


# run: log_prob(randn(3, 5), randint(0, 5, (3,)))
