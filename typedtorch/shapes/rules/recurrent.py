"""Recurrent layers and cells, and the packing of sequences."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.bounds import size_max
from typedtorch.shapes.dtypes import COMPLEX, FLOATING, INT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, Packed, layer, name, rule
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.forms import Function, is_size, need
from typedtorch.shapes.rules.indexing import broadcastable_into
from typedtorch.shapes.rules.joining import tensors_of
from typedtorch.shapes.rules.linear import own_bias, parameter_dtype
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.size import Size, counted, is_unknown, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    show,
)


def _input(input: Any, size: Any, ranks: tuple[int, ...], wanted: str) -> int:
    tensor, who = need(input), name(input, "input")
    if tensor.rank is not None and tensor.rank not in ranks:
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted {wanted}")
    last = tail(tensor.shape, 1)[0]
    if last is not None and is_size(size) and same(last, size) is False:
        raise ShapeError(f"input_size is {size} and the last axis of {who} is {last}")
    return want(tensor, FLOATING | COMPLEX, "input", "a floating dtype", f"cast first: {who}.float()")


def _state(state: Any, wanted: Shape, parameter: str, mask: int) -> None:
    """A hidden state against what the layer wants."""
    if not isinstance(state, Tensor):
        return
    if not mask_of(state) & mask:
        raise Undecided  # parameters may be of either dtype
    if state.rank is None:
        return
    if len(state.shape) != len(wanted) or any(
        same(entry_size(x), entry_size(y)) is False for x, y in zip(state.shape, wanted, strict=True)
    ):
        raise ShapeError(f"{name(state, parameter)} has shape {show(state.shape)}, wanted {show(wanted)}")


_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4, "RNNCell": 1, "GRUCell": 3, "LSTMCell": 4}
_WRITTEN = 16  # layers of which each weight is an attribute


def _weights(
    kind: str, inner: Size, hidden: Size, bias: Any, dtype: Any, wide: Size | None = None
) -> dict[str, Any]:
    """The weights of one layer in one direction; ``wide`` is the size of its output, projected or not."""
    rows, mask = _GATES[kind] * hidden, parameter_dtype(dtype)
    held: dict[str, Any] = {
        "weight_ih": Tensor((rows, inner), mask, "weight_ih"),
        "weight_hh": Tensor((rows, hidden if wide is None else wide), mask, "weight_hh"),
    }
    held |= dict.fromkeys(("bias_ih", "bias_hh"), own_bias(rows, bias, dtype))
    if wide is not None and wide != hidden:
        held["weight_hr"] = Tensor((wide, hidden), mask, "weight_hr")
    return held


def _recurrent(kind: str) -> Function:
    def make(
        input_size: Any,
        hidden_size: Any,
        num_layers: Any = 1,
        bias: Any = True,
        batch_first: Any = False,
        dropout: Any = 0.0,
        bidirectional: Any = False,
        proj_size: Any = 0,
        device: Any = None,
        dtype: Any = None,
        nonlinearity: Any = "tanh",
    ) -> Layer:
        if all(isinstance(n, int) for n in (proj_size, hidden_size)) and not 0 <= proj_size < hidden_size:
            raise ShapeError(f"proj_size={proj_size}, wanted less than hidden_size={hidden_size}")
        layout = "(batch, seq, input)" if batch_first is True else "(seq, batch, input)"
        attributes = {
            "input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers,
            "batch_first": batch_first, "bidirectional": bidirectional, "proj_size": proj_size,
        }  # fmt: skip
        if isinstance(num_layers, int) and bidirectional is not UNKNOWN and is_size(proj_size):
            for place in range(min(num_layers, _WRITTEN)):
                wide = _size(hidden_size if proj_size == 0 else proj_size)
                inner = _size(input_size) if place == 0 else wide * (1 + bool(bidirectional))
                held = _weights(kind, inner, _size(hidden_size), bias, dtype, wide)
                for end in (f"_l{place}", f"_l{place}_reverse")[: 1 + bool(bidirectional)]:
                    attributes |= {word + end: weight for word, weight in held.items() if weight is not None}

        def forward(input: Any, hx: Any = None) -> Any:
            padded = _padded(input, batch_first)
            if padded is None:
                return forward_padded(input, hx)
            output, hidden = forward_padded(padded, hx)
            return packed(output if batch_first else output.of(_swapped(output.shape))), hidden

        def forward_padded(input: Any, hx: Any) -> Any:
            mask = _input(input, input_size, (2, 3), f"{layout} or (seq, input)")
            if bidirectional is UNKNOWN or not is_size(proj_size):
                raise Undecided
            ways = 2 if bidirectional else 1
            width = _size(proj_size if proj_size != 0 else hidden_size)
            if input.rank is None:
                return input.of((*_lead(input), width * ways), mask), UNKNOWN
            rows = (_size(num_layers) * ways, *_batch(input.shape[:-1], batch_first))
            output, hidden = input.of((*input.shape[:-1], width * ways), mask), input.of((*rows, width), mask)
            if kind == "LSTM":
                cell = input.of((*rows, _size(hidden_size)), mask)
                _pair_of_states(hx, hidden.shape, cell.shape, mask)
                return output, (hidden, cell)
            _state(hx, hidden.shape, "hx", mask)
            return output, hidden

        return Layer(forward, attributes)

    return make


def _size(value: Any) -> Size:
    return value if is_size(value) else unknown()


def _batch(lead: Shape, batch_first: Any) -> Shape:
    """The batch axis, if there is one, of the axes in front of the last."""
    if len(lead) == 1:
        return ()
    return (unknown(),) if batch_first is UNKNOWN else (lead[0 if batch_first is True else 1],)


def _pair_of_states(hx: Any, hidden: Shape, cell: Shape, mask: int) -> None:
    if isinstance(hx, (tuple, list)) and len(hx) == 2:
        _state(hx[0], hidden, "h_0", mask)
        _state(hx[1], cell, "c_0", mask)
    elif isinstance(hx, Tensor):
        raise ShapeError(f"{name(hx, 'hx')} is one tensor, an LSTM takes the pair (h_0, c_0)")


def _lead(input: Tensor) -> Shape:
    return input.shape[:-1] if tail(input.shape, 1)[0] is not None else (ANY_AXES,)


def _cell(kind: str) -> Function:
    def make(
        input_size: Any,
        hidden_size: Any,
        bias: Any = True,
        *settings: Any,
        device: Any = None,
        dtype: Any = None,
        **more: Any,
    ) -> Layer:
        def forward(input: Any, hx: Any = None) -> Any:
            mask = _input(input, input_size, (1, 2), "(batch, input) or (input,)")
            made = input.of((*_lead(input), _size(hidden_size)), mask)
            if input.rank is not None:
                for state, parameter in zip(
                    hx if isinstance(hx, (tuple, list)) else (hx,), ("hx", "cx"), strict=False
                ):
                    _state(state, made.shape, parameter, mask)
            return (made, made) if kind == "LSTMCell" else made

        held = _weights(kind, _size(input_size), _size(hidden_size), bias, dtype)
        return Layer(forward, {**held, "input_size": input_size, "hidden_size": hidden_size})

    return make


def packed(padded: Tensor) -> Packed:
    """A ``PackedSequence``: its fields, and the padded tensor ``(batch, seq, ...)`` it was made from."""
    batch, _, *rest = padded.sizes()
    order = Tensor((batch,), INT64)
    return Packed(
        data=padded.of((unknown(), *rest)), batch_sizes=Tensor((unknown(),), INT64), sorted_indices=order,
        unsorted_indices=order, padded=padded,
    )  # fmt: skip


def _padded(value: Any, batch_first: Any = True) -> Tensor | None:
    """The padded tensor of a packed sequence in a layer's layout; None where it is something else.

    Raises:
        Undecided: it is packed, and of what is not known.
    """
    if not isinstance(value, Packed):
        return None
    tensor = need(value[-1])
    if tensor.rank is None or batch_first is UNKNOWN:
        raise Undecided
    return tensor if batch_first else tensor.of(_swapped(tensor.shape))


def _swapped(shape: Shape) -> Shape:
    return (shape[1], shape[0], *shape[2:])


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: Any = False, enforce_sorted: Any = True
) -> Packed:
    """``(seq, batch, ...)`` and one length for each of the batch."""
    tensor = need(input)
    if tensor.rank is None or batch_first is UNKNOWN:
        raise Undecided
    if tensor.rank < 2:
        raise ShapeError(f"{name(tensor, 'input')} has shape {show(tensor.shape)}, wanted (seq, batch, ...)")
    padded = tensor if batch_first else tensor.of(_swapped(tensor.shape))
    if isinstance(lengths, Tensor) and lengths.rank == 1:
        batch, given = padded.sizes()[0], lengths.sizes()[0]
        if same(batch, given) is False:
            raise ShapeError(
                f"{name(lengths, 'lengths')} has {given} lengths, "
                f"the batch of {name(tensor, 'input')} is {batch}",
                hint="batch_first=True takes (batch, seq, ...)" if same(padded.sizes()[1], given) else None,
            )
    return packed(padded)


def pack_sequence(sequences: Any, enforce_sorted: Any = True) -> Packed:
    """A list of sequences, each ``(length, ...)``."""
    return packed(pad_sequence(sequences, batch_first=True))


def pad_packed_sequence(
    sequence: Any, batch_first: Any = False, padding_value: Any = 0.0, total_length: Any = None
) -> tuple[Tensor, Tensor]:
    """A packed sequence, padded again as far as its longest, and the lengths."""
    padded = _padded(sequence)
    parts = sequence if isinstance(sequence, tuple) else (sequence,)
    if padded is None and parts and all(isinstance(part, Tensor) for part in parts):
        what = f"{len(parts)} tensors" if sequence is parts else "a tensor"
        raise ShapeError(
            f"wanted a PackedSequence, got {what}", hint="of output, state = rnn(packed) it takes the output"
        )
    if padded is None or batch_first is UNKNOWN:
        raise Undecided
    batch, _, *rest = padded.sizes()
    longest = total_length if is_size(total_length) else unknown()
    pair: Shape = (batch, longest) if batch_first else (longest, batch)
    return padded.of((*pair, *rest)), Tensor((batch,), INT64)


for _kind in ("RNN", "GRU", "LSTM"):
    _hidden = "(F:1 b h, F:1 b h)" if _kind == "LSTM" else "F:1 b h"
    layer(f"torch.nn.{_kind}", sample=(
        "size:d, size:h -> F:s b d | size:d, size:h, 2, batch_first=True -> F:b s d | "
            "size:d, size:h, bidirectional=True -> F:s b d | "
        "size:d, size:h -> F:s d | "
            f"size:d, size:h, batch_first=True -> F:b s d, {_hidden}"))(_recurrent(_kind))  # fmt: skip
for _kind in ("RNNCell", "GRUCell", "LSTMCell"):
    _hidden = "(F:b h, F:b h)" if _kind == "LSTMCell" else "F:b h"
    layer(
        f"torch.nn.{_kind}",
        sample=f"size:d, size:h -> F:b d | size:d, size:h -> F:d | size:d, size:h -> F:b d, {_hidden}",
    )(_cell(_kind))


@rule(
    "torch.nn.utils.rnn.pad_sequence",
    sample="[f:a d, f:b d] | [f:a d, f:b d], True | [f:3, f:4], batch_first=True",
)
def pad_sequence(
    sequences: Any, batch_first: Any = False, padding_value: Any = 0.0, padding_side: Any = "right"
) -> Tensor:
    """``(length, ...)`` each, to ``(longest, batch, ...)``."""
    if isinstance(sequences, Tensor):
        raise Undecided
    given = tensors_of(sequences)
    mask = mask_of(given[0])
    if any(t.rank is None for t in given):
        return given[0].of((ANY_AXES,), mask)
    if any(not t.shape for t in given):
        raise ShapeError("a sequence has no axes, wanted (length, ...)")
    first = given[0].shape[1:]
    for i, tensor in enumerate(given):
        # each is copied to its place, so what broadcasts is taken
        if broadcastable_into(tensor.shape, (tensor.shape[0], *first)) is False:
            raise ShapeError(
                f"{tensor.label or f'sequence {i}'} has shape {show(tensor.shape)}: all axes but the first "
                f"must agree with {show(given[0].shape)}"
            )
    lengths = [t.sizes()[0] for t in given]
    longest: Size = size_max(*lengths)
    if any(is_unknown(length) for length in lengths):
        longest = counted("longest")
    if batch_first is UNKNOWN:
        return given[0].of((unknown(), unknown(), *first), mask)
    pair: Shape = (len(given), longest) if batch_first else (longest, len(given))
    return given[0].of((*pair, *first), mask)
