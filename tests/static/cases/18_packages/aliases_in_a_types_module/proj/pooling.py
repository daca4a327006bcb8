from proj import types as t


def mean_pool(x: t.Hidden) -> t.Pooled:
    return x.mean(dim=1)  #! return x.mean(dim=2)  # E: shape


# run: mean_pool(randn(2, 3, 5))
