from dataclasses import dataclass

from torch import Tensor


@dataclass
class EncoderOutput:
    last_hidden_state: Tensor
    hidden_states: tuple | None = None


@dataclass
class ClassifierOutput:
    logits: Tensor
    loss: Tensor | None = None
