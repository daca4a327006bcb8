import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class CRF(nn.Module):
    def __init__(self, tags: int):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(tags, tags))
        self.start = nn.Parameter(torch.randn(tags))
        self.end = nn.Parameter(torch.randn(tags))

    def log_z(self, em: Float[Tensor, "seq batch tags"], mask: Bool[Tensor, "seq batch"]) -> Float[Tensor, "batch"]:
        score = self.start + em[0]
        for i in range(1, em.shape[0]):
            nxt = torch.logsumexp(score.unsqueeze(2) + self.trans + em[i].unsqueeze(1), dim=1)
            score = torch.where(mask[i].unsqueeze(1), nxt, score)  #! score = torch.where(mask[i], nxt, score)  # E: shape
        return torch.logsumexp(score + self.end, dim=1)


# run: CRF(5).log_z(randn(6, 3, 5), torch.ones(6, 3, dtype=torch.bool))
