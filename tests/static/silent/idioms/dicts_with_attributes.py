"""Dicts whose items are attributes, written in many ways, and namespaces: made, changed, held by objects."""
from types import SimpleNamespace

import torch


class Shared(dict):
    def __init__(self, *args, **kwargs):
        super(Shared, self).__init__(*args, **kwargs)
        self.__dict__ = self


class Config(dict):
    """dot.notation access to the items of a dict"""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Params(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, key, value):
        self[key] = value


class Read(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError("no such attribute: " + name)


class Upper(dict):
    def __getattr__(self, name):
        return self[name.upper()]


class Doubled(dict):
    def __getitem__(self, key):
        return 2 * dict.__getitem__(self, key)


class Nested(dict):
    def __init__(self, **kwargs):
        super().__init__(**{k: Nested(**v) if isinstance(v, dict) else v for k, v in kwargs.items()})
        self.__dict__ = self


class Held:
    def __init__(self, given: Params) -> None:
        self.ns = SimpleNamespace(x=3, y=4)
        self.fixed = Params(x=3)
        self.fixed.x = 5
        self.items = Params(x=3)
        self.given = given

    def grow(self) -> None:
        self.ns.x = 6
        self.items["x"] = 7
        self.given.x += 1

    def use(self) -> tuple[int, ...]:
        x = torch.zeros(self.ns.x, self.items.x)
        y = torch.zeros(self.fixed.x)
        assert x.shape == (self.ns.x, self.items.x) and y.shape == (5,)
        return x.shape


def widened(config: Config, by: int) -> Config:
    config.dim = config.dim * by
    return config


def main():
    a = Shared(dim=8, heads=2)
    a.dim = 16
    a["heads"] = 4
    x = torch.zeros(a.dim, a["dim"], a.heads)
    assert x.shape == (16, 16, 4)
    b = Config({"dim": 4})
    b.update(out=3)
    widened(b, 2)
    if b.missing is None:
        x = torch.zeros(b.dim, b.out)
    assert x.shape == (8, 3)
    p = Params(**{"x": 3}, y=4)
    x = torch.zeros(p.x, p.y, len(p))
    assert x.shape == (3, 4, 2) and isinstance(p, Params) and isinstance(p, dict)
    held = Held(p)
    held.grow()
    assert held.use() == (6, 7) and torch.zeros(p.x).shape == (4,)
    r = Read(x=3)
    x = torch.zeros(r.x)
    r.x = 5
    assert torch.zeros(r.x).shape == (5,) and torch.zeros(r["x"]).shape == (3,)
    u = Upper(X=3, x=4)
    assert torch.zeros(u.x).shape == (4,) or torch.zeros(u.x).shape == (3,)
    d = Doubled(x=3)
    assert torch.zeros(d["x"]).shape == (6,)
    n = Nested(model={"dim": 3}, lr=0.1)
    assert torch.zeros(n.model.dim).shape == (3,)
    for key, value in Config(a=1, b=2).items():
        assert torch.zeros(value).ndim == 1 and key
    return x


# run: main()
