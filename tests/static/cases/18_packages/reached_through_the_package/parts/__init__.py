"""What the model is made of."""

from . import layers
