import torch
from torch import Tensor, nn
from jaxtyping import Float
def probe(model: nn.Module, layer: nn.Linear, x: Float[Tensor, "b d"], direction: Float[Tensor, "h"]) -> Float[Tensor, "b"]:
    acts: list[Float[Tensor, "b h"]] = []
    handle = layer.register_forward_hook(lambda m, i, o: acts.append(o))
    model(x)
    handle.remove()
    return acts[0] @ direction  #! return direction @ acts[0]  # E: shape


# run: m = nn.Sequential(nn.Linear(3, 5), nn.ReLU())
# run: probe(m, m[0], randn(2,3), randn(5))
