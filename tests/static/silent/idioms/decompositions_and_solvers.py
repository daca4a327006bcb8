import torch
from jaxtyping import Float
from torch import Tensor
from torch import linalg as LA


def decompositions(a: Float[Tensor, "*batch n n"], m: Float[Tensor, "*batch rows cols"]) -> None:
    w, v = LA.eig(a)
    wh, vh = LA.eigh(a @ a.mT)
    only = LA.eigvalsh(a @ a.mT)
    q, r = LA.qr(a)
    lu, piv = LA.lu_factor(a)
    x = LA.lu_solve(lu, piv, a)
    p, lo, up = LA.lu(a)
    back = p @ lo @ up
    inv, info = LA.inv_ex(a)
    sgn, ld = LA.slogdet(a)
    det = LA.det(a)
    sv = LA.svdvals(a)
    pin = LA.pinv(m)
    rank = LA.matrix_rank(m)
    mp = LA.matrix_power(a, 3)
    me = LA.matrix_exp(a)
    cond = LA.cond(a)
    nrm = LA.matrix_norm(m)
    nuc = LA.matrix_norm(m, "nuc", keepdim=True)
    vn = LA.vector_norm(m, 2, dim=-1, keepdim=True)
    c = LA.cross(m[..., :3], m[..., 1:4])
    ldl, pivots = LA.ldl_factor(a @ a.mT)
    return None


def solvers(a: Float[Tensor, "b n k"], y: Float[Tensor, "b n t"]) -> Float[Tensor, "b k t"]:
    sol = LA.lstsq(a, y)
    w = sol.solution
    res = sol.residuals
    normal = a.mT @ a + 0.1 * torch.eye(a.shape[-1])
    low = LA.cholesky(normal)
    ridge = torch.cholesky_solve(a.mT @ y, low)
    inv = torch.cholesky_inverse(low)
    other = LA.solve(a @ a.mT + torch.eye(a.shape[1]), y, left=True)
    right = LA.solve(normal, y.mT @ a, left=False)
    return w + ridge


def tensor_forms() -> Tensor:
    a = torch.eye(2 * 3 * 4).reshape(2 * 3, 4, 2, 3, 4)
    b = torch.randn(2 * 3, 4)
    x = LA.tensorsolve(a, b)
    inv = LA.tensorinv(torch.eye(4 * 6).reshape(4, 6, 8, 3), ind=2)
    h = LA.householder_product(torch.randn(5, 3), torch.randn(3))
    v = LA.vander(torch.randn(3, 4), N=6)
    md = LA.multi_dot([torch.randn(4), torch.randn(4, 5), torch.randn(5, 6)])
    vd = LA.vecdot(torch.randn(3, 1, 4), torch.randn(5, 4))
    td = torch.tensordot(torch.randn(2, 3, 4), torch.randn(4, 3, 5), dims=([1, 2], [1, 0]))
    td2 = torch.tensordot(torch.randn(2, 3, 4), torch.randn(3, 4, 5), dims=2)
    kr = torch.kron(torch.randn(2, 3), torch.randn(4, 5))
    bd = torch.block_diag(torch.randn(2, 3), torch.randn(4), torch.tensor(1.0))
    cb = torch.combinations(torch.arange(5), r=3)
    cp = torch.cartesian_prod(torch.arange(2), torch.arange(3), torch.arange(4))
    tri = torch.tril_indices(4, 4, -1)
    g, h2 = torch.geqrf(torch.randn(5, 3))
    lob = torch.trapezoid(torch.randn(3, 6), torch.linspace(0, 1, 6))
    cs = torch.cumulative_trapezoid(torch.randn(3, 6), dx=0.1)
    u, s, vv = torch.pca_lowrank(torch.randn(10, 6), q=3)
    u2, s2, v2 = torch.svd_lowrank(torch.randn(10, 6), q=4)
    cdist = torch.cdist(torch.randn(2, 1, 5, 3), torch.randn(4, 7, 3))
    pd = torch.nn.functional.pdist(torch.randn(6, 3))
    return x


# run: decompositions(randn(2, 3, 4, 4), randn(2, 3, 5, 6))
# run: solvers(randn(2, 7, 3), randn(2, 7, 2))
# run: tensor_forms()
