"""plot_ranks.py TABLE IMAGE: speed-up against ranks on a simulated network, as bench_ranks printed it; the cost model is dashed."""
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ["#0072B2", "#56B4E9", "#E69F00", "#009E73"]  # Okabe and Ito's


def read(path):
    """[(title, [(ranks, measured, model), ...]), ...] and the network."""
    network, tables = "", []
    for line in open(path):
        if line.startswith("latency"):
            network = line.strip()
        elif line.startswith("n = "):
            tables.append((line.split(":")[0], []))
        elif re.fullmatch(r"\s*\d+(\s+[\d.]+){5}\s*", line):
            fields = line.split()
            tables[-1][1].append((int(fields[0]), float(fields[4]), float(fields[5])))
    return network, tables


def main(table, image):
    network, tables = read(table)
    figure, axes = plt.subplots(figsize=(7, 4.5), constrained_layout=True)
    for (title, points), colour in zip(tables, COLOURS):
        ranks, measured, model = zip(*points)
        axes.loglog(ranks, measured, color=colour, marker="o", label=title, base=2)
        axes.loglog(ranks, model, color=colour, linestyle="--", base=2)
    every = sorted({point[0] for _, points in tables for point in points})
    axes.plot(every, every, color="#999999", linewidth=1, label="ideal")
    axes.set_xticks(every, [str(p) for p in every])
    axes.set_yticks(every, [str(p) for p in every])
    axes.set_xlabel("ranks")
    axes.set_ylabel("speed-up of a step (dashed: model)")
    axes.set_title(network, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(image, dpi=120)


main(*sys.argv[1:])
