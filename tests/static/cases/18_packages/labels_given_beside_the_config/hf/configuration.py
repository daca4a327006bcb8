class PretrainedConfig:
    def __init__(self, **kwargs):
        self.output_hidden_states = kwargs.pop("output_hidden_states", False)
        for key, value in kwargs.items():
            setattr(self, key, value)


class MiniConfig(PretrainedConfig):
    model_type = "mini"

    def __init__(self, vocab_size=60, hidden_size=24, num_layers=2, num_heads=3, intermediate_size=48, max_position=20, num_labels=4, **kwargs):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.intermediate_size = intermediate_size
        self.max_position = max_position
        self.num_labels = num_labels
        super().__init__(**kwargs)
