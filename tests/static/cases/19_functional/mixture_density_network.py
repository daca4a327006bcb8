import torch.distributions as td
from jaxtyping import Float
from torch import Tensor, nn


class MDN(nn.Module):
    def __init__(self, d_in: int, d_out: int, comps: int) -> None:
        super().__init__()
        self.d_out, self.comps = d_out, comps
        self.logits = nn.Linear(d_in, comps)
        self.stats = nn.Linear(d_in, 2 * comps * d_out)

    def dist(self, x: Float[Tensor, "n d_in"]) -> td.MixtureSameFamily:
        mu, raw = self.stats(x).view(-1, self.comps, self.d_out, 2).unbind(-1)
        each = td.Independent(td.Normal(mu, raw.exp()), 1)  #! each = td.Normal(mu, raw.exp())
        return td.MixtureSameFamily(td.Categorical(logits=self.logits(x)), each)  # E: shape

    def nll(self, x: Float[Tensor, "n d_in"], y: Float[Tensor, "n d_out"]) -> Float[Tensor, "n"]:
        return -self.dist(x).log_prob(y)


# run: MDN(3, 2, 4).nll(randn(5, 3), randn(5, 2))
