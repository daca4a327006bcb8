import torch
import torch.nn.functional as F
from torch import nn


class CharTokenizer:
    pad_token_id = 0

    def __call__(self, text):
        return [1 + (ord(c) % 40) for c in text]


def tokenize_prompt_and_output(prompts, outputs, tokenizer):
    rows, masks = [], []
    for p, o in zip(prompts, outputs):
        p_ids, o_ids = tokenizer(p), tokenizer(o)
        rows.append(torch.tensor(p_ids + o_ids))
        masks.append(torch.tensor([False] * len(p_ids) + [True] * len(o_ids)))
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=tokenizer.pad_token_id)
    mask = nn.utils.rnn.pad_sequence(masks, batch_first=True, padding_value=False)
    return {"input_ids": ids[:, :-1], "labels": ids[:, 1:], "response_mask": mask[:, 1:]}


def compute_entropy(logits):
    logp = F.log_softmax(logits, dim=-1)
    return -(logp.exp() * logp).sum(-1)


def get_response_log_probs(model, input_ids, labels, return_entropy=False):
    logits = model(input_ids)
    logp = F.log_softmax(logits, dim=-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)  #! logp = F.log_softmax(logits, dim=-1).gather(-1, labels).squeeze(-1)
    out = {"log_probs": logp}
    if return_entropy:
        out["token_entropy"] = compute_entropy(logits)
    return out


def masked_normalize(tensor, mask, constant, dim=None):
    masked = tensor * mask
    return masked.sum() / constant if dim is None else masked.sum(dim) / constant


def group_normalized_rewards(rewards, group_size, eps=1e-6):
    groups = rewards.view(-1, group_size)
    mean, std = groups.mean(1, keepdim=True), groups.std(1, keepdim=True)
    return ((groups - mean) / (std + eps)).flatten()


def clip_loss(advantages, log_probs, old_log_probs, eps):
    ratio = (log_probs - old_log_probs).exp()
    a = advantages * ratio
    return -torch.minimum(a, ratio.clamp(1 - eps, 1 + eps) * advantages)


class TinyLM(nn.Module):
    def __init__(self, vocab=42, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def main():
    torch.manual_seed(0)
    model = TinyLM()
    prompts, outputs = ["2+2=", "9*3=", "1-1=", "6/3=", "8-5=", "4+6="], ["4", "27", "0", "2", "3", "10"]
    batch = tokenize_prompt_and_output(prompts, outputs, CharTokenizer())
    old = get_response_log_probs(model, batch["input_ids"], batch["labels"])["log_probs"].detach()  # E: shape
    new = get_response_log_probs(model, batch["input_ids"], batch["labels"], return_entropy=True)  # e: shape
    rewards = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    adv = group_normalized_rewards(rewards, 2)
    per_token = clip_loss(adv.unsqueeze(1), new["log_probs"], old, 0.2)
    loss = masked_normalize(per_token, batch["response_mask"], 4.0, dim=1).mean()
    loss.backward()
    return loss.item() + new["token_entropy"].mean().item()


# run: main()
