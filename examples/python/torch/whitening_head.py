"""A linear layer with white outputs, trained on an endless stream: the directions of largest kurtosis (one-unit ICA)."""
import torch

from landfall.torch import Landing, Rows

torch.manual_seed(0)
mixing = torch.randn(8, 8)


def batch(rows=256):
    """Eight mixtures of two heavy-tailed and six Gaussian sources."""
    sources = torch.randn(rows, 8)
    uniform = torch.rand(rows, 2) - 0.5
    sources[:, :2] = -uniform.sign() * torch.log1p(-2 * uniform.abs()) / 2 ** 0.5  # Laplace, variance 1
    return sources @ mixing.T + 5, sources


weight = torch.nn.Parameter(torch.randn(8, 2))              # any start of full rank
optimizer = Landing([weight], lr=0.2, base="adam")
metric = optimizer.constrain(weight, Rows(ridge=1e-6))      # weightᵀ S weight = I, S the running covariance of the rows
steps = 1500
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)

for step in range(steps):
    rows, _ = batch()
    metric.update(rows)
    outputs = (rows - metric.mean) @ weight
    loss = torch.log(torch.cosh(outputs)).sum(1).mean()     # small for heavy tails at variance 1
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

rows, sources = batch(20000)
with torch.no_grad():
    outputs = (rows - metric.mean) @ weight
covariance = torch.cov(outputs.T)
agreement = torch.corrcoef(torch.cat([outputs, sources[:, :2]], 1).T)[:2, 2:].abs().amax(1)
print(f"variances {covariance.diagonal().tolist()}, correlation {float(covariance[0, 1]):.3f}, with the sources {agreement.tolist()}")
assert float((covariance - torch.eye(2)).norm()) < 0.15 and float(agreement.min()) > 0.9
