import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from align.logprobs import masked_mean, response_log_probs
from align.tokenize import tokenize_prompt_and_output


def group_advantages(rewards: Float[Tensor, "n"], group_size: int, eps: float = 1e-6, normalize: bool = True) -> Float[Tensor, "n"]:
    grouped = rewards.view(-1, group_size)
    advantages = grouped - grouped.mean(dim=1, keepdim=True)
    if normalize:
        advantages = advantages / (grouped.std(dim=1, keepdim=True) + eps)
    return advantages.flatten()


def grpo_clip(advantages: Float[Tensor, "b 1"], logp: Float[Tensor, "b s"], old: Float[Tensor, "b s"], clip: float = 0.2) -> Float[Tensor, "b s"]:
    ratio = (logp - old).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def microbatch_step(model, batch, advantages: Float[Tensor, "b"], old: Float[Tensor, "b s"], mask: Bool[Tensor, "b s"]):
    out = response_log_probs(model, batch["input_ids"], batch["labels"], with_entropy=True)
    loss = grpo_clip(advantages[:, None], out["log_probs"], old)  #! loss = grpo_clip(advantages, out["log_probs"], old)  # E: shape
    loss = masked_mean(loss, mask, dim=1).mean()
    loss.backward()
    return loss, masked_mean(out["entropy"].detach(), mask)


def main():
    tok = lambda s: [ord(c) % 29 + 1 for c in s]
    prompts = ["1+1=", "2+2=", "1+1=", "2+2="]
    outputs = ["2", "4.", "3", "four"]
    batch = tokenize_prompt_and_output(prompts, outputs, tok)
    model = nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 30))
    with torch.no_grad():
        old = response_log_probs(model, batch["input_ids"], batch["labels"])["log_probs"]
    rewards = torch.tensor([1.0, 1.0, 0.0, 0.0])
    advantages = group_advantages(rewards, group_size=2)
    loss, h = microbatch_step(model, batch, advantages, old, batch["response_mask"])
    return loss.item()


# main: align/grpo.py
# run: main()
