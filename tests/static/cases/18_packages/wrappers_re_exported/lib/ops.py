from lib import Float, Tensor


def gram(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n n"]:
    return x @ x.mT  #! return x.mT @ x  # E: shape


# run: gram(randn(2, 3, 5))
