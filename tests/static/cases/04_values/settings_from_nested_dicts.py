from types import SimpleNamespace

import torch
from torch import nn

DEFAULTS = {"model": {"inputs": 20, "width": 64, "classes": 4}, "data": {"batch": 16}}


class Settings(SimpleNamespace):
    @classmethod
    def of(cls, given):
        return cls(**{k: cls.of(v) if isinstance(v, dict) else v for k, v in given.items()})


def load(**changes):
    merged = {section: dict(values) for section, values in DEFAULTS.items()}
    for key, value in changes.items():
        section, name = key.split("__")
        merged[section][name] = value
    return Settings.of(merged)


class Net(nn.Module):
    def __init__(self, inputs, width, classes):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, classes))

    @classmethod
    def of(cls, model):
        return cls(model.inputs, model.width, model.classes)  #! return cls(model.width, model.inputs, model.classes)

    def forward(self, x):
        return self.layers(x)


def main():
    settings = load(model__width=32)
    return Net.of(settings.model)(torch.randn(settings.data.batch, 20))  # E: shape


# run: main()
