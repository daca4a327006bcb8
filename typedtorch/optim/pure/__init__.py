"""Update rules as pure functions: a frozen value with ``init`` and ``step``.

Every rule is bitwise torch's for-loop (Lion, which torch does not have, is its paper's), and keeps torch's
names in its state.  With ``donate=True`` a step runs torch's fused or foreach kernels in place, with
``fused=True`` on a copy.  Without either, a step also runs under ``torch.vmap``, for many models at once.
"""

from typedtorch.optim.pure.adafactor import Adafactor
from typedtorch.optim.pure.adagrad import Adagrad
from typedtorch.optim.pure.adam import Adam, AdamW
from typedtorch.optim.pure.base import ParamState, Rule
from typedtorch.optim.pure.lion import Lion
from typedtorch.optim.pure.muon import Muon
from typedtorch.optim.pure.rmsprop import RMSprop
from typedtorch.optim.pure.sgd import SGD

__all__ = ["SGD", "Adafactor", "Adagrad", "Adam", "AdamW", "Lion", "Muon", "ParamState", "RMSprop", "Rule"]
