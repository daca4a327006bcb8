import torch


def log_softmax(x, dim=-1):
    x = x - x.max(dim=dim, keepdim=True).values
    return x - torch.log(torch.sum(torch.exp(x), dim=dim, keepdim=True))


def cross_entropy(inputs, targets):
    negative = -log_softmax(inputs)
    return torch.mean(torch.gather(negative, -1, targets.unsqueeze(-1)))
