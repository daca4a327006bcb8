import torch
import torch.distributions as D
from jaxtyping import Float
from torch import Tensor
from torch.distributions import transforms as T


def shapes(mu: Float[Tensor, "b d"], cov: Float[Tensor, "b d d"], logits: Float[Tensor, "b k"]) -> None:
    n = D.Normal(mu, 1.0)
    s1 = n.sample((5,))
    e1 = n.entropy()
    c1 = n.cdf(mu)
    q1 = n.icdf(torch.full_like(mu, 0.3))
    ind = D.Independent(n, 1)
    lp = ind.log_prob(s1)
    mvn = D.MultivariateNormal(mu, covariance_matrix=cov)
    s2 = mvn.rsample(torch.Size([3, 2]))
    lp2 = mvn.log_prob(s2)
    st = mvn.scale_tril
    pm = mvn.precision_matrix
    ent = mvn.entropy()
    cat = D.Categorical(logits=logits)
    s3 = cat.sample()
    lp3 = cat.log_prob(s3)
    pr = cat.probs
    oh = D.OneHotCategorical(logits=logits)
    s4 = oh.sample((4,))
    lp4 = oh.log_prob(s4)
    ohst = D.OneHotCategoricalStraightThrough(logits=logits).rsample()
    rel = D.RelaxedOneHotCategorical(torch.tensor(0.5), logits=logits)
    s5 = rel.rsample((2,))
    lp5 = rel.log_prob(s5)
    kl = D.kl_divergence(n, D.Normal(0.0, 1.0))
    kl2 = D.kl_divergence(ind, D.Independent(D.Normal(torch.zeros_like(mu), 1.0), 1))
    kl3 = D.kl_divergence(cat, D.Categorical(logits=torch.zeros_like(logits)))
    dir_ = D.Dirichlet(logits.exp())
    s6 = dir_.sample((3,))
    lp6 = dir_.log_prob(s6)
    mult = D.Multinomial(10, logits=logits)
    s7 = mult.sample()
    lp7 = mult.log_prob(s7)
    beta = D.Beta(mu.exp(), mu.exp())
    s8 = beta.rsample()
    m8 = beta.mean
    low = D.LowRankMultivariateNormal(mu, torch.zeros(mu.shape[0], mu.shape[1], 2), torch.ones_like(mu))
    s9 = low.sample()
    lp9 = low.log_prob(s9)
    mix = D.MixtureSameFamily(
        D.Categorical(logits=torch.zeros(3)), D.Independent(D.Normal(torch.zeros(3, 4), torch.ones(3, 4)), 1)
    )
    s10 = mix.sample((6,))
    lp10 = mix.log_prob(s10)
    mean10 = mix.mean
    td = D.TransformedDistribution(n, [T.AffineTransform(0.0, 2.0), T.TanhTransform()])
    s11 = td.rsample((2,))
    lp11 = td.log_prob(s11)
    ln = D.LogNormal(mu, 0.5).rsample()
    unif = D.Uniform(torch.zeros(3), torch.ones(3)).sample((2,))
    bern = D.Bernoulli(logits=logits)
    s12 = bern.sample()
    e12 = bern.entropy()
    poi = D.Poisson(mu.exp()).sample((7,))
    lap = D.Laplace(mu, 1.0).log_prob(mu)
    stu = D.StudentT(3.0, mu).sample()
    wis = D.Wishart(torch.tensor(6.0), torch.eye(3)).sample()
    lkj = D.LKJCholesky(3, 1.0).sample((2,))
    von = D.VonMises(torch.zeros(4), torch.ones(4)).sample()
    geo = D.Geometric(probs=torch.full((2,), 0.4)).sample((3,))
    bin_ = D.Binomial(10, logits=mu).log_prob(torch.ones_like(mu))
    ex = D.Exponential(torch.ones(2)).expand((5, 2)).rsample()
    gam = D.Gamma(mu.exp(), 1.0).rsample((1,))
    ch = D.Chi2(torch.ones(2)).mean
    bs = mvn.batch_shape
    es = mvn.event_shape
    z = torch.zeros(bs + es)
    sup = cat.enumerate_support()
    hc = D.HalfCauchy(torch.ones(2)).log_prob(torch.ones(2))
    cb = D.ContinuousBernoulli(logits=mu).rsample()
    nb = D.NegativeBinomial(5.0, logits=mu).sample()
    wb = D.Weibull(torch.ones(3), torch.ones(3)).sample()
    pt = D.Pareto(torch.ones(3), 2.0).sample()
    gb = D.Gumbel(mu, 1.0).rsample((4,))


# run: shapes(randn(2, 3), torch.eye(3).repeat(2, 1, 1), randn(2, 5))
