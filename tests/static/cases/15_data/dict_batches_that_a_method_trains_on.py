import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Toy(Dataset):
    def __init__(self, n, features, classes):
        self.x = torch.randn(n, features)
        self.y = torch.randint(0, classes, (n,))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


def collate(items):
    return {
        "x": torch.stack([item["x"] for item in items]),
        "y": torch.stack([item["y"] for item in items]),  #! "y": torch.stack([item["y"] for item in items]).float(),
    }


class Runner:
    def __init__(self, model, dataset):
        self.model, self.criterion = model, nn.CrossEntropyLoss()
        self.loader = DataLoader(dataset, batch_size=8, collate_fn=collate)

    def epoch(self):
        total = 0.0
        for batch in self.loader:
            loss = self.criterion(self.model(batch["x"]), batch["y"])
            loss.backward()
            total += loss.item()
        return total


def main():
    return Runner(nn.Linear(5, 3), Toy(16, 5, 3)).epoch()  # E: dtype


# run: main()
