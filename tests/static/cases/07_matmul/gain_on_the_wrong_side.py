import torch


class Kalman:
    def __init__(self, F, H, Q, R):
        self.F, self.H, self.Q, self.R = F, H, Q, R

    def predict(self, x, P):
        return self.F @ x, self.F @ P @ self.F.T + self.Q

    def update(self, x, P, z):
        S = self.H @ P @ self.H.T + self.R
        K = P @ self.H.T @ torch.linalg.inv(S)
        x = x + K @ (z - self.H @ x)
        P = (torch.eye(P.shape[0]) - K @ self.H) @ P  #! P = (torch.eye(P.shape[0]) - self.H @ K) @ P
        return x, P


def main():
    dt = 0.1
    F = torch.tensor([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
    H = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0]])
    kf = Kalman(F, H, 0.01 * torch.eye(4), 0.1 * torch.eye(2))
    x, P = torch.zeros(4), torch.eye(4)
    for z in torch.randn(20, 2):
        x, P = kf.predict(x, P)
        x, P = kf.update(x, P, z)  # E: shape
    return x


# run: main()
