"""What follows from the figures, and the errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import (
    AccountingError,
    AnnotationError,
    Cache,
    DataDependentError,
    Device,
    SizeError,
    account,
    decode_step,
    largest_model,
    measure_peak,
    mfu,
    napkin,
    presets,
    why_no_peak,
)

from .zoo import GPT, MLP, Entry
from .zoo_more import ZOO


@pytest.mark.parametrize("entry", ZOO.values(), ids=ZOO)
@pytest.mark.parametrize("device", ["h100", "t4"])
def test_the_roofline_is_never_below_the_ideal(entry: Entry, device: str) -> None:
    found = account(entry.model(), sizes=entry.inputs())
    time = found.time(device)
    assert time is not None
    assert time >= time.ideal > 0
    assert sum(time.phase(p) for p in ("forward", "backward", "recompute", "optimizer")) == pytest.approx(
        time
    )
    reached = found.mfu(time, device)
    assert reached is not None
    assert reached <= 1


def test_a_device_without_the_dtype_has_no_time_and_says_why() -> None:
    found = account(MLP(8, 12), batch=2, dtype=torch.bfloat16)
    assert found.time("v100") is None
    assert "promises nothing for bf16" in found.why_no_time("v100")
    assert found.time("abacus") is None
    assert "no peak is known for device 'abacus'" in found.why_no_time("abacus")
    assert found.mfu(1.0, "abacus") is None
    assert "abacus" in why_no_peak("abacus", "bf16")


def test_mfu_is_achieved_over_promised() -> None:
    slow = Device("slow", {"fp32": 1e9}, bandwidth=1e9, memory=1e9)
    assert mfu(5e8, 1.0, slow, "fp32") == 0.5
    assert mfu(5e8, 1.0, slow, "fp32", devices=2) == 0.25
    with pytest.raises(ValueError, match=r"wanted seconds above zero, got 0\.0"):
        mfu(1.0, 0.0, slow, "fp32")
    peak = measure_peak("cpu", size=64, runs=3)
    assert mfu(peak.flops, 1.0, peak) == pytest.approx(1.0)


def test_small_batches_wait_for_memory() -> None:
    few, many = (account(MLP(1024, 4096), batch=n, phase="inference").time("h100") for n in (1, 65536))
    assert few is not None
    assert many is not None
    assert few.memory_share > 0.9 > many.memory_share


def test_odd_vocabularies_get_a_hint() -> None:
    found = account(GPT(50257, 4, 16), batch=8, seq=64, dtype=torch.bfloat16)
    assert any("50257" in hint.text and "50304" in hint.text for hint in found.hints("h100"))


def test_shards_are_the_fullest_device() -> None:
    found = account(GPT(100, 4, 8), batch=2, seq=24, optimizer="adamw")
    whole, total = found.memory, found.parameters.total
    assert found.sharded(1, "zero3").parameters == whole.parameters
    for world in (2, 3, 8):
        rows = sum(-(-p.shape[0] // world) * math.prod(p.shape[1:]) for p in GPT(100, 4, 8).parameters())
        fsdp = found.sharded(world)
        assert fsdp.parameters == fsdp.gradients == 4 * rows
        assert found.sharded(world, "zero1").parameters == whole.parameters
        assert found.sharded(world, "zero1").optimizer < whole.optimizer / world * 1.1
        assert fsdp.peak < found.sharded(world, "ddp").peak
    assert found.sharded(8, "ddp").buckets == 4 * total
    with pytest.raises(AccountingError, match="wanted world as an integer of at least 1, got 0"):
        found.sharded(0)


def test_of_blocks_two_are_whole_and_the_gradients_of_one() -> None:
    model = GPT(100, 4, 8)
    blocks = 4 * sum(p.numel() for p in model.blocks[0].parameters())
    root = 4 * sum(p.numel() for p in model.parameters()) - blocks * len(model.blocks)
    trained = account(model, batch=1, seq=2, optimizer="adamw").sharded(2)
    assert trained.gathered == (root + 2 * blocks) + (root + blocks)
    held = trained.parameters + trained.optimizer + trained.gradients + trained.gathered
    assert trained.peak == pytest.approx(held, rel=0.05)  # few activations
    assert account(model, batch=1, seq=2, phase="inference").sharded(2).gathered == root + 2 * blocks
    model.requires_grad_(False).blocks[1].requires_grad_(True)
    assert account(model, batch=1, seq=2).sharded(2).gathered == (root + 2 * blocks) + blocks


def test_decoding_reads_the_cache_and_the_weights() -> None:
    found = account(presets.build("llama-3-8b"), batch=1, seq=128, phase="inference")
    step = found.decoding(context=8192)
    assert step == decode_step(
        Cache(layers=32, kv_heads=8, head_dim=128, batch=1, context=8192),
        parameters=8_030_261_248 - 128256 * 4096, heads=32,
    )  # fmt: skip
    assert step.bound == "memory"
    assert step.intensity < 3
    with pytest.raises(AccountingError, match="got a forward without attention"):
        account(MLP(8, 12), batch=2).decoding(context=16)


@pytest.mark.parametrize(("dtype", "weight", "key"), [("fp32", 4, 4), ("bf16", 2, 2), ("fp8", 1, 2)])
def test_decoding_in_another_dtype_reads_other_bytes(dtype: str, weight: int, key: int) -> None:
    found = account(presets.build("llama-3-8b"), batch=1, seq=16)
    step = found.decoding(context=1024, batch=2, dtype=dtype)
    weights = found.parameters.total - 128256 * 4096  # the table is only looked up
    assert step.bytes == weights * weight + 2 * 32 * 8 * 128 * 1024 * 2 * key


def test_plain_data_for_programs() -> None:
    found = account(MLP(8, 12), batch=2, optimizer="adamw").to_dict()
    assert json.loads(json.dumps(found))["memory"]["peak"] == found["memory"]["peak"]


def test_printed_it_says_the_figures() -> None:
    assert repr(account(MLP(8, 12), batch=2)) == (
        "Account(MLP at batch=2, d_model=8: 368 parameters, 1.34 kFLOP forward, 2.3 kFLOP backward, "
        "3.04 KiB at the peak)"
    )
    assert repr(account(MLP)) == "Account(MLP: no sizes for d_model, d_ff, batch)"


def test_functions_constructors_and_examples() -> None:
    def layer(x: Float[Tensor, "batch d"], w: Float[Tensor, "d d_out"]) -> Float[Tensor, "batch d_out"]:
        return torch.relu(x @ w)

    found = account(layer, batch=4, d=6, d_out=5)
    assert (found.flops.forward, found.flops.backward) == (2 * 4 * 6 * 5, 4 * 4 * 6 * 5)
    assert account(layer, batch=4, d=6, d_out=5, requires_grad=("w",)).flops.backward == 2 * 4 * 6 * 5
    x, w = torch.zeros(4, 6), torch.zeros(6, 5, requires_grad=True)
    assert account(layer, x, w).flops.backward == 2 * 4 * 6 * 5  # of the examples one asks for a gradient
    assert account(MLP, d_model=8, d_ff=12, batch=2).numbers == account(MLP(8, 12), batch=2).numbers
    bare = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
    assert account(bare, torch.zeros(3, 8)).flops.forward == 2 * 3 * 8 * 4
    compiled = torch.compile(MLP(8, 12))
    assert "eager stream" in account(compiled, batch=2).to_dict()["notes"][0]


def test_bad_input_names_the_axis() -> None:
    model = GPT(100, 4, 8)
    with pytest.raises(SizeError, match="no numbers without a size for seq: pass seq="):
        _ = account(model, batch=2).flops
    with pytest.raises(SizeError, match="axis 'batch': wanted a size of at least 1, got -2"):
        account(model, batch=-2, seq=4)
    with pytest.raises(SizeError, match="GPT has no axis 'sqe': did you mean 'seq'"):
        account(model, batch=2, seq=4, sqe=3)
    with pytest.raises(SizeError, match=r"d_model.*24.*mat|inner|reduction|size"):
        account(MLP(8, 12), batch=2, d_model=24)
    with pytest.raises(SizeError, match=r"wanted an integer size, got 2\.5"):
        account(model, sizes={"batch": 2.5, "seq": 4})  # type: ignore[dict-item]  # the mistake under test


def test_a_size_that_contradicts_the_module() -> None:
    class Wide(nn.Module):
        def __init__(self, d_model: int) -> None:
            super().__init__()
            self.d_model, self.out = d_model, nn.Linear(d_model, 3)

        def forward(self, x: Float[Tensor, "batch d_model"]) -> Tensor:
            out: Tensor = self.out(x)
            return out

    with pytest.raises(SizeError, match="axis 'd_model' was given as 7, but Wide was built with d_model=5"):
        account(Wide(5), batch=2, d_model=7)
    assert account(Wide(5), batch=2).flops.forward == 2 * 2 * 5 * 3
    with pytest.raises(SizeError, match="'d_model' was given as 24, but MLP runs with d_model=8 only"):
        account(MLP(8, 12), batch=2, d_model=24)


class Patches(nn.Module):
    """Of images whose size the patches need not fill."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 13, 4, stride=4)
        self.positions = nn.Parameter(torch.zeros((size // 4) ** 2, 13))

    def forward(self, x: Float[Tensor, "batch 3 size size"]) -> Tensor:
        return self.patches(x).flatten(2).mT + self.positions


class OfGroups(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(8, 12, 5, groups=4)

    def forward(self, x: Float[Tensor, "batch channels time"]) -> Tensor:
        out: Tensor = self.conv(x)
        return out


def test_a_size_is_the_modules_where_it_runs_at_no_other() -> None:
    with pytest.raises(SizeError, match="no numbers without a size for size: pass size="):
        _ = account(Patches(12), batch=2).flops  # 13, which a weight has, runs as 12 does
    assert account(Patches(12), batch=2, size=12).flops.forward == 2 * 2 * 13 * 9 * 48
    assert account(OfGroups(), batch=2, time=9).flops.forward == 2 * 2 * 12 * 5 * 2 * 5


def test_a_shape_error_names_the_line_of_the_program() -> None:
    def wrong(x: Float[Tensor, "n d"], w: Float[Tensor, "e f"]) -> Tensor:
        return x @ w  # the mistake under test

    with pytest.raises(SizeError, match=r"with n=4, d=5, e=6, f=7: forward, .* at test_answers\.py:\d+: "):
        account(wrong, n=4, d=5, e=6, f=7)


def test_constructors_take_examples_too() -> None:
    class Plain(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.out = nn.Linear(8, width)

        def forward(self, x):  # type: ignore[no-untyped-def]  # an example says what it is
            return self.out(x)

    example = torch.zeros(3, 8)
    assert account(lambda: Plain(4), example).flops.forward == 2 * 3 * 8 * 4
    assert account(lambda width: nn.Sequential(Plain(width)), example, width=5).flops.forward == 2 * 3 * 8 * 5
    assert str(account(Plain, example).formula("flops.forward")) == "48*width"


def test_modules_without_annotations_say_what_to_write() -> None:
    class Bare(nn.Module):
        def forward(self, x):  # type: ignore[no-untyped-def]  # the mistake under test
            return x

    with pytest.raises(AnnotationError, match=r"parameter 'x' does not say its axes; annotate it"):
        account(Bare(), batch=2)


def test_shapes_that_depend_on_values_name_the_operator() -> None:
    def pick(x: Float[Tensor, "n"]) -> Tensor:
        return x[x > 0]

    with pytest.raises(
        DataDependentError, match=r"aten\.index\.Tensor at test_answers\.py:\d+ gives a shape"
    ):
        account(pick, n=4)

    def scaled(x: Float[Tensor, "n"]) -> Tensor:
        return x * 2 if x.sum() > 0 else x

    with pytest.raises(DataDependentError, match=r"_local_scalar_dense.* reads a number off a tensor"):
        account(scaled, n=4)


def test_a_missing_loss_or_optimizer_is_told() -> None:
    with pytest.raises(AccountingError, match="optimizer='adamx': did you mean 'adamax'"):
        account(MLP(8, 12), batch=2, optimizer="adamx")
    with pytest.raises(AccountingError, match="checkpoint='nowhere': no module has that path"):
        account(MLP(8, 12), batch=2, checkpoint="nowhere")

    def whole(x: Int[Tensor, "n"]) -> Tensor:
        return x + 1

    with pytest.raises(AccountingError, match="phase='inference'"):
        account(whole, n=3)


def test_a_run_takes_positive_numbers_and_a_share() -> None:
    with pytest.raises(AccountingError, match="wanted days above zero, got 0"):
        napkin(parameters=1e9, tokens=1e9, days=0)
    with pytest.raises(AccountingError, match="wanted tokens above zero, got nan"):
        napkin(parameters=1e9, tokens=float("nan"), devices=1)
    with pytest.raises(AccountingError, match="wanted parameters above zero, got -5"):
        napkin(parameters=-5, tokens=1e9, devices=1)
    with pytest.raises(
        AccountingError, match="largest_model: wanted devices as an integer of at least 1, got 0"
    ):
        largest_model("h100", devices=0)
    with pytest.raises(AccountingError, match="a cache: wanted context as an integer of at least 1, got 0"):
        account(GPT(100, 4, 8), batch=2, seq=6).decoding(context=0)
    with pytest.raises(AccountingError, match="decode_step: wanted heads as an integer of at least 1, got 0"):
        decode_step(Cache(layers=1, kv_heads=1, head_dim=2, batch=1, context=4), parameters=5, heads=0)


def test_a_constructor_that_wants_more_than_sizes_is_told_so() -> None:
    class Configured(MLP):
        def __init__(self, config: dict[str, int], rate: float) -> None:
            super().__init__(config["d_model"], config["d_ff"])

    with pytest.raises(AccountingError, match=r"parameter 'config' is a dict.*, not a size; pass what"):
        account(Configured)
    assert account(lambda: Configured({"d_model": 4, "d_ff": 6}, 0.1), batch=2).parameters.total == 100


def test_the_name_of_a_preset_is_pointed_to_the_model() -> None:
    with pytest.raises(AccountingError, match=r"got str; accounting.presets.build\('gpt2'\) makes one"):
        account("gpt2")  # type: ignore[call-overload]  # what the command line takes


def test_hints_for_convolutions_speak_of_channels() -> None:
    odd = nn.Sequential(nn.Conv2d(3, 30, 7), nn.Conv2d(30, 30, 3, groups=30), nn.Conv2d(30, 64, 1))
    found = account(odd, torch.zeros(2, 3, 33, 33), autocast=torch.bfloat16).hints("h100")
    sizes = {(hint.path, hint.text.split()[1]) for hint in found if hint.text.startswith("size ")}
    assert sizes == {("0", "30"), ("2", "30")}


class Squeeze(nn.Module):
    """The width inside is a whole part of the width outside."""

    def __init__(self, n_embd: int, n_head: int) -> None:
        super().__init__()
        self.inner = nn.Linear(n_embd, 3 * (n_embd // n_head), bias=False)

    def forward(self, x: Float[Tensor, "b n_embd"]) -> Float[Tensor, "b inner"]:
        return self.inner(x)


def test_formulas_without_sizes_are_not_those_of_empty_tensors() -> None:
    formula = account(Squeeze).formula("parameters.total")
    for width, heads in ((12, 3), (64, 4), (768, 12)):
        wanted = sum(p.numel() for p in Squeeze(width, heads).parameters())
        assert formula.subs(n_embd=width, n_head=heads) == wanted
    with pytest.raises(SizeError, match="did you mean 'n_embd'"):
        account(Squeeze, n_emb=64)


def test_an_unknown_phase_is_refused() -> None:
    with pytest.raises(AccountingError, match="wanted one of 'train', 'inference'"):
        account(nn.Linear(2, 3), torch.zeros(4, 2), phase="eval")  # type: ignore[call-overload]  # the mistake


REPEATED: dict[str, Callable[[Tensor], Tensor]] = {
    "interleaved": lambda k: k.repeat_interleave(4, 1),
    "expanded": lambda k: k[:, :, None].expand(-1, -1, 4, -1, -1).reshape(len(k), 8, *k.shape[2:]),
    "tiled": lambda k: k.repeat(1, 4, 1, 1),
    "indexed": lambda k: k[:, torch.arange(8) // 4],
    "joined": lambda k: torch.cat([k] * 4, 1),
    "made contiguous": lambda k: k.repeat_interleave(4, 1).transpose(1, 2).contiguous().transpose(1, 2),
}


class Grouped(nn.Module):
    """Two heads of keys and values for eight of queries, repeated in one way or another, or by torch."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.q, self.k, self.v = (nn.Linear(64, width) for width in (64, 16, 16))

    def forward(self, x: Float[Tensor, "b t 64"]) -> Tensor:
        q, k, v = (each(x).unflatten(-1, (-1, 8)).transpose(1, 2) for each in (self.q, self.k, self.v))
        if self.how in REPEATED:
            k, v = REPEATED[self.how](k), REPEATED[self.how](v)
        grouped = self.how not in REPEATED
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=grouped)


@pytest.mark.parametrize("how", [*REPEATED, "by torch"])
def test_a_cache_holds_keys_and_values_as_they_are_before_they_are_repeated(how: str) -> None:
    model = Grouped(how)
    step = account(model, b=2, t=16).decoding(context=1000, batch=4)
    weights = sum(p.numel() for p in model.parameters())
    assert step.bytes == 2 * (weights + 4 * 1000 * 2 * 2 * 8)
