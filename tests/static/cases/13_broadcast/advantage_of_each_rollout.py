import torch
from jaxtyping import Float
from torch import Tensor


def compute_group_normalized_rewards(raw: Float[Tensor, "rollouts"], group_size: int, eps: float = 1e-6):
    groups = raw.view(-1, group_size)
    mean = groups.mean(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True)
    adv = (groups - mean) / (std + eps)
    return adv.reshape(-1), {"mean": mean.mean().item()}


def policy_gradient_loss(
    adv: Float[Tensor, "rollouts"],
    logp: Float[Tensor, "rollouts tokens"],
    old_logp: Float[Tensor, "rollouts tokens"],
    mask: Float[Tensor, "rollouts tokens"],
    clip: float = 0.2,
) -> Float[Tensor, ""]:
    ratio = torch.exp(logp - old_logp)
    a = adv.unsqueeze(-1)  #! a = adv.unsqueeze(0)
    surr = torch.min(ratio * a, ratio.clamp(1 - clip, 1 + clip) * a)  # E: shape
    per_seq = (surr * mask).sum(-1) / mask.sum(-1).clamp(min=1)
    return -per_seq.mean()


def main():
    rewards = torch.tensor([1.0, 0, 0, 1, 1, 1, 0, 0])
    adv, meta = compute_group_normalized_rewards(rewards, 4)
    logp = torch.randn(8, 20, requires_grad=True)
    loss = policy_gradient_loss(adv, logp, logp.detach(), torch.ones(8, 20))
    loss.backward()


# run: main()
