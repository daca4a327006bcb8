from .model import Net as Net
from .types import *  # noqa: F403
