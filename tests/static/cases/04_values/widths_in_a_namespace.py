from types import SimpleNamespace

import torch
from torch import nn

DEFAULTS = {"width": 32, "classes": 4}


class Settings(SimpleNamespace):
    def doubled(self):
        return 2 * self.width


def load(**changes):
    return Settings(**DEFAULTS, **changes)


def main():
    settings, data = load(inputs=20), SimpleNamespace(batch=8, features=20)
    data.features = settings.inputs
    hidden = nn.Linear(settings.inputs, settings.doubled())
    out = nn.Linear(settings.doubled(), settings.classes)  #! out = nn.Linear(settings.width, settings.classes)
    x = torch.randn(data.batch, data.features)
    return out(hidden(x).relu())  # E: shape


# run: main()
