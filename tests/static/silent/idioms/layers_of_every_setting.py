import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def convs(x: Float[Tensor, "b 8 32 24"]) -> None:
    a = nn.Conv2d(8, 12, (3, 5), stride=(2, 1), padding=(1, 2), dilation=(2, 1), groups=4)(x)
    b = nn.Conv2d(8, 12, 3, padding="same", dilation=2, padding_mode="circular")(x)
    c = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1, groups=2)(x)
    d = nn.ConvTranspose2d(8, 4, 3, stride=2)(x, output_size=(66, 49))
    e = nn.LazyConv2d(5, 3)(x)
    f = nn.LazyLinear(7)(x)
    g = nn.LazyConvTranspose2d(6, 2, 2)(x)
    h = F.conv2d(x, torch.zeros(16, 2, 3, 3), groups=4, stride=2)
    i = F.conv_transpose2d(x, torch.zeros(8, 3, 2, 2), stride=2)
    j = nn.LazyBatchNorm2d()(x)
    k = nn.GroupNorm(4, 8)(x)
    m = nn.Conv1d(8, 8, 3, groups=8)(x.flatten(2))
    n = nn.Conv3d(1, 2, (3, 1, 1), padding=(1, 0, 0))(x.unsqueeze(1))
    o = nn.PixelShuffle(2)(x)
    p = nn.PixelUnshuffle(4)(x)
    q = nn.ChannelShuffle(2)(x)
    r = nn.Unfold(3, dilation=2, padding=1, stride=2)(x)
    s = nn.Fold((32, 24), 4, stride=4)(F.unfold(x, 4, stride=4))
    t = nn.ZeroPad2d((1, 2, 3, 4))(x)
    u = F.pad(x, (1, 1, 0, 2), mode="replicate")
    v = nn.ReflectionPad2d(2)(x)
    w = nn.Upsample(scale_factor=(2, 1.5), mode="bicubic")(x)
    y = F.interpolate(x, size=(7, 9), mode="area")
    z = nn.Bilinear(24, 24, 5)(x, x)


def pools(x: Float[Tensor, "b c 33 24"], s: Float[Tensor, "b c 17"]) -> None:
    a = nn.MaxPool2d(3, 2, ceil_mode=True)(x)
    b, bi = nn.MaxPool2d((2, 3), return_indices=True)(x)
    c = nn.MaxUnpool2d((2, 3))(b, bi, output_size=x.shape)
    d = nn.AdaptiveAvgPool2d((None, 5))(x)
    e, ei = F.adaptive_max_pool2d(x, 4, return_indices=True)
    f = nn.AvgPool1d(4, stride=3, padding=1, ceil_mode=True)(s)
    g = nn.LPPool2d(2, 3, stride=2)(x)
    h = nn.FractionalMaxPool2d(2, output_ratio=0.5)(x)
    i = F.max_pool1d(s, 5, 2, dilation=2)
    j = nn.AdaptiveMaxPool1d(6)(s)
    k = F.lp_pool1d(s, 2, 3)
    m = F.avg_pool2d(x, 2, count_include_pad=False)
    n = nn.AdaptiveAvgPool3d((1, None, 3))(x.unsqueeze(2))
    o = F.max_pool2d(x, 3, stride=1, padding=1)


def recurrent(x: Float[Tensor, "b t 6"]) -> None:
    out, (h, c) = nn.LSTM(6, 8, num_layers=2, bidirectional=True, proj_size=5, batch_first=True)(x)
    o2, h2 = nn.GRU(6, 7, 2, batch_first=True, bidirectional=True)(x)
    o3, h3 = nn.RNN(6, 4, nonlinearity="relu")(x)
    h4, c4 = nn.LSTMCell(6, 3)(x[:, 0])
    h5 = nn.GRUCell(6, 9)(x[:, 0])
    packed = nn.utils.rnn.pack_sequence([torch.randn(4, 6), torch.randn(2, 6)])
    o6, h6 = nn.GRU(6, 7)(packed)
    pad, lens = nn.utils.rnn.pad_packed_sequence(o6, batch_first=True)
    seqs = nn.utils.rnn.unpad_sequence(pad, lens, batch_first=True)
    enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 12, batch_first=True), 2)(x)
    dec = nn.TransformerDecoderLayer(6, 3, batch_first=True)(x, enc)
    att, w = nn.MultiheadAttention(6, 3, batch_first=True)(x, x, x, average_attn_weights=False)
    att2, w2 = nn.MultiheadAttention(6, 3)(x, x, x, need_weights=False)
    sd = F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None, :, :4], is_causal=True)


def bags(idx: Int[Tensor, "n"], mat: Int[Tensor, "b l"]) -> None:
    bag = nn.EmbeddingBag(10, 4, mode="sum", include_last_offset=True)
    a = bag(idx, torch.tensor([0, 2, 3]))
    b = nn.EmbeddingBag(10, 4)(mat)
    c = nn.EmbeddingBag(10, 4, mode="sum")(mat, per_sample_weights=torch.ones(mat.shape))
    d = F.embedding_bag(mat, torch.randn(10, 3), mode="max")
    e = nn.Embedding.from_pretrained(torch.randn(10, 6))(mat)
    f = F.one_hot(mat, 10)
    g = nn.CosineSimilarity(dim=1)(torch.randn(3, 5), torch.randn(3, 5))
    h = nn.PairwiseDistance(keepdim=True)(torch.randn(3, 5), torch.randn(3, 5))
    i = F.gumbel_softmax(torch.randn(4, 6), hard=True)
    j = F.glu(torch.randn(4, 6), 0)
    k = nn.GLU()(torch.randn(4, 6))
    m = nn.Softmax2d()(torch.randn(2, 3, 4, 5))
    n = nn.RMSNorm(6)(torch.randn(4, 6))
    o = nn.LocalResponseNorm(2)(torch.randn(2, 3, 4, 5))
    p = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10])
    out, loss = p(torch.randn(3, 8), torch.randint(0, 20, (3,)))
    lp = p.log_prob(torch.randn(3, 8))
    pr = p.predict(torch.randn(3, 8))


# run: convs(randn(2, 8, 32, 24)), pools(randn(2, 3, 33, 24), randn(2, 3, 17))
# run: recurrent(randn(3, 5, 6)), bags(torch.tensor([1, 2, 3]), randint(0, 10, (3, 4)))
