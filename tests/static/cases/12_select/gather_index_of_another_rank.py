import torch
from jaxtyping import Float, Int
from torch import Tensor


def token_log_probs(logits: Float[Tensor, "b s v"], tokens: Int[Tensor, "b s"]) -> Float[Tensor, "b s"]:
    logp = logits.log_softmax(-1)
    return logp.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)  #! return logp.gather(-1, tokens).squeeze(-1)  # E: shape


# run: token_log_probs(randn(2, 3, 5), randint(0, 5, (2, 3)))
