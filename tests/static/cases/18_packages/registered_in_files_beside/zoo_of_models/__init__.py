from .registry import MODELS
from .small import Small
from .large import *
