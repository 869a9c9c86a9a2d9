"""Deep CCA: two networks whose outputs are maximally correlated, on two nonlinear views of the same hidden variables."""
import torch

from landfall.torch import nn as lnn

torch.manual_seed(0)
hidden = torch.randn(6000, 2)
left = torch.cat([hidden + 0.1 * torch.randn(6000, 2), torch.randn(6000, 4)], 1)                  # six columns, two informative
right = torch.cat([hidden.abs() + 0.1 * torch.randn(6000, 2), torch.randn(6000, 4)], 1)           # not linear in the left ones


def network():
    return torch.nn.Sequential(torch.nn.Linear(6, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))


train, test = slice(0, 5000), slice(5000, None)
f, g = network(), network()
head = lnn.CCAHead(10, 10, components=2)                         # u and v, with the covariances of the features as metrics
heads = lnn.landing(head, lr=0.2, base="adam")
networks = torch.optim.Adam([*f.parameters(), *g.parameters()], lr=1e-3)

for epoch in range(8):
    for rows in torch.randperm(5000).split(100):
        loss = head.loss(f(left[train][rows]), g(right[train][rows]))  # one backward for heads and networks
        heads.zero_grad()
        networks.zero_grad()
        loss.backward()
        heads.step()
        networks.step()

with torch.no_grad():
    linear = lnn.canonical_correlations(left[test], right[test])[:2].sum()
    deep = lnn.canonical_correlations(*head(f(left[test]), g(right[test]))).sum()
print(f"total correlation of two pairs on held-out rows: linear CCA {linear:.3f}, deep CCA {deep:.3f}")
assert deep > linear + 0.05
