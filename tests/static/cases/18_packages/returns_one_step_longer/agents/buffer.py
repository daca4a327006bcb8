import torch


class RolloutBuffer:
    def __init__(self, steps, envs, obs_dim):
        self.obs = torch.zeros(steps, envs, obs_dim)
        self.actions = torch.zeros(steps, envs, dtype=torch.long)
        self.rewards = torch.zeros(steps, envs)
        self.values = torch.zeros(steps + 1, envs)
        self.dones = torch.zeros(steps, envs)
        self.steps = steps

    def add(self, t, obs, action, reward, done, value):
        self.obs[t] = obs
        self.actions[t] = action
        self.rewards[t] = reward
        self.dones[t] = done
        self.values[t] = value

    def gae(self, gamma=0.99, lam=0.95):
        advantages = torch.zeros_like(self.rewards)
        last = torch.zeros_like(self.rewards[0])
        deltas = self.rewards + gamma * self.values[1:] * (1 - self.dones) - self.values[:-1]
        for t in reversed(range(self.steps)):
            last = deltas[t] + gamma * lam * (1 - self.dones[t]) * last
            advantages[t] = last
        return advantages, advantages + self.values[:-1]  #! return advantages, advantages + self.values  # E: shape

    def flat(self, *tensors):
        return [x.flatten(0, 1) for x in (self.obs, self.actions, *tensors)]
