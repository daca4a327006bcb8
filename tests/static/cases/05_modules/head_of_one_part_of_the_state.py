import torch
from torch import nn


class RSSM(nn.Module):
    def __init__(self, deter=64, stoch=16, act=4, embed=128):
        super().__init__()
        self.cell = nn.GRUCell(stoch + act, deter)
        self.prior = nn.Linear(deter, 2 * stoch)
        self.post = nn.Linear(deter + embed, 2 * stoch)
        self.deter, self.stoch = deter, stoch

    def step(self, h, z, a, e):
        h = self.cell(torch.cat([z, a], -1), h)
        pm, ps = self.prior(h).chunk(2, -1)
        qm, qs = self.post(torch.cat([h, e], -1)).chunk(2, -1)
        z = qm + torch.randn_like(qm) * nn.functional.softplus(qs)
        return h, z, (pm, ps, qm, qs)

    def observe(self, actions, embeds):
        T, B = actions.shape[:2]
        h = torch.zeros(B, self.deter)
        z = torch.zeros(B, self.stoch)
        feats = []
        for t in range(T):
            h, z, _ = self.step(h, z, actions[t], embeds[t])
            feats.append(torch.cat([h, z], -1))
        return torch.stack(feats)


class RewardHead(nn.Module):
    def __init__(self, feat=80):  #! def __init__(self, feat=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(feat, 32), nn.ELU(), nn.Linear(32, 1))

    def forward(self, f):
        return self.net(f).squeeze(-1)


def main():
    rssm, head = RSSM(), RewardHead()
    f = rssm.observe(torch.randn(10, 3, 4), torch.randn(10, 3, 128))
    return (head(f) - torch.randn(10, 3)).pow(2).mean()  # E: shape


# run: main()
