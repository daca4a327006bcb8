"""FLOPs of the operators that multiply and add: matrix products, linear algebra, recurrent layers.

Two per multiply-add, over the operators as they run.  A bias or a scale that an operator adds on the
way is elementwise and is counted there.
"""

from __future__ import annotations

from collections.abc import Callable

from typedtorch.accounting.count import Count, Formula, argument, tensor
from typedtorch.accounting.trace import Op, TensorMeta
from typedtorch.shapes.size import Size, floor_div, product


def product_of(a: str, b: str, *, bias: str | None = None) -> Formula:
    """``(..., m, k) @ (..., k, n)``: ``2 m k n`` for each leading index, four times that if complex."""

    def count(op: Op) -> Count:
        left, right = tensor(op, a).shape, tensor(op, b).shape
        rows = product(left)
        columns = right[-1] if len(right) > 1 else 1
        added = 0 if bias is None or argument(op, bias) is None else rows // left[-1] * columns
        parts = 4 if tensor(op, a).dtype.is_complex else 1  # four real multiply-adds to a complex one
        return Count(matmul=2 * parts * rows * columns, elementwise=added)

    return count


def _linear(op: Op) -> Count:
    """``x @ weight.T``: the weight's rows are the output's columns."""
    rows, weight = tensor(op, "self"), tensor(op, "weight")
    return Count(matmul=2 * rows.numel * weight.shape[0])


def _vectors(op: Op) -> Count:
    return Count(matmul=2 * tensor(op, "self").numel)


def _outer(op: Op) -> Count:
    return Count(matmul=2 * tensor(op, "vec1").numel * tensor(op, "vec2").numel)


def _linear_backward(op: Op) -> Count:
    one = 2 * tensor(op, "self").numel * tensor(op, "weight").shape[0]
    wanted = argument(op, "output_mask")
    return Count(matmul=one * sum(map(bool, wanted[:2])))


def _grouped(op: Op) -> Count:
    """A product per group; rows (or the contracted axis) are shared out among the groups."""
    left, right = tensor(op, "self").shape, tensor(op, "mat2").shape
    if len(left) == 3 and len(right) == 3:
        return Count(matmul=2 * product(left) * right[-1])
    if len(left) == 2:
        return Count(matmul=2 * product(left) * right[-1])
    return Count(matmul=2 * left[-2] * left[-1] * right[-1])


def _int4(op: Op) -> Count:
    rows = tensor(op, "self")
    return Count(matmul=2 * rows.numel * op.outs[0].shape[-1])


def _trilinear(op: Op) -> Count:
    """``sum(i1 * i2 * i3)`` over the expanded index space: two products and one sum per point."""
    shapes = []
    for name, expand in (("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")):
        shape = list(tensor(op, name).shape)
        for axis in argument(op, expand):
            shape.insert(axis, 1)
        shapes.append(shape)
    points: Size = 1
    for extents in zip(*shapes, strict=True):
        points = points * next((n for n in extents if n != 1), 1)
    return Count(matmul=3 * points)


def _cdist(op: Op) -> Count:
    """A difference, a power and a sum per pair and coordinate: no product of matrices."""
    first, second = tensor(op, "x1").shape, tensor(op, "x2").shape
    return Count(elementwise=3 * product(first) * second[-2])


def _cdist_backward(op: Op) -> Count:
    """A difference, its power, a quotient and a sum per pair and coordinate."""
    first, second = tensor(op, "x1").shape, tensor(op, "x2").shape
    return Count(elementwise=4 * product(first) * second[-2])


def _euclidean_dist(op: Op) -> Count:
    """One product of the points, each with its square and a 1 as two further coordinates."""
    first, second = tensor(op, "x1").shape, tensor(op, "x2").shape
    pairs = product(first[:-1]) * second[-2]
    return Count(matmul=2 * pairs * (first[-1] + 2), elementwise=pairs)


# -- recurrent layers fused into one operator ---------------------------------------------------

_GATES = {2: 4, 3: 3}  # modes of torch's RNN operators: 2 LSTM, 3 GRU, 0 and 1 plain


def _rnn_layer(op: Op) -> Count:
    """One direction of one layer: ``T B G (I + H) H`` multiply-adds for G gates."""
    steps = tensor(op, "input").shape
    hidden = argument(op, "hidden_size")
    gates = _GATES.get(argument(op, "mode"), 1)
    return Count(matmul=2 * gates * steps[0] * steps[1] * (steps[2] + hidden) * hidden)


def _rnn_layer_backward(op: Op) -> Count:
    """The gradient of both weights and of both inputs."""
    return _rnn_layer(op) * 2


def _cudnn_rnn(op: Op) -> Count:
    """Every weight matrix meets every step of every sequence once."""
    steps = tensor(op, "input").shape
    matrices: Size = 0
    for weight in argument(op, "weight"):
        if isinstance(weight, TensorMeta) and len(weight.shape) == 2:
            matrices = matrices + weight.numel
    return Count(matmul=2 * steps[0] * steps[1] * matrices)


def _cudnn_rnn_backward(op: Op) -> Count:
    wanted = argument(op, "output_mask")
    return _cudnn_rnn(op) * (1 + bool(wanted[3]))


# -- dense linear algebra, per matrix (Golub & Van Loan; LAPACK Working Note 41) ----------------


def _matrix(op: Op, name: str) -> tuple[Size, Size, Size]:
    shape = tensor(op, name).shape
    return product(shape[:-2]), shape[-2], shape[-1]


def _cholesky(op: Op) -> Count:
    batch, n, _ = _matrix(op, "self")
    return Count(matmul=batch * floor_div(n * (n + 1) * (2 * n + 1), 6))


def lu_flops(n: Size) -> Size:
    """``2/3 n**3 - 1/2 n**2 - 1/6 n``, which is a whole number."""
    return floor_div(n * (n - 1) * (4 * n + 1), 6)


def _lu(name: str) -> Formula:
    def count(op: Op) -> Count:
        batch, n, _ = _matrix(op, name)
        return Count(matmul=batch * lu_flops(n))

    return count


def _inverse(op: Op) -> Count:
    batch, n, _ = _matrix(op, "A")
    return Count(matmul=2 * batch * n**3)


def _solve(op: Op) -> Count:
    batch, n, _ = _matrix(op, "A")
    return Count(matmul=batch * lu_flops(n) + 2 * n * tensor(op, "B").numel)


def _triangular(matrix: str, times: int) -> Formula:
    def count(op: Op) -> Count:
        return Count(matmul=times * _matrix(op, matrix)[1] * op.outs[0].numel)

    return count


def _qr(op: Op) -> Count:
    """Householder: ``2 m n**2 - 2/3 n**3`` for the factor, the same again for Q."""
    batch, m, n = _matrix(op, "A")
    return Count(matmul=2 * batch * floor_div(6 * m * n**2 - 2 * n**3, 3))


CONTRACTIONS: dict[str, Callable[[Op], Count]] = {
    "aten.mm": product_of("self", "mat2"),
    "aten.addmm": product_of("mat1", "mat2", bias="self"),
    "aten._addmm_activation": product_of("mat1", "mat2", bias="self"),
    "aten.bmm": product_of("self", "mat2"),
    "aten.baddbmm": product_of("batch1", "batch2", bias="self"),
    "aten.addbmm": product_of("batch1", "batch2"),
    "aten.mv": product_of("self", "vec"),
    "aten.addmv": product_of("mat", "vec", bias="self"),
    "aten.dot": _vectors,
    "aten.vdot": _vectors,
    "aten.addr": _outer,
    "aten._int_mm": product_of("self", "mat2"),
    "aten._scaled_mm": product_of("self", "mat2", bias="bias"),
    "aten._scaled_mm_v2": product_of("self", "mat2", bias="bias"),
    "aten._grouped_mm": _grouped,
    "aten._scaled_grouped_mm": _grouped,
    "aten._scaled_grouped_mm_v2": _grouped,
    "aten._weight_int8pack_mm": _int4,
    "aten._weight_int4pack_mm": _int4,
    "aten._weight_int4pack_mm_for_cpu": _int4,
    "aten.mkldnn_linear": _linear,
    "aten.linear_backward": _linear_backward,
    "aten._trilinear": _trilinear,
    "aten._cdist_forward": _cdist,
    "aten._cdist_backward": _cdist_backward,
    "aten._euclidean_dist": _euclidean_dist,
    "aten.mkldnn_rnn_layer": _rnn_layer,
    "aten.mkldnn_rnn_layer_backward": _rnn_layer_backward,
    "aten._cudnn_rnn": _cudnn_rnn,
    "aten.miopen_rnn": _cudnn_rnn,
    "aten._cudnn_rnn_backward": _cudnn_rnn_backward,
    "aten.miopen_rnn_backward": _cudnn_rnn_backward,
    "aten.linalg_cholesky_ex": _cholesky,
    "aten.linalg_lu_factor_ex": _lu("A"),
    "aten.linalg_lu": _lu("A"),
    "aten._linalg_det": _lu("A"),
    "aten._linalg_slogdet": _lu("A"),
    "aten.linalg_inv_ex": _inverse,
    "aten._linalg_solve_ex": _solve,
    "aten.linalg_solve_triangular": _triangular("self", 1),
    "aten.cholesky_solve": _triangular("input2", 2),
    "aten._cholesky_solve_helper": _triangular("A", 2),
    "aten.linalg_lu_solve": _triangular("LU", 2),
    "aten.linalg_qr": _qr,
}
