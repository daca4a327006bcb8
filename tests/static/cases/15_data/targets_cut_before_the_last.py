import torch
import torch.nn as nn
from torch.nn import functional as F

batch_size, block_size, n_embd = 4, 8, 16
torch.manual_seed(1337)
text = "First Citizen: before we proceed any further, hear me speak. All: speak, speak. " * 4
chars = sorted(list(set(text)))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: "".join([itos[i] for i in l])

data = torch.tensor(encode(text), dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]


def get_batch(split):
    data = train_data if split == "train" else val_data
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in ix])  #! y = torch.stack([data[i + 1 : i + block_size] for i in ix])
    return x, y


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(vocab_size, n_embd)
        self.position = nn.Embedding(block_size, n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.token(idx) + self.position(torch.arange(T))
        logits = self.lm_head(x)
        if targets is None:
            return logits, None
        B, T, C = logits.shape
        loss = F.cross_entropy(logits.view(B * T, C), targets.view(B * T))
        return logits, loss

    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -block_size:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


model = Bigram()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(2):
    xb, yb = get_batch("train")
    logits, loss = model(xb, yb)  # E: shape
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
out = model.generate(torch.zeros((1, 1), dtype=torch.long), 5)[0]
print(decode(out.tolist()), loss.item())


def main():
    return loss.item()


# run: main()
