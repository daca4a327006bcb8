import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, d_in: int = 784, hidden: int = 64):
        super().__init__()
        self.fc1 = nn.Linear(d_in, hidden)
        self.fc2 = nn.Linear(hidden, 10)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b 10"]:
        return self.fc2(torch.relu(self.fc1(x)))


def main():
    ds = TensorDataset(torch.rand(256, 1, 28, 28), torch.randint(10, (256,)))
    loader = DataLoader(ds, batch_size=32, shuffle=True, drop_last=True)
    net = Net()
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(1):
        for i, (images, labels) in enumerate(loader):
            logits = net(images.view(images.size(0), -1))  #! logits = net(images)  # E: shape
            loss = nn.functional.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()


# run: main()
