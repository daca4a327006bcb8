from collections import defaultdict

import torch
import torch.nn.functional as F

from core.config import Experiment
from core.data import loaders
from core.nets import EMA, Recurrent, Wrapper


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Wrapper(Recurrent(**cfg.model.kwargs()))
        self.ema = EMA(self.model)
        self.history = defaultdict(list)

    def step(self, batch):
        x, y = batch
        return F.mse_loss(self.model(x), y)

    @torch.no_grad()
    def validate(self, loader):
        errors = torch.cat([(self.ema(x) - y).abs() for x, y in loader])
        return errors.mean(0)

    def fit(self):
        data = loaders(self.cfg.data)
        for batch in data["train"]:
            loss = self.step(batch)
            loss.backward()
            self.ema.update(self.model)
            self.history["loss"].append(loss.item())
        per_output = self.validate(data["val"])
        weights = torch.tensor([1.0, 2.0, 1.0])
        return (per_output * weights).sum()


def main():
    runner = Runner(Experiment())
    return runner.fit().item()  # E: shape


# main: core/run.py
# run: main()
