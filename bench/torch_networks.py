#!/usr/bin/python3
"""bench/torch_networks.py [cnn|cca|all] [SEEDS]: networks with constrained parameters on MNIST, one thread, seconds of the processor.

cnn   a small convolutional network, two epochs: orthogonal kernels by Landing (lr 0.2) and the rest by Adam, against Adam for
      everything; the learning rate of Adam is the best of 8 for the unconstrained network and is used for both.
cca   deep CCA of the left and right halves of the images, two epochs: heads by Landing (lr 0.2), against the whitened loss and
      CCA-EY with the same networks, the best of 8 learning rates of Adam for each, and as many steps as
      fit in the time that Landing takes for two epochs.
"""
import sys
import time

from peers import limit_threads

limit_threads(1)  # before torch loads BLAS

import torch

import torch_data
from landfall.torch import nn as lnn

LR = 0.2
RATES = [1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 6e-3, 1e-2, 3e-2]
BATCH, EPOCHS = 128, 2


def batches(count, seed):
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield from (rows for rows in torch.randperm(count, generator=generator).split(BATCH) if len(rows) == BATCH)


def decayed(optimizers, steps):
    """A linear decay of every learning rate to 0 over the planned steps."""
    return [torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps)) for optimizer in optimizers]


def train(optimizers, loss_of, count, seed, steps=None):
    """Runs the steps, by default those of the planned epochs. Returns steps and seconds."""
    steps = steps or EPOCHS * (count // BATCH)
    schedulers = decayed(optimizers, steps)
    begin = time.process_time()
    for _, rows in zip(range(steps), batches(count, seed)):
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss_of(rows).backward()
        for optimizer, scheduler in zip(optimizers, schedulers):
            optimizer.step()
            scheduler.step()
    return steps, time.process_time() - begin


def cnn(constrained):
    conv = lnn.OrthogonalConv2d if constrained else torch.nn.Conv2d
    return torch.nn.Sequential(conv(1, 16, 5, stride=2), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
                               conv(16, 32, 5, stride=2), torch.nn.BatchNorm2d(32), torch.nn.ReLU(),
                               torch.nn.Flatten(), torch.nn.Linear(512, 10))


def run_cnn(constrained, rate, seed, data):
    torch.manual_seed(seed)
    (images, labels), (test_images, test_labels) = data
    model = cnn(constrained)
    optimizers = [torch.optim.Adam(lnn.other_parameters(model), rate)]
    if constrained:
        optimizers.append(lnn.landing(model, LR, base="adam"))
    _, seconds = train(optimizers, lambda rows: torch.nn.functional.cross_entropy(model(images[rows, None]), labels[rows]),
                       len(images), seed)
    model.eval()
    with torch.no_grad():
        accuracy = float((model(test_images[:, None]).argmax(1) == test_labels).float().mean())
    error = max(optimizers[1].infeasibility(p) for p in optimizers[1].param_groups[0]["params"]) if constrained else 0
    return accuracy, seconds, error


def compare_cnn(seeds):
    data = torch_data.mnist("train"), torch_data.mnist("t10k")
    tuned = {rate: run_cnn(False, rate, 100, data)[0] for rate in RATES}
    rate = max(tuned, key=tuned.get)
    print(f"unconstrained Adam, best of {len(RATES)} learning rates: {rate:g}")
    gaps, ratios = [], []
    for seed in range(seeds):
        free, ours = run_cnn(False, rate, seed, data), run_cnn(True, rate, seed, data)
        print(f"seed {seed}: unconstrained {100 * free[0]:.2f} % in {free[1]:.1f} s, orthogonal {100 * ours[0]:.2f} % in "
              f"{ours[1]:.1f} s, ‖XᵀX − I‖ {ours[2]:.1e}", flush=True)
        gaps.append(100 * (free[0] - ours[0]))
        ratios.append(ours[1] / free[1])
    print(f"measured torch_cnn_accuracy_lost {sum(gaps) / seeds:.3f}\nmeasured torch_cnn_time {min(ratios):.3f}\n"
          f"measured torch_cnn_infeasibility {ours[2]:.2e}")


FEATURES = 50  # outputs of each network, as in Andrew et al. (2013)


def view(width=64, features=None):
    features = features or FEATURES
    return torch.nn.Sequential(torch.nn.Linear(392, width), torch.nn.ReLU(), torch.nn.Linear(width, features))


def inverse_root(covariance):
    values, vectors = torch.linalg.eigh(covariance)
    return vectors @ (vectors / values.sqrt()).T


def whitened_loss(f, g, components, ridge):
    """Andrew et al. (2013): minus the sum of the leading singular values of S_f^(−½) S_fg S_g^(−½), of the batch."""
    f, g = f - f.mean(0), g - g.mean(0)
    freedom = len(f) - 1
    eye = torch.eye(f.shape[1])
    t = inverse_root(f.T @ f / freedom + ridge * eye) @ (f.T @ g / freedom) @ inverse_root(g.T @ g / freedom + ridge * eye)
    return -torch.linalg.svdvals(t)[:components].sum()


def ey_loss(f, g, components, ridge):
    """CCA-EY (Chapman et al., 2024) of the first `components` outputs: −2 tr C + ‖V‖², two halves of the batch for V."""
    f, g = f[:, :components], g[:, :components]
    f, g = f - f.mean(0), g - g.mean(0)
    half = len(f) // 2

    def variance(a, b):
        return (a.T @ a + b.T @ b) / (2 * len(a)) + ridge * torch.eye(components)

    return -2 * (f * g).sum() / len(f) + (variance(f[:half], g[:half]) * variance(f[half:], g[half:])).sum()


def run_cca(loss_name, rate, seed, data, steps=None, components=FEATURES, ridge=1e-3):
    torch.manual_seed(seed)
    (left, right), (test_left, test_right) = data
    f, g = view(), view()
    networks = torch.optim.Adam([*f.parameters(), *g.parameters()], rate)
    optimizers = [networks]
    if loss_name == "landing":
        head = lnn.CCAHead(FEATURES, FEATURES, components, ridge)
        optimizers.append(lnn.landing(head, LR, base="adam"))
        loss_of = lambda rows: head.loss(f(left[rows]), g(right[rows]))
    else:
        loss = whitened_loss if loss_name == "whitened" else ey_loss
        loss_of = lambda rows: loss(f(left[rows]), g(right[rows]), components, ridge)
    steps, seconds = train(optimizers, loss_of, len(left), seed, steps)
    with torch.no_grad():
        scores = f(test_left), g(test_right)
        if loss_name == "landing":
            scores = head(*scores)
        elif loss_name == "ey":
            scores = scores[0][:, :components], scores[1][:, :components]
        else:  # the leading canonical directions of the training rows
            scores = leading(f, g, left, right, scores, components, ridge)
        finite = all(bool(torch.isfinite(view).all()) for view in scores)
        total = float(lnn.canonical_correlations(*scores).sum()) if finite else float("nan")
    return total, seconds, steps


def leading(f, g, left, right, scores, components, ridge):
    a, b = f(left), g(right)
    means = a.mean(0), b.mean(0)
    a, b = a - means[0], b - means[1]
    eye = torch.eye(a.shape[1])
    wa, wb = (inverse_root(z.T @ z / (len(z) - 1) + ridge * eye) for z in (a, b))
    u, _, vt = torch.linalg.svd(wa @ (a.T @ b / (len(a) - 1)) @ wb)
    return (scores[0] - means[0]) @ wa @ u[:, :components], (scores[1] - means[1]) @ wb @ vt[:components].T


def compare_cca(seeds, components):
    def halves(images):
        return images[:, :, :14].flatten(1), images[:, :, 14:].flatten(1)

    data = halves(torch_data.mnist("train")[0]), halves(torch_data.mnist("t10k")[0])
    best, pace = {}, {}
    for name in "landing", "whitened", "ey":
        runs = {rate: run_cca(name, rate, 100, data, components=components) for rate in RATES}
        tuned = {rate: run[0] for rate, run in runs.items()}
        pace[name] = max(steps / seconds for _, seconds, steps in runs.values())
        best[name] = max(tuned, key=lambda rate: tuned[rate] if tuned[rate] == tuned[rate] else -1)
        print(components, name, "learning rate of the networks:", best[name], {k: round(v, 3) for k, v in tuned.items()}, flush=True)
    margins = {"whitened": [], "ey": []}
    for seed in range(seeds):
        ours = run_cca("landing", best["landing"], seed, data, None, components)
        line = f"seed {seed}: landing {ours[0]:.3f} in {ours[1]:.1f} s"
        for name in margins:
            total, seconds, steps = run_cca(name, best[name], seed, data, int(ours[1] * pace[name]), components)
            margins[name].append(ours[0] - total)
            line += f"; {name} {total:.3f} in {seconds:.1f} s ({steps} steps to {ours[2]})"
        print(line, flush=True)
    for name, values in margins.items():
        print(f"measured torch_cca_over_{name}.{components} {sum(values) / seeds:.4f}")


def main():
    torch.set_num_threads(1)
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    if what in ("cnn", "all"):
        compare_cnn(seeds)
    if what in ("cca", "all"):
        for components in FEATURES, 10:
            compare_cca(seeds, components)


if __name__ == "__main__":
    main()
