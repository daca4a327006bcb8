"""Losses against torch's, and the chunked one against the plain one: value, gradient and memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from typedtorch import checking
from typedtorch.losses import cross_entropy, linear_cross_entropy, mse, valid_tokens

SMOOTHING = st.sampled_from([0.0, 0.1, 1.0])


def _data(seed: int, batch: int, seq: int, d_model: int, vocab: int) -> tuple[Tensor, Tensor, Tensor]:
    source = torch.Generator().manual_seed(seed)
    hidden = torch.randn(batch, seq, d_model, generator=source, dtype=torch.float64)
    weight = torch.randn(vocab, d_model, generator=source, dtype=torch.float64)
    targets = torch.randint(vocab, (batch, seq), generator=source)
    targets[torch.rand(batch, seq, generator=source) < 0.3] = -100
    return hidden.requires_grad_(), weight.requires_grad_(), targets


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 9), st.integers(2, 9), SMOOTHING)
def test_cross_entropy_is_torchs_where_something_counts(
    seed: int, batch: int, seq: int, vocab: int, smoothing: float
) -> None:
    hidden, weight, targets = _data(seed, batch, seq, 5, vocab)
    targets[0, 0] = 1
    logits = F.linear(hidden, weight)
    expected = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=smoothing)
    torch.testing.assert_close(cross_entropy(logits, targets, label_smoothing=smoothing), expected)


@settings(deadline=None)
@given(
    st.integers(0, 1000),
    st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(2, 9)),
    st.integers(1, 40),
    st.fixed_dictionaries(
        {
            "label_smoothing": SMOOTHING,
            "z_loss": st.sampled_from([0.0, 0.01]),
            "reduction": st.sampled_from(["mean", "sum"]),
        }
    ),
)
def test_the_chunked_loss_is_the_plain_one_in_value_and_gradient(
    seed: int, shape: tuple[int, int, int], chunk: int, options: dict[str, Any]
) -> None:
    batch, seq, vocab = shape
    hidden, weight, targets = _data(seed, batch, seq, 5, vocab)
    plain = cross_entropy(F.linear(hidden, weight), targets, **options)
    chunked = linear_cross_entropy(hidden, weight, targets, chunk=chunk, **options)
    torch.testing.assert_close(chunked, plain)
    for ours, expected in zip(
        torch.autograd.grad(3.0 * chunked, (hidden, weight)),
        torch.autograd.grad(3.0 * plain, (hidden, weight)),
        strict=True,
    ):
        torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_summed_in_float32(dtype: torch.dtype) -> None:
    hidden, weight, targets = _data(0, 8, 64, 16, 50)
    exact = cross_entropy(F.linear(hidden, weight), targets)
    exact_grads = torch.autograd.grad(exact, (hidden, weight))
    low = [tensor.detach().to(dtype).requires_grad_() for tensor in (hidden, weight)]
    loss = linear_cross_entropy(low[0], low[1], targets, chunk=16)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss.double(), exact, rtol=1e-2, atol=0)
    for ours, expected in zip(torch.autograd.grad(loss, low), exact_grads, strict=True):
        assert ours.dtype == dtype
        assert (ours.double() - expected).norm() < 0.02 * expected.norm()


def test_under_autocast_both_run_in_bfloat16_and_agree() -> None:
    hidden, weight, targets = _data(0, 4, 32, 16, 50)
    hidden, weight = (tensor.detach().float().requires_grad_() for tensor in (hidden, weight))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        plain = cross_entropy(F.linear(hidden, weight), targets)
        chunked = linear_cross_entropy(hidden, weight, targets, chunk=50)
    torch.testing.assert_close(chunked, plain, rtol=1e-3, atol=1e-3)
    for ours, expected in zip(
        torch.autograd.grad(chunked, (hidden, weight)),
        torch.autograd.grad(plain, (hidden, weight)),
        strict=True,
    ):
        assert ours.dtype == torch.float32
        assert (ours - expected).norm() < 0.02 * expected.norm()


class Largest(TorchDispatchMode):
    """Remembers the largest tensor any operator returned."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # likewise
        self.numel = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.numel = max([self.numel, *(t.numel() for t in tree_leaves(out) if isinstance(t, Tensor))])
        return out


@contextmanager
def largest() -> Iterator[Largest]:
    with Largest() as seen:
        yield seen


def test_the_chunked_loss_never_holds_all_logits() -> None:
    tokens, d_model, vocab, chunk = 512, 8, 1000, 32
    hidden = torch.randn(tokens, d_model, requires_grad=True)
    weight = torch.randn(vocab, d_model, requires_grad=True)
    targets = torch.randint(vocab, (tokens,))
    with largest() as plain:
        cross_entropy(F.linear(hidden, weight), targets).backward()
    with largest() as chunked:
        linear_cross_entropy(hidden, weight, targets, chunk=chunk).backward()
    assert plain.numel == tokens * vocab
    assert chunked.numel == chunk * vocab


@pytest.mark.parametrize("grad_enabled", [True, False])
def test_gradients_nobody_wants_are_not_computed(grad_enabled: bool) -> None:
    hidden, weight, targets = torch.randn(64, 8), torch.randn(30, 8), torch.randint(30, (64,))
    with torch.set_grad_enabled(grad_enabled), torch.profiler.profile() as profile:
        linear_cross_entropy(hidden.requires_grad_(not grad_enabled), weight, targets, chunk=16)
    products = sum(event.count for event in profile.key_averages() if event.key == "aten::mm")
    assert products == 4  # the logits of four chunks, and nothing else


def test_a_batch_in_which_nothing_counts_has_loss_0_and_gradient_0() -> None:
    hidden, weight = torch.randn(3, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    targets = torch.full((3,), -100)
    for loss in (
        cross_entropy(F.linear(hidden, weight), targets, label_smoothing=0.1, z_loss=0.1),
        linear_cross_entropy(hidden, weight, targets, label_smoothing=0.1, z_loss=0.1),
    ):
        assert loss.item() == 0.0
        for grad in torch.autograd.grad(loss, (hidden, weight)):
            assert torch.equal(grad, torch.zeros_like(grad))
    assert valid_tokens(targets).item() == 0
    assert valid_tokens(torch.arange(256, dtype=torch.uint8)).item() == 256


def test_sums_over_the_joint_count_do_not_depend_on_the_split() -> None:
    hidden, weight, targets = _data(3, 6, 7, 4, 9)
    logits = F.linear(hidden, weight).detach()
    whole = cross_entropy(logits, targets)
    parts = [cross_entropy(logits[i], targets[i], reduction="sum") for i in range(6)]
    torch.testing.assert_close(torch.stack(parts).sum() / valid_tokens(targets), whole)


def test_another_target_may_be_the_ignored_one() -> None:
    logits = torch.randn(4, 5)
    targets = torch.tensor([0, 1, 0, 2])
    expected = F.cross_entropy(logits[[1, 3]], targets[[1, 3]])
    torch.testing.assert_close(cross_entropy(logits, targets, ignore_index=0), expected)
    chunked = linear_cross_entropy(logits, torch.eye(5), targets, ignore_index=0, chunk=3)
    torch.testing.assert_close(chunked, expected)


def test_z_loss_is_the_square_of_the_log_sum() -> None:
    logits, targets = torch.randn(4, 5), torch.tensor([0, 1, -100, 2])
    with_z = cross_entropy(logits, targets, z_loss=0.5)
    expected = 0.5 * torch.logsumexp(logits, -1).square()[[0, 1, 3]].mean()
    torch.testing.assert_close(with_z - cross_entropy(logits, targets), expected)


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64])
def test_targets_have_any_integer_dtype(dtype: torch.dtype) -> None:
    logits, targets = torch.randn(4, 5), torch.tensor([0, 1, 4, 2])
    torch.testing.assert_close(cross_entropy(logits, targets.to(dtype)), F.cross_entropy(logits, targets))
    chunked = linear_cross_entropy(logits, torch.eye(5), targets.to(dtype))
    torch.testing.assert_close(chunked, F.cross_entropy(logits, targets))


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_mse_is_torchs(reduction: Any) -> None:
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    torch.testing.assert_close(mse(x, y, reduction=reduction), F.mse_loss(x, y, reduction=reduction))
    nothing = torch.empty(0, 4, requires_grad=True)
    loss = mse(nothing, torch.empty(0, 4), reduction=reduction)
    loss.backward()
    assert loss.item() == 0


def test_what_makes_no_sense_is_refused() -> None:
    with checking(False):  # the annotations would refuse some of it first
        _refusals()


def _refusals() -> None:
    logits, targets = torch.randn(2, 3), torch.tensor([0, 1])
    for chunked in (False, True):
        loss: Any = partial(linear_cross_entropy, torch.randn(2, 5, 3)) if chunked else cross_entropy
        scores = torch.randn(4, 3) if chunked else torch.randn(2, 5, 4)
        with pytest.raises(TypeError, match=r"targets: expected integers, got torch\.float32"):
            loss(scores, torch.zeros(2, 5))
        with pytest.raises(ValueError, match=r"targets: expected shape \(2, 5\) for .*, got \(5, 2\)"):
            loss(scores, torch.zeros(5, 2, dtype=torch.long))
    with pytest.raises(ValueError, match="logits: expected at least the last axis, got a single number"):
        cross_entropy(torch.tensor(0.5), torch.tensor(0))
    with pytest.raises(TypeError, match=r"logits: expected scores in floating point, got torch\.int64"):
        cross_entropy(logits.long(), targets)
    with pytest.raises(ValueError, match=r"label_smoothing must be in \[0, 1\], got 2"):
        cross_entropy(logits, targets, label_smoothing=2.0)
    with pytest.raises(ValueError, match="z_loss must be at least 0, got -1"):
        cross_entropy(logits, targets, z_loss=-1.0)
    with pytest.raises(ValueError, match="reduction must be 'mean' or 'sum', got 'none'"):
        cross_entropy(logits, targets, reduction="none")  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(ValueError, match="chunk must be at least 1 token, got 0"):
        linear_cross_entropy(logits, torch.eye(3), targets, chunk=0)
    with pytest.raises(IndexError, match="out of bounds"):
        cross_entropy(logits, targets + 5)
    with pytest.raises(IndexError, match="out of bounds"):
        linear_cross_entropy(logits, torch.eye(3), targets + 5)
    with pytest.raises(ValueError, match=r"mse: shapes differ, \(2, 3\) and \(2, 1\)"):
        mse(logits, logits[:, :1])


def test_the_chunked_loss_goes_through_torch_func() -> None:
    hidden, weight, targets = (each.detach() for each in _data(0, 4, 8, 5, 7))

    def chunked(h: Tensor, w: Tensor, t: Tensor) -> Tensor:
        return linear_cross_entropy(h, w, t, chunk=3)

    def plain(h: Tensor, w: Tensor, t: Tensor) -> Tensor:
        return cross_entropy(F.linear(h, w), t)

    for argnums in (0, 1, (0, 1)):
        ours, theirs = (torch.func.grad(f, argnums)(hidden, weight, targets) for f in (chunked, plain))
        torch.testing.assert_close(ours, theirs)
    for dims in ((0, None, 0), (None, 0, None)):
        inputs = [
            x if dim is None else torch.stack([x, x.flip(0)])
            for x, dim in zip((hidden, weight, targets), dims, strict=True)
        ]
        torch.testing.assert_close(*(torch.func.vmap(f, dims)(*inputs) for f in (chunked, plain)))
        torch.testing.assert_close(
            *(torch.func.vmap(torch.func.grad(f, 1), dims)(*inputs) for f in (chunked, plain))
        )


def test_the_chunked_loss_says_that_it_is_differentiated_once() -> None:
    hidden, weight, targets = _data(0, 4, 8, 5, 7)
    (slope,) = torch.autograd.grad(linear_cross_entropy(hidden, weight, targets), hidden, create_graph=True)
    with pytest.raises(RuntimeError, match="linear_cross_entropy can be differentiated once"):
        slope.square().sum().backward()


def test_the_chunked_loss_compiles_to_one_graph() -> None:
    hidden, weight, targets = _data(0, 4, 8, 5, 7)
    compiled = torch.compile(
        lambda h, w: linear_cross_entropy(h, w, targets, chunk=10), backend="aot_eager", fullgraph=True
    )
    expected = linear_cross_entropy(hidden, weight, targets, chunk=10)
    loss = compiled(hidden, weight)
    torch.testing.assert_close(loss, expected)
    for ours, plain in zip(
        torch.autograd.grad(loss, (hidden, weight)),
        torch.autograd.grad(expected, (hidden, weight)),
        strict=True,
    ):
        torch.testing.assert_close(ours, plain)
