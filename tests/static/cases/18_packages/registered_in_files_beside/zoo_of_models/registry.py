class Registry:
    def __init__(self):
        self.table = {}

    def register(self, name=None):
        def wrap(cls):
            self.table[name or cls.__name__] = cls
            return cls
        return wrap

    def build(self, name, **kw):
        return self.table[name](**kw)


MODELS = Registry()
