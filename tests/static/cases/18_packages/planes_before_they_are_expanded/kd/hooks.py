class FeatureTap:
    def __init__(self, model, names):
        self.features = {}
        for name, module in model.named_modules():
            if name in names:
                module.register_forward_hook(self._save(name))

    def _save(self, name):
        def hook(module, inputs, output):
            self.features[name] = output

        return hook
