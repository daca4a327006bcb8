from typedtorch import accounting as accounting
from typedtorch import data as data
from typedtorch import functional as functional
from typedtorch import losses as losses
from typedtorch import nn as nn
from typedtorch import optim as optim
from typedtorch import runtime as runtime
from typedtorch import shapes as shapes
from typedtorch import training as training
from typedtorch.accounting import account as account
from typedtorch.accounting import mfu as mfu
from typedtorch.nn import Module as Module
from typedtorch.runtime import checking as checking
from typedtorch.runtime import typed as typed
from typedtorch.training import TrainConfig as TrainConfig
from typedtorch.training import Trainer as Trainer
from typedtorch.training import train as train

__version__: str
