"""Settings: one flat name each, settled by device, refused where impossible."""

import dataclasses
import json
import os
import typing
from pathlib import Path

import numpy as np
import pytest
import torch

from typedtorch.training import ConfigError, LoopSettings, TrainConfig, train
from typedtorch.training.config import GROUP_OF, Overrides, RunConfig
from typedtorch.training.names import ELSEWHERE, from_elsewhere
from typedtorch.training.precision import PrecisionLike
from typedtorch.training.resolve import find_device, resolve

CPU = torch.device("cpu")


def test_the_keywords_and_the_fields_are_the_same() -> None:
    keywords = typing.get_type_hints(Overrides)
    config = TrainConfig()
    fields = {
        inner.name: typing.get_type_hints(type(getattr(config, outer.name)))[inner.name]
        for outer in dataclasses.fields(config)
        for inner in dataclasses.fields(getattr(config, outer.name))
    }
    place = str | os.PathLike[str]
    objects = {"data": place, "out": place | None, "resume": place | bool, "device": str | torch.device}
    objects["precision"] = PrecisionLike | typing.Literal["auto"]
    assert keywords == {**fields, **objects}
    assert (
        len(fields) == len(GROUP_OF) == sum(len(dataclasses.fields(getattr(config, g))) for g in vars(config))
    )


def test_flat_and_back_is_the_same() -> None:
    config = TrainConfig().override(lr=1e-3, layers=3, data="x", device="cpu", steps=7)
    assert TrainConfig.from_flat(config.flat()) == config


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown setting 'colour'; there are layers, "):
        TrainConfig().override(colour=1)
    with pytest.raises(ConfigError, match=r"unknown setting 'dtype'; did you mean 'precision'\?"):
        TrainConfig().override(dtype="bf16")
    with pytest.raises(ConfigError, match=r"unknown setting 'head'; did you mean 'heads'\?"):
        TrainConfig().override(head=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": "2"}, "steps: expected int or None, got '2'"),
        ({"lr": True}, "lr: expected float or None, got True"),
        (
            {"schedule": "cosin"},
            "schedule: expected one of 'cosine', 'linear', 'wsd', 'constant', got 'cosin'",
        ),
        ({"token_dtype": "int8"}, "token_dtype: expected one of 'uint8', .* or None, got 'int8'"),
        ({"data": None}, "data: expected str, got None"),
    ],
)
def test_a_value_of_another_type_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainConfig().override(**values)


def test_paths_and_numbers_of_other_libraries_are_taken() -> None:
    config = TrainConfig().override(out=Path("runs") / "a", steps=np.int64(3), lr=np.float32(0.5), clip=1)
    assert (config.run.out, config.run.steps, config.optim.lr) == (str(Path("runs/a")), 3, 0.5)
    assert type(config.run.steps) is int


def test_devices_and_a_plain_yes_are_taken() -> None:
    config = TrainConfig().override(device=torch.device("cuda", 1), resume=True)
    assert (config.machine.device, config.run.resume) == ("cuda:1", "auto")
    assert config.override(resume=False).run.resume == "never"


@pytest.mark.parametrize(
    ("given", "name"),
    [("bfloat16", "bf16"), (torch.float16, "fp16"), ("half", "fp16"), ("float32", "fp32"), ("BF16", "bf16")],
)
def test_a_precision_may_have_the_name_that_torch_gives_it(given: PrecisionLike, name: str) -> None:
    assert TrainConfig().override(precision=given).machine.precision == name
    assert LoopSettings(steps=1, precision=given) == LoopSettings(steps=1, precision=name)  # type: ignore[arg-type]  # a str
    with pytest.raises(ConfigError, match=r"precision: expected one of 'auto', .* got torch\.float64"):
        TrainConfig().override(precision=torch.float64)
    with pytest.raises(ConfigError, match=r"precision: expected fp32, bf16, fp16 or fp8, got torch\.float64"):
        LoopSettings(steps=1, precision=torch.float64)


def test_what_other_tools_call_a_setting_is_no_setting_of_ours_and_means_one() -> None:
    for ours, theirs in ELSEWHERE.items():
        assert ours in GROUP_OF
        for name in theirs.split():
            assert name not in GROUP_OF
            assert from_elsewhere(name) == ours


def test_groups_of_another_kind_are_refused() -> None:
    with pytest.raises(ConfigError, match="run: expected a RunConfig, got a dict"):
        TrainConfig(run={"steps": 3})  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ConfigError, match="steps: expected int or None, got 'few'"):
        train(TrainConfig(run=RunConfig(steps="few")))  # type: ignore[arg-type]  # on purpose


def test_everything_is_settled() -> None:
    settled = resolve(TrainConfig(), CPU).flat()
    unsettled = {name for name, value in settled.items() if value is None}
    assert unsettled == {"kv_heads", "d_ff", "token_dtype", "vocab", "out"}
    gpu = resolve(TrainConfig().override(precision="bf16"), torch.device("cuda")).flat()
    assert gpu["compile"]
    assert not settled["compile"]
    assert gpu["d_model"] > settled["d_model"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps: expected at least 1, got 0"),
        ({"lr": 0.0}, "lr: expected more than 0, got 0.0"),
        ({"heads": 3}, "heads: expected a divisor of d_model 128, got 3"),
        ({"d_model": 36, "heads": 4}, "heads: expected an even width of each head"),
        ({"heads": 4, "kv_heads": 3}, "kv_heads: expected a divisor of heads 4, got 3"),
        ({"dropout": 1.0}, "dropout: expected at least 0 and less than 1"),
        ({"val_fraction": 1.0}, "val_fraction: expected at least 0 and less than 1, got 1.0"),
        ({"val_fraction": -0.1}, "val_fraction: expected at least 0 and less than 1"),
        (
            {"batch": 8, "micro_batch": 3},
            r"batch: expected a multiple of micro_batch x processes \(3 x 1\), got 8",
        ),
        ({"steps": 5, "warmup": 6}, r"warmup: expected at most the steps \(5\), got 6"),
        ({"seed": -1}, "seed: expected at least 0"),
        ({"seed": 1 << 32}, r"seed: expected 0 to 2\*\*32 - 1"),
        ({"final_lr": 2.0}, "final_lr: expected a share"),
        ({"beta2": 1.0}, "beta2: expected at least 0 and less than 1"),
        ({"keep": 0}, "keep: expected at least 1"),
    ],
)
def test_impossible_settings_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        resolve(TrainConfig().override(**values), CPU)


def test_the_batch_is_divided_between_processes() -> None:
    settled = resolve(TrainConfig().override(batch=12), CPU, world=4)
    assert settled.run.micro_batch == 3
    with pytest.raises(ConfigError, match="x processes"):
        resolve(TrainConfig().override(batch=6), CPU, world=4)


def test_several_processes_do_not_halve_their_batches_each_for_itself() -> None:
    config = TrainConfig().override(halve_on_oom=True)
    assert resolve(config, torch.device("cpu")).machine.halve_on_oom
    with pytest.raises(ConfigError, match=r"halve_on_oom: expected one process, .* got 2"):
        resolve(config, torch.device("cpu"), 2)


@pytest.mark.parametrize("name", ["cuda:77", "tpu", "gpu", ""])
def test_a_device_that_is_not_here_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=r"device: "):
        find_device(name)
    assert find_device("cpu") == CPU


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", "10"), ("steps", [1]), ("steps", True), ("steps", 1.5), ("lr", "fast"), ("lr", True),
        ("data", 3), ("data", None), ("tie", 1), ("schedule", "sudden"), ("schedule", ["cosine"]),
        ("parallel", {}), ("compile", 0), ("vocab", "__import__('os')"),
    ],
)  # fmt: skip
def test_a_stored_setting_of_another_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=rf"^{name}: expected .*, got "):
        TrainConfig.from_flat({name: value})


def test_every_setting_comes_back_from_plain_values() -> None:
    for config in (TrainConfig(), resolve(TrainConfig(), torch.device("cpu"))):
        assert TrainConfig.from_flat(json.loads(json.dumps(config.flat()))) == config
