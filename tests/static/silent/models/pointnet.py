"""Point clouds: farthest-point sampling, ball queries, set abstraction and feature propagation."""

from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def square_distance(src: Float[Tensor, "b n c"], dst: Float[Tensor, "b m c"]) -> Float[Tensor, "b n m"]:
    dist = -2 * torch.matmul(src, dst.permute(0, 2, 1))
    dist += torch.sum(src**2, -1).unsqueeze(-1)
    dist += torch.sum(dst**2, -1).unsqueeze(-2)
    return dist


def index_points(points: Float[Tensor, "b n c"], idx: Int[Tensor, "b *s"]) -> Float[Tensor, "b *s c"]:
    B = points.shape[0]
    view_shape = list(idx.shape)
    view_shape[1:] = [1] * (len(view_shape) - 1)
    repeat_shape = list(idx.shape)
    repeat_shape[0] = 1
    batch = torch.arange(B, dtype=torch.long).view(view_shape).repeat(repeat_shape)
    return points[batch, idx, :]


def farthest_point_sample(xyz: Float[Tensor, "b n 3"], npoint: int) -> Int[Tensor, "b {npoint}"]:
    B, N, C = xyz.shape
    centroids = torch.zeros(B, npoint, dtype=torch.long)
    distance = torch.ones(B, N) * 1e10
    farthest = torch.randint(0, N, (B,), dtype=torch.long)
    batch = torch.arange(B, dtype=torch.long)
    for i in range(npoint):
        centroids[:, i] = farthest
        centroid = xyz[batch, farthest, :].view(B, 1, 3)
        dist = torch.sum((xyz - centroid) ** 2, -1)
        distance = torch.min(distance, dist)
        farthest = torch.max(distance, -1)[1]
    return centroids


def ball_query(
    radius: float, nsample: int, xyz: Float[Tensor, "b n 3"], new_xyz: Float[Tensor, "b s 3"]
) -> Int[Tensor, "b s {nsample}"]:
    B, N, _ = xyz.shape
    S = new_xyz.shape[1]
    group_idx = torch.arange(N).view(1, 1, N).repeat([B, S, 1])
    sqrdists = square_distance(new_xyz, xyz)
    group_idx[sqrdists > radius**2] = N
    group_idx = group_idx.sort(dim=-1)[0][:, :, :nsample]
    group_first = group_idx[:, :, 0].view(B, S, 1).repeat([1, 1, nsample])
    mask = group_idx == N
    group_idx[mask] = group_first[mask]
    return group_idx.clamp(max=N - 1)


class SetAbstraction(nn.Module):
    def __init__(self, npoint: int, radius: float, nsample: int, in_channel: int, mlp: list[int]) -> None:
        super().__init__()
        self.npoint, self.radius, self.nsample = npoint, radius, nsample
        self.convs = nn.ModuleList()
        self.bns = nn.ModuleList()
        last = in_channel + 3
        for out in mlp:
            self.convs.append(nn.Conv2d(last, out, 1))
            self.bns.append(nn.BatchNorm2d(out))
            last = out

    def forward(
        self, xyz: Float[Tensor, "b n 3"], features: Float[Tensor, "b n c"]
    ) -> tuple[Float[Tensor, "b s 3"], Float[Tensor, "b s d"]]:
        idx = farthest_point_sample(xyz, self.npoint)
        new_xyz = index_points(xyz, idx)
        group = ball_query(self.radius, self.nsample, xyz, new_xyz)
        grouped_xyz = index_points(xyz, group) - new_xyz.unsqueeze(2)
        grouped = torch.cat([grouped_xyz, index_points(features, group)], dim=-1)
        x = grouped.permute(0, 3, 2, 1)
        for conv, bn in zip(self.convs, self.bns):
            x = F.relu(bn(conv(x)))
        x = torch.max(x, 2)[0]
        return new_xyz, x.permute(0, 2, 1)


class FeaturePropagation(nn.Module):
    def __init__(self, in_channel: int, out_channel: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Conv1d(in_channel, out_channel, 1), nn.BatchNorm1d(out_channel), nn.ReLU())

    def forward(
        self,
        xyz1: Float[Tensor, "b n 3"],
        xyz2: Float[Tensor, "b s 3"],
        points1: Float[Tensor, "b n c1"],
        points2: Float[Tensor, "b s c2"],
    ) -> Float[Tensor, "b n out_channel"]:
        dists, idx = square_distance(xyz1, xyz2).sort(dim=-1)
        dists, idx = dists[:, :, :3], idx[:, :, :3]
        recip = 1.0 / (dists + 1e-8)
        weight = recip / torch.sum(recip, dim=2, keepdim=True)
        interpolated = torch.sum(index_points(points2, idx) * weight.unsqueeze(-1), dim=2)
        merged = torch.cat([points1, interpolated], dim=-1)
        return self.mlp(merged.transpose(1, 2)).transpose(1, 2)


class TNet(nn.Module):
    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k
        self.conv = nn.Conv1d(k, 17, 1)
        self.fc = nn.Linear(17, k * k)

    def forward(self, x: Float[Tensor, "b n k"]) -> Float[Tensor, "b k k"]:
        h = F.relu(self.conv(x.transpose(2, 1)))
        h = torch.max(h, 2, keepdim=True)[0].view(-1, 17)
        identity = torch.eye(self.k).flatten().expand(x.shape[0], -1)
        return (self.fc(h) + identity).view(-1, self.k, self.k)


def orthogonality(trans: Float[Tensor, "b k k"]) -> Float[Tensor, ""]:
    eye = torch.eye(trans.size(1))[None]
    return torch.mean(torch.norm(torch.bmm(trans, trans.transpose(2, 1)) - eye, dim=(1, 2)))


class PartSegmenter(nn.Module):
    def __init__(self, classes: int, in_channel: int) -> None:
        super().__init__()
        self.align = TNet(3)
        self.sa = SetAbstraction(7, 0.8, 5, in_channel, [11, 13])
        self.fp = FeaturePropagation(in_channel + 13, 19)
        self.head = nn.Linear(19, classes)

    def forward(
        self, xyz: Float[Tensor, "b n 3"], features: Float[Tensor, "b n in_channel"]
    ) -> tuple[Float[Tensor, "b n classes"], Float[Tensor, ""]]:
        trans = self.align(xyz)
        xyz = torch.bmm(xyz, trans)
        centres, pooled = self.sa(xyz, features)
        x = self.fp(xyz, centres, features, pooled)
        return F.log_softmax(self.head(x), dim=-1), orthogonality(trans)


# run: logp, reg = PartSegmenter(6, 4)(randn(2, 23, 3), randn(2, 23, 4))
# run: F.nll_loss(logp.transpose(1, 2), randint(0, 6, (2, 23))) + reg
