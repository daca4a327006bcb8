from copy import deepcopy

import numpy as np
import torch

from sac_agent.buffer import ReplayBuffer
from sac_agent.core import ActorCritic


class SAC:
    def __init__(self, obs_dim, act_dim, ac_kwargs=dict(), gamma=0.99, alpha=0.2, polyak=0.995):
        self.ac = ActorCritic(obs_dim, act_dim, **ac_kwargs)
        self.ac_targ = deepcopy(self.ac)
        self.gamma, self.alpha, self.polyak = gamma, alpha, polyak
        self.q_opt = torch.optim.Adam([*self.ac.q1.parameters(), *self.ac.q2.parameters()])
        self.pi_opt = torch.optim.Adam(self.ac.pi.parameters())

    def compute_loss_q(self, data):
        o, a, r, o2, d = data["obs"], data["act"], data["rew"], data["obs2"], data["done"]
        q1, q2 = self.ac.q1(o, a), self.ac.q2(o, a)
        with torch.no_grad():
            a2, logp_a2 = self.ac.pi(o2)
            q_pi_targ = torch.min(self.ac_targ.q1(o2, a2), self.ac_targ.q2(o2, a2))
            backup = r + self.gamma * (1 - d) * (q_pi_targ - self.alpha * logp_a2)
        return ((q1 - backup) ** 2).mean() + ((q2 - backup) ** 2).mean()

    def compute_loss_pi(self, data):
        pi, logp_pi = self.ac.pi(data["obs"])
        q = torch.min(self.ac.q1(data["obs"], pi), self.ac.q2(data["obs"], pi))
        return (self.alpha * logp_pi - q).mean()

    def update(self, data):
        self.q_opt.zero_grad()
        loss_q = self.compute_loss_q(data)
        loss_q.backward()
        self.q_opt.step()
        self.pi_opt.zero_grad()
        loss_pi = self.compute_loss_pi(data)
        loss_pi.backward()
        self.pi_opt.step()
        with torch.no_grad():
            for p, pt in zip(self.ac.parameters(), self.ac_targ.parameters()):
                pt.data.mul_(self.polyak).add_((1 - self.polyak) * p.data)
        return loss_q.item() + loss_pi.item()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    obs_dim, act_dim = 5, 2
    agent = SAC(obs_dim, act_dim)
    buf = ReplayBuffer(obs_dim, act_dim, 100)
    o = np.random.randn(obs_dim)
    for _ in range(40):
        a = agent.ac.act(torch.as_tensor(o, dtype=torch.float32)[None])[0]  #! a = agent.ac.act(torch.as_tensor(o))[0]  # E: dtype
        o2 = np.random.randn(obs_dim)
        buf.store(o, a, np.random.rand(), o2, False)
        o = o2
    return agent.update(buf.sample_batch(16))


# main: sac_agent/sac.py
# run: main()
