from typing import Callable, Literal
import torch


def compute_policy_gradient_loss(
    policy_log_probs: torch.Tensor,
    loss_type: Literal["no_baseline", "reinforce_with_baseline", "grpo_clip"],
    raw_rewards: torch.Tensor | None = None,
    advantages: torch.Tensor | None = None,
    old_log_probs: torch.Tensor | None = None,
    cliprange: float | None = None,
):
    if loss_type == "no_baseline":
        return -raw_rewards * policy_log_probs, {}
    if loss_type == "reinforce_with_baseline":
        return -advantages * policy_log_probs, {}
    ratio = torch.exp(policy_log_probs - old_log_probs)
    lhs = ratio * advantages
    rhs = torch.clamp(ratio, 1 - cliprange, 1 + cliprange) * advantages
    return -torch.minimum(lhs, rhs), {"clipped": rhs < lhs}


def masked_mean(tensor, mask, dim=None):
    return (tensor * mask).sum(dim) / mask.sum(dim)


def microbatch(policy_log_probs, response_mask, accum, loss_type, **kw):
    loss, meta = compute_policy_gradient_loss(policy_log_probs, loss_type, **kw)
    loss = masked_mean(loss, response_mask, dim=-1).mean() / accum
    loss.backward()
    return loss, meta


def main():
    B, S = 8, 24
    rewards = torch.rand(B)
    adv = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    logp = torch.randn(B, S, requires_grad=True)
    old = logp.detach()
    mask = torch.ones(B, S)
    for i in range(0, B, 4):
        sl = slice(i, i + 4)
        microbatch(  # E: shape
            logp[sl], mask[sl], 2, "grpo_clip",
            advantages=adv[sl].unsqueeze(-1),  #! advantages=adv[sl],
            old_log_probs=old[sl], cliprange=0.2,
        )


# run: main()
