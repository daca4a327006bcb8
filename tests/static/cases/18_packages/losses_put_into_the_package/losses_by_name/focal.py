import torch.nn.functional as F
from losses_by_name import register


@register("focal")
def focal(logits, target, gamma=2.0):
    ce = F.cross_entropy(logits, target, reduction="none")
    return ((1 - (-ce).exp()) ** gamma * ce).mean()
