"""Tensor dataclasses whose fields share leading axes of any rank."""

import dataclasses
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Literal, NoReturn, Optional, Tuple, TypeVar, Union

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

TensorDataclassT = TypeVar("TensorDataclassT", bound="TensorDataclass")


class TensorDataclass:
    _shape: tuple

    def __post_init__(self) -> None:
        shapes = [v.shape[:-1] for v in self.fields().values()]
        self._shape = torch.broadcast_shapes(*shapes) if shapes else ()

    def fields(self) -> Dict[str, Tensor]:
        return {f.name: v for f in dataclasses.fields(self) if isinstance(v := getattr(self, f.name), Tensor)}

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self._shape)

    def __getitem__(self: TensorDataclassT, indices) -> TensorDataclassT:
        if isinstance(indices, Tensor):
            return self._apply(lambda x: x[indices])
        if isinstance(indices, (int, slice, type(Ellipsis))):
            indices = (indices,)
        return self._apply(lambda x: x[indices + (slice(None),)])

    def __setitem__(self, indices, value) -> NoReturn:
        raise RuntimeError("immutable")

    def reshape(self: TensorDataclassT, shape: Tuple[int, ...]) -> TensorDataclassT:
        if isinstance(shape, int):
            shape = (shape,)
        return self._apply(lambda x: x.reshape((*shape, x.shape[-1])))

    def flatten(self: TensorDataclassT) -> TensorDataclassT:
        return self.reshape((-1,))

    def _apply(self: TensorDataclassT, fn: Callable[[Tensor], Tensor]) -> TensorDataclassT:
        return dataclasses.replace(self, **{k: fn(v) for k, v in self.fields().items()})


@dataclass
class Frustums(TensorDataclass):
    origins: Float[Tensor, "*bs 3"]
    directions: Float[Tensor, "*bs 3"]
    starts: Float[Tensor, "*bs 1"]
    ends: Float[Tensor, "*bs 1"]
    pixel_area: Float[Tensor, "*bs 1"]
    offsets: Optional[Float[Tensor, "*bs 3"]] = None

    def get_positions(self) -> Float[Tensor, "*batch 3"]:
        pos = self.origins + self.directions * (self.starts + self.ends) / 2
        if self.offsets is not None:
            pos = pos + self.offsets
        return pos


@dataclass
class RaySamples(TensorDataclass):
    frustums: Frustums
    camera_indices: Optional[Int[Tensor, "*bs 1"]] = None
    deltas: Optional[Float[Tensor, "*bs 1"]] = None
    metadata: Optional[Dict[str, Shaped[Tensor, "*bs latent_dims"]]] = field(default_factory=dict)

    def get_weights(self, densities: Float[Tensor, "*batch num_samples 1"]) -> Float[Tensor, "*batch num_samples 1"]:
        delta_density = self.deltas * densities
        alphas = 1 - torch.exp(-delta_density)
        transmittance = torch.cumsum(delta_density[..., :-1, :], dim=-2)
        transmittance = torch.cat([torch.zeros((*transmittance.shape[:1], 1, 1)), transmittance], dim=-2)
        return torch.nan_to_num(alphas * torch.exp(-transmittance))


class Encoding(nn.Module):
    def __init__(self, in_dim: Optional[int] = None) -> None:
        super().__init__()
        if in_dim is not None and in_dim <= 0:
            raise ValueError("Input dimension should be greater than zero")
        self.in_dim = in_dim

    @abstractmethod
    def get_out_dim(self) -> int:
        raise NotImplementedError

    @abstractmethod
    def forward(self, in_tensor: Shaped[Tensor, "*bs input_dim"]) -> Shaped[Tensor, "*bs output_dim"]:
        raise NotImplementedError


class Identity(Encoding):
    def get_out_dim(self) -> int:
        if self.in_dim is None:
            raise ValueError("Input dimension has not been set")
        return self.in_dim

    def forward(self, in_tensor: Shaped[Tensor, "*bs input_dim"]) -> Shaped[Tensor, "*bs output_dim"]:
        return in_tensor


class PolyhedralFFEncoding(Encoding):
    def __init__(self, num_frequencies: int, min_freq_exp: float, max_freq_exp: float, include_input: bool = False) -> None:
        super().__init__(3)
        self.freqs = 2 ** torch.linspace(min_freq_exp, max_freq_exp, num_frequencies)
        self.register_buffer("P", torch.as_tensor(np.random.randn(3, 21), dtype=torch.float32), persistent=False)
        self.include_input = include_input

    def get_out_dim(self) -> int:
        return 21 * len(self.freqs) * 2 + (3 if self.include_input else 0)

    def forward(self, in_tensor: Float[Tensor, "*bs input_dim"]) -> Float[Tensor, "*bs output_dim"]:
        in_tensor_proj = in_tensor @ self.P
        scaled_inputs = in_tensor_proj[..., None] * self.freqs
        scaled_inputs = scaled_inputs.view(*scaled_inputs.shape[:-2], -1)
        encoded = torch.sin(torch.cat([scaled_inputs, scaled_inputs + torch.pi / 2.0], dim=-1))
        if self.include_input:
            encoded = torch.cat([encoded, in_tensor], dim=-1)
        return encoded


class Sampler:
    def __init__(self, kind: Literal["uniform", "linear_disparity"], train_stratified: bool = True) -> None:
        self.spacing = {"uniform": lambda x: x, "linear_disparity": lambda x: 1 / x}[kind]
        self.train_stratified = train_stratified

    def __call__(self, origins: Float[Tensor, "rays 3"], directions: Float[Tensor, "rays 3"], num_samples: int) -> RaySamples:
        num_rays = origins.shape[0]
        bins = torch.linspace(0.0, 1.0, num_samples + 1)[None, ...]
        if self.train_stratified:
            t_rand = torch.rand((num_rays, num_samples + 1))
            centers = (bins[..., 1:] + bins[..., :-1]) / 2.0
            upper = torch.cat([centers, bins[..., -1:]], -1)
            lower = torch.cat([bins[..., :1], centers], -1)
            bins = lower + (upper - lower) * t_rand
        near, far = (self.spacing(x) for x in (1.0, 6.0))
        euclidean = self.spacing(near * (1 - bins) + far * bins)
        starts, ends = euclidean[..., :-1, None], euclidean[..., 1:, None]
        frustums = Frustums(
            origins=origins[:, None, :].expand(-1, num_samples, -1),
            directions=directions[:, None, :].expand(-1, num_samples, -1),
            starts=starts,
            ends=ends,
            pixel_area=torch.ones_like(starts),
        )
        return RaySamples(frustums=frustums, deltas=ends - starts)


class Renderer(nn.Module):
    background_color: Union[Literal["white", "last_sample"], Float[Tensor, "3"]] = "white"

    def forward(
        self, rgb: Float[Tensor, "*bs num_samples 3"], weights: Float[Tensor, "*bs num_samples 1"]
    ) -> Float[Tensor, "*bs 3"]:
        comp_rgb = torch.sum(weights * rgb, dim=-2)
        accumulated_weight = torch.sum(weights, dim=-2)
        background = rgb[..., -1, :] if self.background_color == "last_sample" else torch.ones(3)
        return comp_rgb + background * (1.0 - accumulated_weight)


def pieces(samples: RaySamples) -> List[Frustums]:
    flat = samples.frustums.flatten()
    return [flat[:3], flat[0], flat[torch.tensor([1, 2])], samples.frustums[0, 1:2], samples.frustums[..., 0]]


# run: s = Sampler("uniform")(randn(5, 3), randn(5, 3), 7); w = s.get_weights(torch.rand(5, 7, 1)); Renderer()(torch.rand(5, 7, 3), w); pieces(s)
# run: e = PolyhedralFFEncoding(3, 0.0, 4.0, True); assert e(s.frustums.get_positions()).shape[-1] == e.get_out_dim(); Identity(3)(randn(2, 3))
