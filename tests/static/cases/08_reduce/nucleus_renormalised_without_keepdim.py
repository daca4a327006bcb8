import torch


def softmax(x, dim=-1, temperature=1.0):
    x = x / temperature
    x = x - x.amax(dim, keepdim=True)
    return x.exp() / x.exp().sum(dim, keepdim=True)


def sample_top_p(probs, p):
    sorted_probs, idx = torch.sort(probs, dim=-1, descending=True)
    cum = torch.cumsum(sorted_probs, dim=-1)
    keep = cum - sorted_probs < p
    sorted_probs = sorted_probs * keep
    sorted_probs = sorted_probs / sorted_probs.sum(-1, keepdim=True)  #! sorted_probs = sorted_probs / sorted_probs.sum(-1)
    choice = torch.multinomial(sorted_probs, 1)
    return idx.gather(-1, choice)


@torch.no_grad()
def generate(model, prompt, max_new_tokens, p=0.9, temperature=0.8, context_length=16):
    ids = prompt
    for _ in range(max_new_tokens):
        logits = model(ids[:, -context_length:])[:, -1]
        nxt = sample_top_p(softmax(logits, temperature=temperature), p)
        ids = torch.cat([ids, nxt], dim=1)
    return ids


def main():
    model = torch.nn.Sequential(torch.nn.Embedding(30, 8), torch.nn.Linear(8, 30))
    prompt = torch.randint(0, 30, (3, 5))
    return generate(model, prompt, 4)  # E: shape


# run: main()
