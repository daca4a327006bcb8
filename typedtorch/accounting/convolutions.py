"""FLOPs of convolutions, forward and backward, with groups and transposition.

A convolution touches every weight once per output position and image: ``2 B L_out W`` where ``W``
counts the weight's elements (already divided by the groups).  Transposed, the positions are the
input's.  Each of the two gradients costs the same again, groups or not.
"""

from __future__ import annotations

from collections.abc import Callable

from typedtorch.accounting.count import Count, argument, tensor
from typedtorch.accounting.trace import Op, TensorMeta
from typedtorch.shapes.size import Size, product


def _positions(batched: tuple[Size, ...], weight: tuple[Size, ...]) -> Size:
    """Images times positions; an image without a batch axis is one image."""
    spatial = len(weight) - 2
    return product(batched[-spatial:]) * (batched[0] if len(batched) > spatial + 1 else 1)


def _once(image: TensorMeta, weight: TensorMeta) -> Size:
    return 2 * _positions(image.shape, weight.shape) * weight.numel


def _forward(op: Op) -> Count:
    weight = tensor(op, "weight")
    image = tensor(op, "input") if argument(op, "transposed") else op.outs[0]
    bias = op.outs[0].numel if argument(op, "bias") is not None else 0
    return Count(matmul=_once(image, weight), elementwise=bias)


def _plain(op: Op) -> Count:
    """Library convolutions: never transposed."""
    return Count(matmul=_once(op.outs[0], tensor(op, "weight")))


def _transposed(op: Op) -> Count:
    return Count(matmul=_once(tensor(op, "self"), tensor(op, "weight")))


def _backward(op: Op) -> Count:
    weight, gradient = tensor(op, "weight"), tensor(op, "grad_output")
    image = tensor(op, "input") if argument(op, "transposed") else gradient
    wanted = argument(op, "output_mask")
    bias = gradient.numel if wanted[2] else 0
    return Count(matmul=_once(image, weight) * sum(map(bool, wanted[:2])), elementwise=bias)


def _slow_backward(op: Op) -> Count:
    weight, gradient = tensor(op, "weight"), tensor(op, "grad_output")
    wanted = sum(bool(out) for out in op.outs[:2])
    return Count(matmul=_once(gradient, weight) * wanted)


def _tbc(op: Op) -> Count:
    """``(time, batch, channels)`` with a weight of ``(width, c_in, c_out)``."""
    out, weight = op.outs[0], tensor(op, "weight")
    return Count(matmul=2 * out.shape[0] * out.shape[1] * weight.numel)


CONVOLUTIONS: dict[str, Callable[[Op], Count]] = {
    "aten.convolution": _forward,
    "aten._convolution": _forward,
    "aten.convolution_overrideable": _forward,
    "aten.convolution_backward": _backward,
    "aten.convolution_backward_overrideable": _backward,
    "aten.mkldnn_convolution": _plain,
    "aten.cudnn_convolution": _plain,
    "aten.cudnn_convolution_relu": _plain,
    "aten.cudnn_convolution_add_relu": _plain,
    "aten.miopen_convolution": _plain,
    "aten.miopen_depthwise_convolution": _plain,
    "aten.cudnn_convolution_transpose": _transposed,
    "aten.miopen_convolution_transpose": _transposed,
    "aten._conv_depthwise2d": _plain,
    "aten.conv_depthwise3d": _plain,
    "aten._slow_conv2d_forward": _plain,
    "aten._slow_conv2d_backward": _slow_backward,
    "aten.slow_conv3d_forward": _plain,
    "aten.slow_conv_dilated2d": _plain,
    "aten.slow_conv_dilated3d": _plain,
    "aten.slow_conv_transpose2d": _transposed,
    "aten.slow_conv_transpose3d": _transposed,
    "aten.conv_tbc": _tbc,
}
