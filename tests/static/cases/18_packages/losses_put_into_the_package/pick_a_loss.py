import torch
from losses_by_name import get_loss


def main():
    loss = get_loss("focal")
    return loss(torch.randn(4, 5), torch.randint(0, 5, (4,)))  #! return loss(torch.randn(4, 5), torch.randint(0, 5, (6,)))  # E: shape


# main: pick_a_loss.py
# run: main()
