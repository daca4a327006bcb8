import argparse

import torch
from torch import nn

from kd.hooks import FeatureTap
from kd.losses import HintLoss, KDLoss
from kd.nets import model_dict


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_s", default="resnet8")
    parser.add_argument("--model_t", default="resnet14")
    parser.add_argument("--n_cls", type=int, default=10)
    parser.add_argument("--width", type=int, default=8)
    return parser.parse_args([])


def main():
    torch.manual_seed(0)
    opt = parse()
    model_s = model_dict["resnet8"](num_classes=10)
    model_t = model_dict["resnet14"](num_classes=10)
    tap_s, tap_t = FeatureTap(model_s, ["layer3"]), FeatureTap(model_t, ["layer3"])
    hint = HintLoss(32, 128)
    modules = nn.ModuleList([model_s, hint])
    optimizer = torch.optim.SGD(modules.parameters(), lr=0.05, momentum=0.9)
    x, y = torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))
    logit_s = model_s(x)
    with torch.no_grad():
        logit_t = model_t(x)  # E: shape
    loss = nn.functional.cross_entropy(logit_s, y) + KDLoss()(logit_s, logit_t)
    loss = loss + hint(tap_s.features["layer3"], tap_t.features["layer3"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# main: train_student.py
# run: main()
