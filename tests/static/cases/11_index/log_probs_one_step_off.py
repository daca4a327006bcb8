import torch
import torch.nn.functional as F


def sequence_logp(model, ids, prompt_len):
    logits = model(ids)
    logp = F.log_softmax(logits[:, :-1], dim=-1)  #! logp = F.log_softmax(logits, dim=-1)
    tgt = ids[:, 1:]
    tok = torch.gather(logp, 2, tgt.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(logp.shape[1]) >= prompt_len - 1
    return (tok * mask).sum(-1)


def dpo_loss(pi_c, pi_r, ref_c, ref_r, beta=0.1):
    margin = (pi_c - ref_c) - (pi_r - ref_r)
    return -F.logsigmoid(beta * margin).mean()


def main():
    torch.manual_seed(0)
    policy = torch.nn.Sequential(torch.nn.Embedding(40, 16), torch.nn.Linear(16, 40))
    ref = torch.nn.Sequential(torch.nn.Embedding(40, 16), torch.nn.Linear(16, 40))
    chosen = torch.randint(0, 40, (3, 12))
    rejected = torch.randint(0, 40, (3, 12))
    pc, pr = sequence_logp(policy, chosen, 4), sequence_logp(policy, rejected, 4)  # E: shape
    with torch.no_grad():
        rc, rr = sequence_logp(ref, chosen, 4), sequence_logp(ref, rejected, 4)  # E: shape
    loss = dpo_loss(pc, pr, rc, rr)
    loss.backward()


# run: main()
