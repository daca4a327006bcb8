import torch


def tokenize_prompt_and_output(prompts, outputs, tokenizer, pad=0):
    rows, masks = [], []
    for p, o in zip(prompts, outputs):
        a, b = tokenizer(p), tokenizer(o)
        rows.append(torch.tensor(a + b))
        masks.append(torch.tensor([0] * len(a) + [1] * len(b), dtype=torch.bool))
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    mask = torch.nn.utils.rnn.pad_sequence(masks, batch_first=True)
    return {"input_ids": ids[:, :-1], "labels": ids[:, 1:], "response_mask": mask[:, 1:]}
