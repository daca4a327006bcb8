import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import Reduce
from jaxtyping import Float
from torch import Tensor, nn


class AxialBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.row = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.col = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, x: Float[Tensor, "b h w d"]) -> Float[Tensor, "b h w d"]:
        b, h, w, _ = x.shape
        r = rearrange(x, "b h w d -> (b h) w d")
        r = rearrange(self.row(r, r, r)[0], "(b h) w d -> b h w d", h=h)
        c = rearrange(x, "b h w d -> (b w) h d")
        c = rearrange(self.col(c, c, c)[0], "(b w) h d -> b h w d", b=b)
        return x + r + c


def slots(x: Float[Tensor, "b n d"], queries: Float[Tensor, "k d"]) -> Float[Tensor, "b k d"]:
    q = repeat(queries, "k d -> b k d", b=len(x))
    att = einsum(q, x, "b k d, b n d -> b k n").softmax(1)
    att = att / reduce(att, "b k n -> b k 1", "sum")  #! att = att / reduce(att, "b k n -> b k", "sum")  # E: shape
    return einsum(att, x, "b k n, b n d -> b k d")


def joint(image, text, layer):
    tokens, ps = pack([image, text], "b * d")
    image, text = unpack(layer(tokens), ps, "b * d")
    return image, text


class Pool(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.net = nn.Sequential(Reduce("b h w d -> b d", "mean"), nn.Linear(dim, classes))

    def forward(self, x):
        return self.net(x)


def depth_to_space(x: Float[Tensor, "b c h w"], r: int) -> Float[Tensor, "b c2 h2 w2"]:
    return rearrange(x, "b (c r1 r2) h w -> b c (h r1) (w r2)", r1=r, r2=r)


def main():
    image, text, layer = torch.randn(2, 4, 5, 8), torch.randn(2, 6, 8), nn.Linear(8, 8)
    image, text = joint(AxialBlock(8, 2)(image), text, layer)
    logits = Pool(8, 3)(image)
    s = slots(text, torch.randn(7, 8))
    up = depth_to_space(rearrange(image, "b h w d -> b d h w"), 2)
    mask = torch.zeros(2, 2, 8, 10)
    return (logits.sum() + s.sum() + (up * mask).sum()).item()


# run: main()
