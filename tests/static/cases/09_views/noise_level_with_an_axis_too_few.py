import torch
import torch.nn.functional as F


class Diffusion:
    def __init__(self, steps=100):
        self.betas = torch.linspace(1e-4, 0.02, steps)
        self.abar = torch.cumprod(1.0 - self.betas, dim=0)

    def extract(self, a, t, shape):
        out = a.gather(0, t)
        return out.reshape(t.shape[0], *((1,) * (len(shape) - 1)))  #! return out.reshape(t.shape[0], *((1,) * (len(shape) - 2)))

    def q_sample(self, x0, t, noise):
        s = self.extract(self.abar, t, x0.shape)
        return s.sqrt() * x0 + (1 - s).sqrt() * noise

    def loss(self, model, x0):
        t = torch.randint(0, 100, (x0.shape[0],))
        noise = torch.randn_like(x0)
        return F.mse_loss(model(self.q_sample(x0, t, noise)), noise)


def main():
    d = Diffusion()
    model = torch.nn.Conv2d(3, 3, 3, padding=1)
    d.loss(model, torch.rand(8, 3, 32, 32)).backward()  # E: shape


# run: main()
