"""What is wrong in another file because of a call: told at the call, with where it leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.check.cli import main

HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
NETWORK = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(10, 5)

    def forward(self, x):
        return self.out(x)
"""


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_finding_behind_another_file_is_at_the_call_that_leads_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    helpers = HEAD + 'def inner(f, x: Float[Tensor, "b d"]):\n    return f(x)\n\n\n'
    Path("helpers.py").write_text(helpers + "def outer(f, x):\n    return inner(f, x)\n")
    flat = 'def flat(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:\n    return x\n\n\n'
    body = "import torch\nfrom helpers import outer\n" + HEAD + flat + "outer(flat, torch.zeros(2, 3))\n"
    Path("main.py").write_text(body)
    assert main(["main.py"]) == 1
    assert capsys.readouterr().out.startswith(
        "main.py:11:1: error: in outer() of helpers.py: f: x has 2 axes, shape (2, 3), annotated 'n'"
    )


@pytest.mark.parametrize(
    ("file", "named"), [("net.py", "net.py"), ("net/__init__.py", "net/__init__.py"), ("net/a.py", "a.py")]
)
def test_a_method_of_another_file_is_told_with_its_class(
    file: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(NETWORK)
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    Path("main.py").write_text(f"import torch\nfrom {module} import Net\n\nNet()(torch.zeros(2, 3))\n")
    assert main(["main.py"]) == 1
    assert capsys.readouterr().out.startswith(
        f"main.py:4:1: error: in Net.forward() of {named}: self.out(x): in_features is 10, the last axis"
    )


def test_a_helper_of_another_file_gives_a_layer_other_weights(capsys: pytest.CaptureFixture[str]) -> None:
    helper = "from torch import nn\n\n\ndef halve(layer: nn.Linear, attribute: str) -> None:\n"
    body = "    layer.weight.data = layer.weight[:2]\n    setattr(layer, attribute, 2)\n"
    Path("helpers.py").write_text(helper + body)
    made = "def test(rank):\n    layer = nn.Linear(8, 8)\n    halve(layer, 'out_features')\n"
    Path("main.py").write_text(
        "import torch\nfrom torch import nn\nfrom helpers import halve\n\n\n"
        + made
        + "    torch.testing.assert_close(layer.weight, torch.zeros(2, 8))\n"
    )
    assert main(["."]) == 0, capsys.readouterr().out


def test_a_method_of_another_file_puts_more_keys_into_a_dict(capsys: pytest.CaptureFixture[str]) -> None:
    heads = "class Heads(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    heads += '        self.each = nn.ModuleDict({"0": nn.Linear(4, 4)})\n\n'
    more = "    def adapt(self, task):\n        self.each[str(task)] = nn.Linear(4, 4)\n"
    run = 'from heads import Heads\n\n\ndef run(train):\n    heads = Heads()\n    train(heads.each["0"])\n'
    Path("main.py").write_text(run + '    return heads.each["4"]\n')
    Path("heads.py").write_text(f"from torch import nn\n\n\n{heads}{more}")
    assert main(["."]) == 0, capsys.readouterr().out
    Path("heads.py").write_text(f"from torch import nn\n\n\n{heads}")
    assert main(["."]) == 1
    assert "heads.each has no key '4'" in capsys.readouterr().out
