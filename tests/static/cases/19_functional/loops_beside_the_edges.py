import torch
from jaxtyping import Float, Int
from torch import Tensor


def smooth(edges: Int[Tensor, "2 e"], x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    n = x.shape[0]
    loops = torch.arange(n).expand(2, -1)
    idx = torch.cat([edges, loops], dim=1)
    adj = torch.sparse_coo_tensor(idx, torch.ones(idx.shape[1]), (n, n)).coalesce()
    deg = torch.sparse.sum(adj, dim=1).to_dense()
    return torch.sparse.mm(adj, x) / deg.unsqueeze(1)  #! return torch.sparse.mm(adj, x) / deg  # E: shape


# run: smooth(randint(0, 6, (2, 9)), randn(6, 4))
