import torch

from cs336_norms.model import BasicsTransformerLM
from cs336_norms.nn_utils import cross_entropy


def main():
    torch.manual_seed(0)
    model = BasicsTransformerLM(vocab_size=50, context_length=16, d_model=32, num_layers=2, num_heads=4, d_ff=64, rope_theta=10000.0)
    ids = torch.randint(0, 50, (2, 12))
    logits = model(ids)
    loss = cross_entropy(logits[:, :-1], ids[:, 1:])
    loss.backward()
    out = model.generate(ids[:, :4], 3, top_k=5)
    return loss.item() + out.shape[1]


# main: train_norms.py
# run: main()
