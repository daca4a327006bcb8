from torch.nn.modules.module import Module as Module
