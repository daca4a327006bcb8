import torch.distributions as td
from jaxtyping import Float
from torch import Tensor, nn
from torch.distributions import transforms


class Policy(nn.Module):
    def __init__(self, obs: int, act: int) -> None:
        super().__init__()
        self.net = nn.Linear(obs, 2 * act)

    def forward(self, o: Float[Tensor, "n obs"]) -> tuple[Float[Tensor, "n act"], Float[Tensor, "n"]]:
        mu, log_std = self.net(o).chunk(2, dim=-1)
        base = td.Normal(mu, log_std.clamp(-5, 2).exp())
        dist = td.TransformedDistribution(base, [transforms.TanhTransform(cache_size=1)])
        a = dist.rsample()
        return a, dist.log_prob(a).sum(-1)  #! return a, dist.log_prob(a)  # E: shape


# run: Policy(4, 2)(randn(5, 4))
