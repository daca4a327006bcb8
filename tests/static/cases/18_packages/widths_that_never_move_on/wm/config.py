from dataclasses import dataclass, field


@dataclass
class RSSMConfig:
    deter: int = 32
    stoch: int = 8
    classes: int = 4
    hidden: int = 24
    embed: int = 40

    @property
    def stoch_size(self) -> int:
        return self.stoch * self.classes

    @property
    def feat_size(self) -> int:
        return self.deter + self.stoch_size


@dataclass
class Config:
    obs: int = 12
    actions: int = 3
    horizon: int = 5
    rssm: RSSMConfig = field(default_factory=RSSMConfig)
