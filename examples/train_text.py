"""Train a small Transformer on a text of your own, resume it for more steps, and see what was written.

python examples/train_text.py [TEXT_FILE]
"""

import sys
import tempfile
from pathlib import Path

import typedtorch

text = sys.argv[1] if len(sys.argv) > 1 else __file__
folder = Path(tempfile.mkdtemp(), "run")
small = typedtorch.TrainConfig().override(
    data=text, device="cpu", layers=2, d_model=32, heads=2, seq=32, val_fraction=0.1, sample=60
)
first = typedtorch.train(small, steps=20, schedule="constant", out=str(folder))
again = typedtorch.train(out=str(folder), resume="auto", steps=40)

losses = f"validation loss {first.val_loss:.3f}, then {again.val_loss:.3f}"
print(f"\n{first.step} steps, then {again.step}: {losses}")
print("in the run folder:", ", ".join(sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))))
