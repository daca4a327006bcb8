from .transforms import Compose, Normalise, RandomFlip, ToTensor
