import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class Basic(nn.Module):
    expansion = 1

    def __init__(self, c_in: int, c_out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1)
        self.conv2 = nn.Conv2d(c_out, c_out * self.expansion, 3, 1, 1)
        self.shortcut = nn.Sequential()
        if stride != 1 or c_in != self.expansion * c_out:
            self.shortcut = nn.Sequential(nn.Conv2d(c_in, self.expansion * c_out, 1, stride), nn.BatchNorm2d(c_out))

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h2 w2"]:
        out = self.conv2(F.relu(self.conv1(x)))
        out += self.shortcut(x)
        return F.relu(out)


class Only(nn.Module):
    """The layer is called where the sizes are one, too."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.same = d_in == d_out
        self.lin = nn.Linear(d_in, d_out)
        self.norm = nn.LayerNorm(d_in) if d_in == d_out else nn.LayerNorm(d_out)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        if self.same:
            x = self.norm(x)
        y = self.lin(x)
        return self.norm(y)


class Later(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.proj = nn.Linear(d_out, d_in) if d_in != d_out else nn.Identity()
        if d_in != d_out:
            self.proj = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        return self.proj(x)


class Checked(nn.Module):
    def __init__(self, d_in: int, d_out: int, residual: bool = True) -> None:
        super().__init__()
        assert not residual or d_in == d_out
        self.residual = residual
        self.gate = nn.Linear(d_out, d_out) if d_in != d_out else nn.Identity()
        self.lin = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.lin(x)
        if self.residual:
            y = y + self.gate(x)
        return y


class Asserted(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_out, d_out) if d_in != d_out else nn.Identity()
        self.lin = nn.Linear(d_in, d_out)
        self.d_in, self.d_out = d_in, d_out

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        assert self.d_in == self.d_out
        return self.lin(x) + self.gate(x)

    def either(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        if self.d_in != self.d_out:
            raise ValueError("sizes")
        return self.lin(x) + self.gate(x)

    def early(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        if self.d_in != self.d_out:
            return self.gate(self.lin(x))
        return self.lin(x) + self.gate(x)

    def guarded(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.lin(x)
        try:
            return y + self.gate(x)
        except RuntimeError:
            return y

    def by_kind(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.lin(x)
        if isinstance(self.gate, nn.Identity):
            y = y + self.gate(x)
        return y

    def looped(self, xs: list[Float[Tensor, "b d_in"]]) -> Float[Tensor, "b d_out"]:
        y = torch.zeros(())
        for x in xs:
            if self.d_in != self.d_out:
                continue
            y = y + self.gate(x)
        return y + self.lin(xs[0])


class Helper(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_out, d_out) if d_in != d_out else nn.Identity()
        self.lin = nn.Linear(d_in, d_out)
        self.d_in, self.d_out = d_in, d_out

    def _skip(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_in"]:
        """Of equal sizes."""
        self._require_square()
        return self.gate(x)

    def _require_square(self) -> None:
        if self.d_in != self.d_out:
            raise ValueError("sizes")

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.lin(x)
        if self.d_in == self.d_out:
            y = y + self._skip(x)
        return y


class Two(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.up = nn.Linear(d, h) if d != h else nn.Identity()
        self.down = nn.Linear(h, d) if d != h else nn.Identity()
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        return self.norm(x + self.down(self.up(x).relu()))


class Bottle(nn.Module):
    def __init__(self, inp: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        if stride != 1 or inp != planes * 4:
            down = nn.Sequential(nn.Conv2d(inp, planes * 4, 1, stride), nn.BatchNorm2d(planes * 4))
        else:
            down = None
        self.down = down
        self.c1 = nn.Conv2d(inp, planes, 1)
        self.c2 = nn.Conv2d(planes, planes, 3, stride, 1)
        self.c3 = nn.Conv2d(planes, planes * 4, 1)

    def forward(self, x: Float[Tensor, "b inp h w"]) -> Float[Tensor, "b c2 h2 w2"]:
        y = self.c3(self.c2(self.c1(x)))
        skip = x if self.down is None else self.down(x)
        return y + skip


class Strided(nn.Module):
    def __init__(self, c: int, c2: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(c, c2, 3, stride, 1)
        self.pool = nn.AvgPool2d(2) if stride == 2 else nn.Identity()
        self.proj = nn.Conv2d(c, c2, 1) if c != c2 else nn.Identity()

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c2 h2 w2"]:
        return self.conv(x) + self.proj(self.pool(x))


class Square(nn.Module):
    """Kept where queries are as wide as keys; else of a layer of their own."""

    def __init__(self, dim: int, context: int | None = None) -> None:
        super().__init__()
        context = context or dim
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(context, 2 * dim) if context != dim else nn.Linear(dim, 2 * dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        k, v = self.kv(x).chunk(2, dim=-1)
        return F.scaled_dot_product_attention(self.q(x), k, v)


# run: Basic(3, 5, 2)(randn(2, 3, 6, 8))
# run: Basic(4, 4)(randn(2, 4, 6, 8))
# run: Only(3, 5)(randn(2, 3))
# run: Only(4, 4)(randn(2, 4))
# run: Later(3, 5)(randn(2, 3))
# run: Later(4, 4)(randn(2, 4))
# run: Checked(4, 4)(randn(2, 4))
# run: Checked(3, 5, residual=False)(randn(2, 3))
# run: Asserted(4, 4)(randn(2, 4))
# run: Asserted(4, 4).either(randn(2, 4))
# run: Asserted(3, 5).early(randn(2, 3))
# run: Asserted(3, 5).guarded(randn(2, 3))
# run: Asserted(3, 5).by_kind(randn(2, 3))
# run: Asserted(3, 5).looped([randn(2, 3)] * 2)
# run: Helper(3, 5)(randn(2, 3))
# run: Helper(4, 4)(randn(2, 4))
# run: Two(4, 6)(randn(2, 3, 4))
# run: Two(4, 4)(randn(2, 3, 4))
# run: Bottle(3, 2, 2)(randn(2, 3, 6, 8))
# run: Bottle(8, 2)(randn(2, 8, 6, 8))
# run: Strided(3, 5, 2)(randn(2, 3, 6, 8))
# run: Strided(4, 4, 1)(randn(2, 4, 6, 8))
# run: Square(4)(randn(2, 3, 4))
