import math

import torch
from torch import nn

from .configuration import MiniConfig
from .outputs import ClassifierOutput, EncoderOutput


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position = nn.Embedding(config.max_position, config.hidden_size)
        self.segment = nn.Embedding(2, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.register_buffer("position_ids", torch.arange(config.max_position).expand((1, -1)), persistent=False)

    def forward(self, input_ids, token_type_ids=None):
        n = input_ids.size(1)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.word(input_ids) + self.position(self.position_ids[:, :n]) + self.segment(token_type_ids)
        return self.norm(x)


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.hidden_size % config.num_heads != 0:
            raise ValueError("hidden_size must be a multiple of num_heads")
        self.num_heads = config.num_heads
        self.head_size = config.hidden_size // config.num_heads
        self.all_head_size = self.num_heads * self.head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)

    def transpose_for_scores(self, x):
        x = x.view(x.size()[:-1] + (self.num_heads, self.head_size))
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None):
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_size)
        if attention_mask is not None:
            scores = scores + attention_mask
        context = torch.matmul(scores.softmax(dim=-1), v).permute(0, 2, 1, 3).contiguous()
        return context.view(context.size()[:-2] + (self.all_head_size,))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = SelfAttention(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(config.hidden_size), nn.LayerNorm(config.hidden_size)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dense(self.attention(x, mask)))
        return self.norm2(x + self.output(nn.functional.gelu(self.intermediate(x))))


class MiniPreTrainedModel(nn.Module):
    config_class = MiniConfig

    def __init__(self, config):
        super().__init__()
        self.config = config

    def extended_mask(self, mask):
        return (1.0 - mask[:, None, None, :].float()) * -1e4


class MiniModel(MiniPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.num_layers)])
        self.pooler = nn.Sequential(nn.Linear(config.hidden_size, config.hidden_size), nn.Tanh())

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_hidden_states=None):
        output_hidden_states = self.config.output_hidden_states if output_hidden_states is None else output_hidden_states
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        x = self.embeddings(input_ids, token_type_ids)
        mask = self.extended_mask(attention_mask)
        states = ()
        for layer in self.layers:
            if output_hidden_states:
                states = states + (x,)
            x = layer(x, mask)
        return EncoderOutput(last_hidden_state=x, hidden_states=states or None)


class MiniForClassification(MiniPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.model = MiniModel(config)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, input_ids, attention_mask=None, labels=None, **kwargs):
        outputs = self.model(input_ids, attention_mask=attention_mask, **kwargs)
        pooled = self.model.pooler(outputs.last_hidden_state[:, 0])
        logits = self.classifier(self.dropout(pooled))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.view(-1, self.config.num_labels), labels.view(-1))
        return ClassifierOutput(logits=logits, loss=loss)
