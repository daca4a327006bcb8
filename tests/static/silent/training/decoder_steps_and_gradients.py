"""A decoder that goes through its target step by step, what is made of several tensors, and gradients asked for."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Decoder(nn.Module):
    def __init__(self, vocab: int, embed: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(vocab, embed)
        self.cell = nn.LSTMCell(embed + hidden, hidden)
        self.attend = nn.Linear(2 * hidden, hidden, bias=False)
        self.out = nn.Linear(hidden, vocab)

    def forward(
        self, encoded: Float[Tensor, "b src two_hidden"], target: Int[Tensor, "b tgt"]
    ) -> Float[Tensor, "tgt b vocab"]:
        last = torch.zeros(encoded.size(0), self.hidden)
        state = (last, torch.zeros_like(last))
        keys: Float[Tensor, "b src hidden"] = self.attend(encoded)
        outputs = []
        for step in torch.split(self.embedding(target), 1, dim=1):
            state = self.cell(torch.cat((step.squeeze(1), last), dim=1), state)
            scores = torch.bmm(keys, state[0].unsqueeze(2)).squeeze(2)
            last = torch.bmm(scores.softmax(dim=1).unsqueeze(1), keys).squeeze(1)
            outputs.append(last)
        return self.out(torch.stack(outputs))


def columns(x: Float[Tensor, "n d"]) -> Float[Tensor, "d n"]:
    pieces = x.split(split_size=1, dim=1)
    return torch.stack([piece.squeeze(1) for piece in pieces])


def rows_again(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    return torch.cat([row * 2 for row in torch.split(x, 1)])


def heads(x: Float[Tensor, "b n wide"], h: int) -> Float[Tensor, "b {h} n n"]:
    qkv = x.chunk(3, dim=-1)
    q, k, v = map(lambda t: t.unflatten(-1, (h, -1)).transpose(1, 2), qkv)
    q, k = (t / t.norm(dim=-1, keepdim=True) for t in (q, k))
    first, *others = [t.mean() for t in (q, k, v)]
    assert first.ndim == 0 and len(others) == 2
    return q @ k.transpose(-1, -2)


def joined(rows: Float[Tensor, "n d"], several: list[Float[Tensor, "n d"]]) -> Float[Tensor, "n+n d"]:
    assert torch.cat(several).shape[1] == rows.shape[1]
    return torch.cat([rows, torch.stack(rows.unbind())])


def diagonal_means(model: Decoder, table: Tensor) -> Float[Tensor, "rows"]:
    return (model.attend.weight @ table).mean(dim=1)


def test_gradients() -> None:
    decoder = Decoder(11, 5, 6)
    out = decoder(torch.randn(3, 7, 12), torch.randint(0, 11, (3, 4)))
    assert out.shape == (4, 3, 11)
    out.sum().backward()
    assert decoder.out.weight.grad is not None and decoder.out.weight.grad.shape == (11, 6)
    assert decoder.cell.weight_ih.grad.shape == decoder.cell.weight_ih.shape
    assert diagonal_means(decoder, torch.randn(12, 4)).shape == (6,)


# run: test_gradients()
# run: columns(torch.randn(3, 4))
# run: rows_again(torch.randn(3, 4))
# run: heads(torch.randn(2, 5, 24), 4)
# run: joined(torch.randn(2, 3), [torch.randn(2, 3), torch.randn(2, 3)])
