import torch


def pack(q, k, v):
    return torch.stack([q, k, v], dim=2)


def unpack(qkv):
    return qkv.unbind(2)


def heads(x, h):
    return x.unflatten(-1, (h, -1)).transpose(1, 2)
