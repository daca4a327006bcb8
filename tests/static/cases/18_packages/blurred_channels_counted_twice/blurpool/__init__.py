from .layers import BlurPool
