"""Items of containers have the class that built them, where that shows and where nothing else depends on it."""

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.width = d

    def forward(self, x: Tensor) -> Tensor:
        return x


class Other(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


class Stack(nn.Module):
    def __init__(self, d: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(d) for _ in range(depth)])
        self.grown = nn.ModuleList()
        for _ in range(depth):
            self.grown.append(Block(d))
        self.both = nn.ModuleList([Block(d), Other()])
        self.path = nn.Sequential(Block(d), nn.ReLU(), Other())
        self.named = nn.ModuleDict({"a": Block(d), "b": Block(d)})
        self.chosen = nn.ModuleList([Block(d)]) if depth else nn.ModuleList([Other()])
        if depth:
            self.branch = nn.ModuleList([Block(d)])
        else:
            self.branch = nn.ModuleList([Other()])

    def loops(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            reveal_type(block)  # N: Revealed type is "containers.Block"
            x = block(x)
        for number, one in enumerate(self.grown):
            reveal_type((number, one))  # N: Revealed type is "tuple[int, containers.Block]"
        for left, right in zip(self.blocks, self.grown, strict=True):
            reveal_type((left, right))  # N: Revealed type is "tuple[containers.Block, containers.Block]"
        for item in self.both:
            reveal_type(item)  # N: Revealed type is "torch.nn.modules.module.Module"
        for key, value in self.named.items():
            reveal_type((key, value))  # N: Revealed type is "tuple[str, containers.Block]"
        for item2 in self.branch:
            reveal_type(item2)  # N: Revealed type is "torch.nn.modules.module.Module"
        for item3 in self.chosen:
            reveal_type(item3)  # N: Revealed type is "torch.nn.modules.module.Module"
        widths = [b.width for b in self.blocks]
        reveal_type(widths)  # N: Revealed type is "list[int]"
        reveal_type(self.path[0].width)  # N: Revealed type is "int"
        reveal_type(self.blocks[-1].width)  # N: Revealed type is "int"
        reveal_type(self.blocks[1:])  # N: Revealed type is "torch.nn.modules.container.ModuleList"
        return self.named["a"](x)

    def one_name_for_two(self, x: Tensor) -> Tensor:
        for layer in self.blocks:
            x = layer(x)
        for layer in self.both:
            x = layer(x)
        first = self.blocks[0]
        first = self.path[1]
        pair: list[nn.Module] = [b for b in self.blocks]
        pair.append(first)
        return torch.relu(x)


class Deep(nn.Module):
    """An item, or a part of one, stands first where others come later."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Inner() for _ in range(depth)])
        self.final = nn.LayerNorm(4)

    def groups(self) -> list[tuple[str, list[nn.Module]]]:
        found = []
        for number, block in enumerate(self.blocks):
            members = [block]
            if number == 2:
                members.append(self.final)
            found.append((f"layer.{number}", members))
        return found

    def parts(self) -> int:
        count = 0
        for block in self.blocks:
            parts = [block.attn]
            parts.append(block.norm)
            count += len(parts)
        ends = [self.blocks[0].norm]
        ends.append(self.blocks[0].attn)
        norms = [block.norm for block in self.blocks]
        norms.append(nn.Identity())
        return count + len(ends) + len(norms)

    def backwards(self, x: Tensor, ys: list[Tensor]) -> Tensor:
        for block, y in zip(reversed(self.blocks), reversed(ys), strict=True):
            x = block(x) + y
        for number, each in enumerate(reversed(self.blocks)):
            x = each(x) + number
        for last in reversed(self.blocks):
            reveal_type(last)  # N: Revealed type is "containers.Inner"
        return x

    def one_after_another(self, x: Tensor) -> Tensor:
        named = {}
        for number, block in enumerate(self.blocks):
            named[str(number)] = block
        named["last"] = self.final
        for layer in self.blocks:
            part = layer.attn
            x = part(x)  # E: "Tensor" not callable  [operator]
            part = layer.norm
            self.last = layer
        self.last = self.final
        every = []
        for each in self.blocks:
            every.append((each, x))
        every.append((self.final, x))
        for alone in self.blocks:
            reveal_type((alone.attn, alone))  # N: Revealed type is "tuple[torch.nn.modules.linear.Linear, containers.Inner]"
        return x


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attn = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.attn(x))


def made(width: int) -> nn.Module:
    return nn.Linear(width, width)


class Paired(nn.Module):
    """Only one of the two lists shows the class of its items, and ``zip`` stands inside another call."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([made(depth) for _ in range(depth)])
        self.acts = nn.ModuleList([nn.ReLU() for _ in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        for _, (layer, act) in enumerate(zip(self.layers, self.acts, strict=True)):
            reveal_type(layer)  # N: Revealed type is "torch.nn.modules.module.Module"
            reveal_type(act)  # N: Revealed type is "torch.nn.modules.activation.ReLU"
            x = act(layer(x))
        return x
