LOSSES = {}


def register(name):
    def wrap(f):
        LOSSES[name] = f
        return f
    return wrap


def get_loss(name):
    if name not in LOSSES:
        raise KeyError(name)
    return LOSSES[name]


from . import focal, plain  # noqa: E402
