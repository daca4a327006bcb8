import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from agents.base import Agent, EnvSpec
from agents.buffer import RolloutBuffer


class PPO(Agent):
    def __init__(self, spec, clip=0.2, **kwargs):
        super().__init__(spec, **kwargs)
        self.policy = nn.Linear(self.hidden, spec.action_dim)
        self.value = nn.Linear(self.hidden, 1)
        self.clip = clip

    def evaluate(self, obs):
        h = self.trunk(obs)
        return torch.distributions.Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)

    def act(self, obs: Float[Tensor, "envs obs"]) -> tuple[Int[Tensor, "envs"], Float[Tensor, "envs"], Float[Tensor, "envs"]]:
        dist, value = self.evaluate(obs)
        action = dist.sample()
        return action, dist.log_prob(action), value

    def loss(self, batch):
        obs, actions, old, advantages, returns = batch
        dist, value = self.evaluate(obs)
        ratio = (dist.log_prob(actions) - old).exp()
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip) * advantages
        policy = -torch.min(ratio * advantages, clipped).mean()
        return policy + F.mse_loss(value, returns) - 0.01 * dist.entropy().mean()


def main():
    steps, envs = 6, 3
    spec = EnvSpec(obs_dim=5, action_dim=4)
    agent = PPO(spec, hidden=20, depth=3)
    buffer = RolloutBuffer(steps, envs, spec.obs_dim)
    old = torch.zeros(steps, envs)
    obs = torch.randn(envs, spec.obs_dim)
    for t in range(steps):
        with torch.no_grad():
            action, logp, value = agent.act(obs)
        nxt, reward, done = torch.randn(envs, spec.obs_dim), torch.randn(envs), torch.zeros(envs)
        buffer.add(t, obs, action, reward, done, value)
        old[t] = logp
        obs = nxt
    advantages, returns = buffer.gae()
    loss = agent.loss(buffer.flat(old, advantages, returns))
    loss.backward()
    return loss.item()


# run: main()
