import torch

from wm.agent import WorldModel
from wm.config import Config
from wm.nets import mlp


def main():
    torch.manual_seed(0)
    cfg = Config()
    wm = WorldModel(cfg)
    policy = mlp(cfg.rssm.feat_size, cfg.actions, 16)
    batch = {"obs": torch.randn(4, 7, cfg.obs), "action": torch.randn(4, 7, cfg.actions), "reward": torch.randn(4, 7)}
    loss, post = wm.loss(batch)  # E: shape
    imagined = wm.imagine(policy, post)  # e: shape
    return loss.item() + imagined.shape[1]


# main: run_widths.py
# run: main()
