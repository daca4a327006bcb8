import torch
from jaxtyping import Float
from torch import Tensor

from hf.configuration import MiniConfig
from hf.modeling import MiniForClassification


def main():
    config = MiniConfig(num_labels=5, dropout=0.1)
    model = MiniForClassification(config)
    ids = torch.randint(0, config.vocab_size, (2, 9))
    mask = torch.ones_like(ids)
    out = model(ids, attention_mask=mask, labels=torch.tensor([0, 3]))
    logits: Float[Tensor, "2 5"] = out.logits  #! logits: Float[Tensor, "2 4"] = out.logits  # E: shape
    return (out.loss + logits.sum()).item()


# run: main()
