"""Modules chosen by flags, identities, lazily created parts, shared and swapped layers."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def make_norm(kind: str | None, c: int) -> nn.Module:
    if kind == "bn":
        return nn.BatchNorm2d(c)
    if kind == "gn":
        return nn.GroupNorm(2, c)
    if kind == "in":
        return nn.InstanceNorm2d(c, affine=True)
    return nn.Identity()


class ConvNormAct(nn.Module):
    def __init__(self, c_in, c_out=None, k=3, s=1, norm="bn", act=nn.ReLU, *, depthwise=False):
        super().__init__()
        c_out = c_out or c_in
        layers = []
        if depthwise:
            layers.append(nn.Conv2d(c_in, c_in, k, s, k // 2, groups=c_in))
            layers.append(nn.Conv2d(c_in, c_out, 1))
        else:
            layers.append(nn.Conv2d(c_in, c_out, k, s, k // 2, bias=norm is None))
        layers += [make_norm(norm, c_out), act() if act is not None else nn.Identity()]
        self.body = nn.Sequential(*layers)
        self.shortcut = c_in == c_out and s == 1

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k h2 w2"]:
        y = self.body(x)
        return x + y if self.shortcut else y


class Encoder(nn.Module):
    stages: nn.ModuleList

    def __init__(self, plan: list[int | str], c: int = 3) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for item in plan:
            if item == "M":
                layers += [nn.MaxPool2d(2)]
            else:
                layers += [ConvNormAct(c, int(item), norm="gn" if int(item) % 2 == 0 else None)]
                c = int(item)
        self.stages = nn.ModuleList(layers)
        self.width = c
        self.projection: nn.Module | None = None
        if c != 8:
            self.projection = nn.Conv2d(c, 8, 1)

    def forward(self, x: Float[Tensor, "b 3 h w"], upto: int | None = None) -> Float[Tensor, "b _ _ _"]:
        for stage in self.stages[:upto]:
            x = stage(x)
        if self.projection is not None and upto is None:
            x = self.projection(x)
        return x


class LazyHead(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.fc = None

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b classes"]:
        x = x.mean((-2, -1))
        if self.fc is None:
            self.fc = nn.Linear(x.shape[1], self.classes)
        return self.fc(x)


class Model(nn.Module):
    def __init__(self, plan: list[int | str], classes: int, aux: bool = False) -> None:
        super().__init__()
        self.encoder = Encoder(plan)
        self.head = LazyHead(classes)
        if aux:
            self.aux = LazyHead(classes)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> dict[str, Float[Tensor, "b classes"]]:
        feats = self.encoder(x)
        out = {"main": self.head(feats)}
        if hasattr(self, "aux") and self.training:
            out["aux"] = self.aux(self.encoder(x, upto=2))
        return out


def surgery(model: Model, classes: int) -> Model:
    model.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LazyLinear(classes))
    for i, stage in enumerate(model.encoder.stages):
        if isinstance(stage, nn.MaxPool2d):
            model.encoder.stages[i] = nn.AvgPool2d(2)
    return model


# run: m = Model([4, "M", 7, "M", 10], 5, aux=True); m(randn(2, 3, 16, 20))
# run: surgery(m, 3).eval()(randn(2, 3, 16, 20)); Model([8], 5)(randn(2, 3, 7, 9)); ConvNormAct(4, s=1, depthwise=True)(randn(2, 4, 5, 7))
