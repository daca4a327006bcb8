import torch
from torch import Tensor, nn


class Params(dict):
    """A dict whose keys are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, name, value):
        self[name] = value


class Critic(nn.Module):
    def __init__(self, p: Params) -> None:
        super().__init__()
        self.fc1 = nn.Linear(p.n_state + p.n_action, p.hidden)
        self.fc2 = nn.Linear(p.hidden, 1)

    def forward(self, s: Tensor, a: Tensor) -> Tensor:
        h = torch.relu(self.fc1(torch.cat([s, a], -1)))
        return self.fc2(h)


def main() -> Tensor:
    params = Params(n_state=4, n_action=2)
    params.hidden = 32
    critic = Critic(params)
    s, a = torch.randn(16, params.n_state), torch.randn(16, params["n_action"])
    return critic(s, a).mean()  #! return critic(s, s).mean()  # E: shape


# run: main()
