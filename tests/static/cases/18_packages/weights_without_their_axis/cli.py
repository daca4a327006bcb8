import torch
import torch.nn.functional as F

from pool_app.config import Pool, load
from pool_app.model import Classifier


def train_step(model, batch, opt):
    logits = model(batch["ids"], batch["mask"])
    loss = F.cross_entropy(logits, batch["labels"])
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def make_batch(cfg, size):
    return {
        "ids": torch.randint(0, cfg.vocab, (size, cfg.max_len)),
        "mask": torch.ones(size, cfg.max_len, dtype=torch.bool),
        "labels": torch.randint(0, cfg.n_labels, (size,)),
    }


def main():
    cfg = load("tiny", n_labels=5)
    model = Classifier(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return train_step(model, make_batch(cfg, 3), opt).item()  # E: shape


# main: cli.py
# run: main()
