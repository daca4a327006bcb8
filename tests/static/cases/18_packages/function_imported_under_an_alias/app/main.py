from app import geometry as geo
from app.geometry import to_homogeneous as hom
from jaxtyping import Float
from torch import Tensor


def move(points: Float[Tensor, "n 3"], pose: Float[Tensor, "4 4"]) -> Float[Tensor, "n 3"]:
    return geo.transform(pose, hom(points))[:, :3]  #! return geo.transform(pose, points)[:, :3]  # E: shape


# run: move(randn(5, 3), randn(4, 4))
