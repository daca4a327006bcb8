import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import OneHotCategoricalStraightThrough


def mlp(i, o, h, layers=2):
    mods = []
    for _ in range(layers):
        mods += [nn.Linear(i, h), nn.LayerNorm(h), nn.SiLU()]
        i = h  #!
    return nn.Sequential(*mods, nn.Linear(i, o))


class RSSM(nn.Module):
    def __init__(self, cfg, actions):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Sequential(nn.Linear(cfg.stoch_size + actions, cfg.hidden), nn.SiLU())
        self.cell = nn.GRUCell(cfg.hidden, cfg.deter)
        self.prior_net = mlp(cfg.deter, cfg.stoch_size, cfg.hidden)
        self.post_net = mlp(cfg.deter + cfg.embed, cfg.stoch_size, cfg.hidden)

    def initial(self, batch):
        return dict(deter=torch.zeros(batch, self.cfg.deter), stoch=torch.zeros(batch, self.cfg.stoch, self.cfg.classes))

    def dist(self, logits):
        logits = logits.unflatten(-1, (self.cfg.stoch, self.cfg.classes))
        return OneHotCategoricalStraightThrough(logits=logits)

    def img_step(self, prev, action):
        stoch = prev["stoch"].flatten(-2)
        x = self.inp(torch.cat([stoch, action], -1))
        deter = self.cell(x, prev["deter"])
        logits = self.prior_net(deter)
        return dict(deter=deter, stoch=self.dist(logits).rsample(), logits=logits)

    def obs_step(self, prev, action, embed):
        prior = self.img_step(prev, action)
        logits = self.post_net(torch.cat([prior["deter"], embed], -1))
        post = dict(deter=prior["deter"], stoch=self.dist(logits).rsample(), logits=logits)
        return post, prior

    def observe(self, embed, action):
        state = self.initial(embed.shape[0])
        posts, priors = [], []
        for t in range(embed.shape[1]):
            state, prior = self.obs_step(state, action[:, t], embed[:, t])
            posts.append(state)
            priors.append(prior)
        stack = lambda xs: {k: torch.stack([x[k] for x in xs], 1) for k in xs[0]}
        return stack(posts), stack(priors)

    def feat(self, state):
        return torch.cat([state["deter"], state["stoch"].flatten(-2)], -1)

    def kl(self, post, prior):
        p, q = self.dist(post["logits"]), self.dist(prior["logits"])
        return torch.distributions.kl_divergence(p, q).sum(-1)
