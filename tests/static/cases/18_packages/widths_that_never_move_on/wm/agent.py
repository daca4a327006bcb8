import torch
import torch.nn as nn

from wm.config import Config
from wm.nets import RSSM, mlp


class WorldModel(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        r = cfg.rssm
        self.cfg = cfg
        self.encoder = mlp(cfg.obs, r.embed, r.hidden)
        self.rssm = RSSM(r, cfg.actions)
        self.heads = nn.ModuleDict({"obs": mlp(r.feat_size, cfg.obs, r.hidden), "reward": mlp(r.feat_size, 1, r.hidden)})

    def loss(self, batch):
        post, prior = self.rssm.observe(self.encoder(batch["obs"]), batch["action"])
        feat = self.rssm.feat(post)
        rec = (self.heads["obs"](feat) - batch["obs"]).pow(2).sum(-1)
        rew = (self.heads["reward"](feat).squeeze(-1) - batch["reward"]).pow(2)
        kl = self.rssm.kl(post, prior).clamp(min=1.0)
        return (rec + rew + kl).mean(), post

    def imagine(self, policy, post):
        state = {k: v.flatten(0, 1).detach() for k, v in post.items()}
        feats = []
        for _ in range(self.cfg.horizon):
            feat = self.rssm.feat(state)
            feats.append(feat)
            state = self.rssm.img_step(state, torch.tanh(policy(feat)))
        return torch.stack(feats)
