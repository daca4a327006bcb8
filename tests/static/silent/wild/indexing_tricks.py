"""The corners of indexing, all legal."""

import torch
from jaxtyping import Bool, Float, Int, Num
from torch import Tensor


def corners(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c 2 2"]:
    return x[..., [0, -1], :][..., [0, -1]]


def every_other(x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
    return x[::2]


def between(x: Float[Tensor, "b t d"], i: Int[Tensor, "b"], j: Int[Tensor, "b"]) -> Float[Tensor, "b d"]:
    b = torch.arange(x.shape[0])
    return (x[b, i] + x[b, j]) / 2


def outer_index(x: Float[Tensor, "n m"], rows: Int[Tensor, "r"], cols: Int[Tensor, "c"]) -> Float[Tensor, "r c"]:
    return x[rows[:, None], cols]


def split_index(x: Float[Tensor, "a b c d"], i: Int[Tensor, "k"], j: Int[Tensor, "k"]) -> Float[Tensor, "k b d"]:
    return x[i, :, j]


def adjacent_index(x: Float[Tensor, "a b c d"], i: Int[Tensor, "k"], j: Int[Tensor, "k"]) -> Float[Tensor, "a k d"]:
    return x[:, i, j]


def index_and_new_axis(x: Float[Tensor, "a b c"], i: Int[Tensor, "k"]) -> Float[Tensor, "a 1 k c"]:
    return x[:, None, i]


def bool_and_slice(x: Float[Tensor, "a b c"], m: Bool[Tensor, "a"]) -> Float[Tensor, "k 2 c"]:
    return x[m, :2]


def bool_two_axes(x: Float[Tensor, "a b c"], m: Bool[Tensor, "b c"]) -> Float[Tensor, "a k"]:
    return x[:, m]


def python_list(x: Float[Tensor, "n d"]) -> Float[Tensor, "3 d"]:
    return x[[0, 2, 1]]


def nested_list(x: Float[Tensor, "n d"]) -> Float[Tensor, "2 2 d"]:
    return x[torch.tensor([[0, 1], [2, 0]])]


def scalar_tensor(x: Float[Tensor, "n d"], i: Int[Tensor, ""]) -> Float[Tensor, "d"]:
    return x[i]


def slices_object(x: Float[Tensor, "n m"], size: int) -> Float[Tensor, "_ _"]:
    window = (slice(0, size), slice(None, -1))
    return x[window]


def tuple_of_indices(x: Float[Tensor, "n m"], index: tuple[int, ...]) -> Float[Tensor, "..."]:
    return x[index]


def set_triangle(x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    i, j = torch.tril_indices(x.shape[0], x.shape[0], -1)
    x = x.clone()
    x[i, j] = x[j, i]
    return x


def fill_rows(x: Float[Tensor, "n d"], m: Bool[Tensor, "n"], value: Float[Tensor, "d"]) -> Float[Tensor, "n d"]:
    x = x.clone()
    x[m] = value
    x[~m, 0] = 0
    x[..., -1] = 1.0
    x[:, :2] *= 2
    x[0] += value
    return x


def scatter_assign(x: Float[Tensor, "n d"], i: Int[Tensor, "k"], v: Float[Tensor, "k d"]) -> Float[Tensor, "n d"]:
    out = torch.empty_like(x)
    out[:] = x
    out[i] = v
    out[i, :] = v[:1]
    out[i, 0] = v[:, 0]
    return out


def where_indices(m: Bool[Tensor, "a b"]) -> Int[Tensor, "k 2"]:
    rows, cols = torch.where(m)
    return torch.stack([rows, cols], dim=1)


def last_dims(x: Num[Tensor, "... h w"]) -> Num[Tensor, "... h-2 w-2"]:
    return x[..., 1:-1, 1:-1]


def finite_difference(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t-1 d"]:
    return x[:, 1:] - x[:, :-1]


def laplacian(x: Float[Tensor, "h w"]) -> Float[Tensor, "h-2 w-2"]:
    return x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]


def pad_by_index(x: Float[Tensor, "n d"]) -> Float[Tensor, "n+2 d"]:
    return torch.cat([x[:1], x, x[-1:]])


def windows(x: Float[Tensor, "t d"], size: int) -> Float[Tensor, "n {size} d"]:
    start = torch.arange(x.shape[0] - size + 1)
    return x[start[:, None] + torch.arange(size)]


def per_row(x: Float[Tensor, "b n"], k: int) -> Float[Tensor, "b {k}"]:
    top = x.topk(k, dim=1).indices
    return x[torch.arange(len(x)).unsqueeze(1), top]


def colours(labels: Int[Tensor, "h w"], palette: Float[Tensor, "k 3"]) -> Float[Tensor, "3 h w"]:
    return palette[labels].permute(2, 0, 1)


def empty(x: Float[Tensor, "n d"]) -> Float[Tensor, "0 d"]:
    return x[:0]


# run: corners(randn(2, 3, 5, 7)); every_other(randn(5, 3)); between(randn(2, 5, 3), torch.tensor([0, 1]), torch.tensor([2, 3])); outer_index(randn(5, 7), torch.tensor([0, 1, 2]), torch.tensor([3, 4]))
# run: split_index(randn(2, 3, 5, 7), torch.tensor([0, 1, 1]), torch.tensor([2, 3, 4])); adjacent_index(randn(2, 3, 5, 7), torch.tensor([0, 1]), torch.tensor([2, 3])); index_and_new_axis(randn(2, 3, 5), torch.tensor([0, 1, 2, 0]))
# run: bool_and_slice(randn(3, 5, 7), torch.tensor([True, False, True])); bool_two_axes(randn(2, 3, 5), randn(3, 5) > 0); python_list(randn(5, 3)); nested_list(randn(5, 3)); scalar_tensor(randn(5, 3), torch.tensor(2)); slices_object(randn(5, 7), 2); tuple_of_indices(randn(3, 5), (1, 2))
# run: set_triangle(randn(5, 5)); fill_rows(randn(5, 3), randn(5) > 0, randn(3)); scatter_assign(randn(7, 3), torch.tensor([1, 4]), randn(2, 3)); where_indices(randn(3, 5) > 0); last_dims(randn(2, 5, 7)); finite_difference(randn(2, 5, 3)); laplacian(randn(5, 7)); pad_by_index(randn(3, 5))
# run: windows(randn(7, 3), 4); per_row(randn(3, 7), 2); colours(randint(0, 4, (5, 7)), randn(4, 3)); empty(randn(3, 5))
