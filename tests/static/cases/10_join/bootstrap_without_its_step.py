import torch


def vtrace(behaviour_logp, target_logp, rewards, values, bootstrap, gamma=0.99, rho_bar=1.0):
    rhos = (target_logp - behaviour_logp).exp()
    clipped = rhos.clamp(max=rho_bar)
    values_next = torch.cat([values[1:], bootstrap[None]], dim=0)  #! values_next = torch.cat([values[1:], bootstrap], dim=0)
    deltas = clipped * (rewards + gamma * values_next - values)
    acc = torch.zeros_like(bootstrap)
    out = []
    for t in reversed(range(rewards.shape[0])):
        acc = deltas[t] + gamma * clipped[t] * acc
        out.append(acc)
    vs = torch.stack(out[::-1]) + values
    return vs, clipped


def main():
    T, B = 20, 8
    vs, rho = vtrace(torch.randn(T, B), torch.randn(T, B), torch.randn(T, B), torch.randn(T, B), torch.randn(B))  # E: shape
    assert vs.shape == (T, B)


# run: main()
