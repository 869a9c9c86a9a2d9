"""A convolutional network with orthogonal kernels, on the 8×8 digits of scikit-learn."""
import torch
from sklearn.datasets import load_digits

from landfall.torch import nn as lnn

torch.manual_seed(0)
images, labels = map(torch.tensor, load_digits(return_X_y=True))
images = images.float().reshape(-1, 1, 8, 8) / 16
train, test = slice(0, 1400), slice(1400, None)

model = torch.nn.Sequential(
    lnn.OrthogonalConv2d(1, 9, 3), torch.nn.BatchNorm2d(9), torch.nn.ReLU(),    # kernel 9×9, orthonormal rows
    lnn.OrthogonalConv2d(9, 32, 3), torch.nn.BatchNorm2d(32), torch.nn.ReLU(),  # kernel 32×81
    torch.nn.Flatten(), torch.nn.Linear(512, 10))
kernels = lnn.landing(model, lr=0.2, base="adam")                   # the constrained parameters
others = torch.optim.Adam(lnn.other_parameters(model), lr=3e-3)    # all the rest
epochs, batch = 12, 50
schedulers = [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs) for optimizer in (kernels, others)]

for epoch in range(epochs):
    for rows in torch.randperm(1400).split(batch):
        loss = torch.nn.functional.cross_entropy(model(images[train][rows]), labels[train][rows])
        kernels.zero_grad()
        others.zero_grad()
        loss.backward()
        kernels.step()
        others.step()
    for scheduler in schedulers:
        scheduler.step()

model.eval()
with torch.no_grad():
    accuracy = float((model(images[test]).argmax(1) == labels[test]).float().mean())
kernels.finish()  # the constraint to rounding error
error = max(kernels.infeasibility(layer.weight) for layer in (model[0], model[3]))
print(f"accuracy on held-out digits {accuracy:.3f}, ‖WWᵀ − I‖ {error:.0e}")
assert accuracy > 0.93 and error < 1e-5
