import torch
from jaxtyping import Float, Int
from torch import Tensor


def sparse(i: Int[Tensor, "2 e"], v: Float[Tensor, "e"], x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    n = x.shape[0]
    a = torch.sparse_coo_tensor(i, v, (n, n)).coalesce()
    ind, val = a.indices(), a.values()
    y = torch.sparse.mm(a, x)
    y2 = a @ x
    dense = a.to_dense()
    deg = torch.sparse.sum(a, 1).to_dense()
    csr = a.to_sparse_csr()
    z = csr @ x
    t = a.t() @ x
    soft = torch.sparse.softmax(a, dim=1).to_dense()
    back = dense.to_sparse()
    nn_ = torch.sparse.addmm(x, a, x)
    eye = torch.eye(n).to_sparse() @ x
    return y


def degrees(i: Int[Tensor, "2 e"], n: int) -> Float[Tensor, "e"]:
    a = torch.sparse_coo_tensor(i, torch.ones(i.shape[1]), (n, n))
    deg = torch.sparse.sum(a, dim=0).to_dense().clamp(min=1)
    row, col = i
    return deg[row].rsqrt() * deg[col].rsqrt()


def embedded(i: Int[Tensor, "1 e"], v: Float[Tensor, "e d"], n: int) -> Float[Tensor, "_ d"]:
    hybrid = torch.sparse_coo_tensor(i, v, (n, v.shape[1])).coalesce()
    return hybrid.values() * hybrid.indices()[0].unsqueeze(1)


# run: sparse(randint(0, 5, (2, 7)), torch.ones(7), randn(5, 3)), degrees(randint(0, 5, (2, 7)), 5)
# run: embedded(randint(0, 5, (1, 7)), randn(7, 3), 5)
