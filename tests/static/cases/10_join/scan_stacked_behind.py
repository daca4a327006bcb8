import torch
from torch import nn
from jaxtyping import Float


class SelectiveSSM(nn.Module):
    def __init__(self, d_inner: int, d_state: int = 16, dt_rank: int = 4):
        super().__init__()
        self.d_state, self.dt_rank = d_state, dt_rank
        self.x_proj = nn.Linear(d_inner, dt_rank + 2 * d_state, bias=False)
        self.dt_proj = nn.Linear(dt_rank, d_inner)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))

    def forward(self, u: Float[torch.Tensor, "b l d_inner"]) -> Float[torch.Tensor, "b l d_inner"]:
        A = -torch.exp(self.A_log)
        dt, B, C = self.x_proj(u).split([self.dt_rank, self.d_state, self.d_state], dim=-1)
        dt = nn.functional.softplus(self.dt_proj(dt))
        dA = torch.exp(torch.einsum("bld,dn->bldn", dt, A))
        dBu = torch.einsum("bld,bln,bld->bldn", dt, B, u)
        h = torch.zeros(u.shape[0], u.shape[2], self.d_state)
        ys = []
        for i in range(u.shape[1]):
            h = dA[:, i] * h + dBu[:, i]
            ys.append(torch.einsum("bdn,bn->bd", h, C[:, i]))
        y = torch.stack(ys, dim=1)  #! y = torch.stack(ys, dim=2)
        return y + u * self.D  # E: shape


# run: SelectiveSSM(12)(randn(2, 7, 12))
