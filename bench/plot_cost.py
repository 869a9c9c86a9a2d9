"""plot_cost.py CSV IMAGE: the time of the landing field and of the retractions against n, as bench_cost wrote it."""
import csv
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito's colours; fields are solid, retractions dashed, so that grey print can be read too.
STYLES = {
    "normal term": ("#56B4E9", "-", "o", "normal term $2BXH$"),
    "field, metric": ("#0072B2", "-", "s", r"landing field, $\Psi_B$"),
    "field, riemannian": ("#009E73", "-", "D", r"landing field, $\Psi_R$ (factor of $B$ kept)"),
    "cholesky": ("#E69F00", "--", "^", "Cholesky-QR retraction"),
    "polar": ("#D55E00", "--", "v", "polar retraction"),
    "svd": ("#000000", "--", "x", "SVD retraction"),
}


def main(table, image):
    points = defaultdict(list)
    with open(table, newline="") as file:
        for row in csv.DictReader(file):
            points[row["what"]].append((int(row["n"]), float(row["median_ms"])))
    figure, axes = plt.subplots(figsize=(7, 5), constrained_layout=True)
    for what, (colour, line, marker, label) in STYLES.items():
        n, ms = zip(*points[what])
        axes.loglog(n, ms, color=colour, linestyle=line, marker=marker, label=label)
    axes.set_xticks(n, [str(i) for i in n])
    axes.minorticks_off()
    axes.set_xlabel("$n = p$")
    axes.set_ylabel("time of one evaluation, ms (median)")
    axes.set_title("The landing field and the retractions, dense random $B$ and $X$, double precision", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(image, dpi=150)


main(*sys.argv[1:])
