from dataclasses import asdict, dataclass, replace


@dataclass
class EncoderConfig:
    in_channels: int = 3
    widths: tuple[int, ...] = (8, 16, 32)
    norm: str = "batch"


@dataclass
class Config:
    encoder: EncoderConfig
    num_classes: int = 5
    crop: int = 32

    @classmethod
    def small(cls):
        return cls(encoder=EncoderConfig(widths=(4, 8, 16)))

    @classmethod
    def from_dict(cls, d):
        return cls(encoder=EncoderConfig(**d["encoder"]), num_classes=d["num_classes"], crop=d.get("crop", 32))

    def with_classes(self, n):
        return replace(self, num_classes=n)
