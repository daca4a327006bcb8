import torch.nn.functional as F
from torch import nn


class KDLoss(nn.Module):
    def __init__(self, T=4.0):
        super().__init__()
        self.T = T

    def forward(self, student, teacher):
        p = F.log_softmax(student / self.T, dim=1)
        q = F.softmax(teacher / self.T, dim=1)
        return F.kl_div(p, q, reduction="batchmean") * self.T**2


class HintLoss(nn.Module):
    def __init__(self, s_dim, t_dim):
        super().__init__()
        self.regressor = nn.Conv2d(s_dim, t_dim, 1)

    def forward(self, fs, ft):
        return F.mse_loss(self.regressor(fs), ft)
