import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable
from torch.nn.parameter import Parameter


class Encoder(nn.Module):
    def __init__(self, width, hidden):
        super(Encoder, self).__init__()
        self.weight = Parameter(torch.FloatTensor(width, hidden))
        self.norm = nn.BatchNorm1d(hidden)


class Graph(Encoder):
    def __init__(self, width, hidden, classes):
        super(Graph, self).__init__(width, hidden)
        self.out = nn.Linear(hidden, classes)  #! self.out = nn.Linear(width, classes)

    def forward(self, x, adjacency):
        support = torch.mm(x, self.weight)
        return self.out(F.relu(self.norm(torch.spmm(adjacency, support))))  # e: shape


def run():
    x = Variable(torch.Tensor(10, 16).normal_())
    return Graph(16, 8, 4)(x, torch.eye(10))  # E: shape


# run: run()
