from torch import nn
from . import registry


@registry.MODELS.register()
class Large(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, 3)

    def forward(self, x):
        return self.fc(x)
