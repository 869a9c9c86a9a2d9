"""What the comparisons with other people's programs share: the data sets, and lines that say whether a goal is met."""
import os
import subprocess

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def limit_threads(count):
    """Of BLAS, here and in the programs that are started; before numpy is imported."""
    for name in THREADS:
        os.environ[name] = str(count)


def split_images(build, folder, name):
    """FOLDER/name with left.npy, right.npy and labels.npy, or None and why not. name: mnist or fashion."""
    out = os.path.join(folder, name)
    if not os.path.exists(os.path.join(out, "labels.npy")):
        made = subprocess.run([os.path.join(build, "landfall"), "data", f"split-{name}", out], text=True,
                              stderr=subprocess.PIPE)
        if made.returncode:
            print(f"{name} is left out: {made.stderr.strip()}")
            return None
    return out


class Goals:
    """A table of what was to be reached and what was."""

    def __init__(self):
        self.lines = []

    def add(self, what, value, least=None, most=None):
        met = (least is None or value >= least) and (most is None or value <= most)
        target = f">= {least:g}" if least is not None else f"<= {most:g}"
        self.lines.append((what, f"{value:.7f}" if .9 < value < 1 else f"{value:.3g}", target, "yes" if met else "NO"))

    def show(self):
        width = max(len(line[0]) for line in self.lines)
        print(f"\n{'goal':{width}} | {'measured':>10} | {'target':>9} | met")
        for what, value, target, met in self.lines:
            print(f"{what:{width}} | {value:>10} | {target:>9} | {met}")
