import json
from dataclasses import asdict, dataclass, field, fields


@dataclass
class DataConfig:
    features: int = 6
    window: int = 10
    batch_size: int = 4


@dataclass
class ModelConfig:
    in_dim: int = 6
    hidden: int = 12
    out_dim: int = 3
    layers: int = 2
    mode: str = "last"
    extra: dict = field(default_factory=dict)

    def kwargs(self):
        d = asdict(self)
        d.pop("extra")
        return d


@dataclass
class Experiment:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)

    def __post_init__(self):
        self.model.in_dim = self.data.features  #! self.model.in_dim = self.data.window
