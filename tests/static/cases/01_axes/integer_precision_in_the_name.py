import torch
from jaxtyping import Float, Int32, Int64
from torch import Tensor


def hash_ids(ids: Int64[Tensor, "n"], buckets: int) -> Int64[Tensor, "n"]:
    return (ids * 2654435761) % buckets


def bucketize(ids: Int32[Tensor, "n"]) -> Int64[Tensor, "n"]:
    return hash_ids(ids.long(), 97)  #! return hash_ids(ids, 97)  # E: dtype


# run: bucketize(torch.arange(5, dtype=torch.int32))
