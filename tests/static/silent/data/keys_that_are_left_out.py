"""Batches whose keys are told apart by arguments: which of them are collated, and whether any, is for the call."""

import torch


def collate(batch: list[dict[str, list[int]]], keys_to_pad: list[str], padding: int = 0):
    to_pad = set(keys_to_pad)
    others = [k for k in batch[0].keys() if k not in to_pad]
    made = {k: torch.tensor([x[k] for x in batch]) for k in others}
    for k in to_pad:
        rows = [torch.tensor(x[k]) for x in batch]
        made[k] = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=padding)
    return made


def collate_rest(batch, left_out):
    skip = frozenset(left_out) | {"labels"}
    return {k: torch.tensor([x[k] for x in batch]) for k in batch[0] if k not in skip}


def collate_wanted(batch, wanted):
    return [torch.tensor([x[k] for x in batch]) for k in set(batch[0]) - set(wanted)]


def main():
    batch = [{"tokens": [1, 2, 3], "labels": [4, 5, 6]}, {"tokens": [4, 5, 6, 7], "labels": [8, 9, 10, 11]}]
    assert collate(batch, ["tokens", "labels"])["tokens"].shape == (2, 4)
    assert collate_rest(batch, ["tokens"]) == {}
    assert collate_wanted(batch, ["tokens", "labels"]) == []


# run: main()
