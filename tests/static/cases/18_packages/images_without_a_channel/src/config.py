import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class EncoderCfg:
    name: str = "conv"
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass
class TrainCfg:
    batch_size: int = 4
    lr: float = 1e-3
    steps: int = 2


@dataclass
class Cfg:
    encoder: EncoderCfg = field(default_factory=EncoderCfg)
    train: TrainCfg = field(default_factory=TrainCfg)
    latent_dim: int = 12
    n_classes: int = 5

    @classmethod
    def from_dict(cls, d):
        d = dict(d)
        enc = EncoderCfg(**d.pop("encoder", {}))
        tr = TrainCfg(**d.pop("train", {}))
        return cls(encoder=enc, train=tr, **d)
