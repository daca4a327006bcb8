settings = {"dim": 4, "widths": [8, 8]}
blocks = {}


def block(name):
    def keep(cls):
        blocks[name] = cls
        return cls

    return keep
