"""Other optimizers for orthogonal matrices, written anew from their papers, for the comparison only.

Each is a function (lr) -> method with `method.step(x, g)`, which returns the next X for a tall matrix X and a gradient G, B = I.
All take heavy-ball momentum 0.9 in the form that their authors use, or none where the name says so.
"""
import torch


class Retraction:
    """Riemannian gradient descent with momentum: M ← μM + grad, projected to the tangent space, then a retraction."""

    def __init__(self, lr, momentum=0.9):
        self.lr, self.momentum, self.m = lr, momentum, None

    def step(self, x, g):
        if self.momentum:
            self.m = g if self.m is None else project(x, self.m).mul_(self.momentum).add_(g)
            g = self.m
        return self.retract(x, project(x, g).mul_(-self.lr))


def project(x, g):
    """G − X sym(XᵀG), the Euclidean projection to the tangent space."""
    s = x.T @ g
    return torch.addmm(g, x, s + s.T, alpha=-0.5)


class QR(Retraction):
    """Absil, Mahony, Sepulchre (2008)."""

    def retract(self, x, v):
        q, r = torch.linalg.qr(x + v)
        return q * r.diagonal().sign()


class Cayley(Retraction):
    """Wen and Yin (2013) in the low-rank form: X₊ = X + U (I − VᵀU/2)⁻¹ VᵀX with W = UVᵀ = DXᵀ − XDᵀ, D the direction; for
    2p ≥ n the n×n system is solved instead. The direction is projected so that WX equals it."""

    def retract(self, x, v):
        n, p = x.shape
        d = v - x @ (x.T @ v) / 2
        if 2 * p >= n:
            w = d @ x.T
            w = (w - w.T) / 2
            eye = torch.eye(n, dtype=x.dtype)
            return torch.linalg.solve(eye - w, x + w @ x)
        left, right = torch.cat([d, x], 1), torch.cat([x, -d], 1)
        small = torch.eye(2 * p, dtype=x.dtype) - right.T @ left / 2
        return x + left @ torch.linalg.solve(small, right.T @ x)


class Landing:
    """Ablin and Peyré (2022): X − η(skew(GXᵀ)X + λX(XᵀX − I)), λ = 1, with their safe step of radius 0.5 and momentum on G."""

    def __init__(self, lr, momentum=0.9, strength=1.0, radius=0.5):
        self.lr, self.momentum, self.strength, self.radius, self.m = lr, momentum, strength, radius, None

    def step(self, x, g):
        if self.momentum:
            self.m = g if self.m is None else self.m.mul_(self.momentum).add_(g)
            g = self.m
        h = x.T @ x
        psi = (g @ h).addmm_(x, g.T @ x, alpha=-1).mul_(0.5)
        h.diagonal().sub_(1)
        normal = x @ h
        d, a, lam = float(h.norm()), float(psi.norm()), self.strength
        length2 = a ** 2 + lam ** 2 * float(normal.norm()) ** 2
        alpha = 2 * lam * d ** 2 - 2 * a * d - 2 * lam * d ** 2 * d
        beta = a ** 2 + lam ** 2 * d ** 3 + 2 * lam * a * d ** 2 + a ** 2 * d
        lr = self.lr
        if length2 > 0 and beta > 0:
            lr = min(lr, (alpha + max(alpha ** 2 + 4 * beta * (self.radius - d), 0) ** 0.5) / (2 * beta))
        return x - lr * (psi + lam * normal)


class POGO:
    """POGO (2026): T = X − η skew-gradient, X₊ = T + λ T(I − TᵀT), λ = 1/2. base: "sgd" (momentum on G) or "adam" (VectorAdam:
    one second moment of G for the matrix)."""

    def __init__(self, lr, momentum=0.9, base="sgd"):
        self.lr, self.momentum, self.base, self.m, self.v, self.t = lr, momentum, base, None, 0.0, 0

    def step(self, x, g):
        if self.base == "adam":
            self.t += 1
            self.m = (1 - self.momentum) * g if self.m is None else self.m.mul_(self.momentum).add_(g, alpha=1 - self.momentum)
            self.v = 0.999 * self.v + 0.001 * float(g.norm()) ** 2
            scale = (self.v / (1 - 0.999 ** self.t)) ** 0.5 + 1e-8
            g = self.m / ((1 - self.momentum ** self.t) * scale)
        elif self.momentum:
            self.m = g.clone() if self.m is None else self.m.mul_(self.momentum).add_(g)
            g = self.m
        p = x.T @ x
        t = x - self.lr / 2 * (g @ p).addmm_(x, g.T @ x, alpha=-1)
        e = t.T @ t
        e.diagonal().sub_(1)
        return torch.addmm(t, t, e, alpha=-0.5)


class Spectral:
    """Spectral (Muon-like) steps on the Stiefel manifold: the polar factor of the projected momentum, projected again, then the
    polar retraction, both by Newton–Schulz iterations."""

    def __init__(self, lr, momentum=0.9):
        self.lr, self.momentum, self.m = lr, momentum, None

    def step(self, x, g):
        self.m = g if self.m is None else project(x, self.m).mul_(self.momentum).add_(g)
        v = project(x, self.m)
        v = v / v.norm().clamp(min=1e-30)
        for _ in range(5):
            s = v.T @ v
            v = 3.4445 * v + v @ torch.addmm(-4.7750 * s, s, s, alpha=2.0315)
        t = x - self.lr * project(x, v)
        for _ in range(2):
            e = t.T @ t
            e.diagonal().sub_(1)
            t = torch.addmm(t, t, e, alpha=-0.5)
        return t


METHODS = {
    "QR": QR,
    "Cayley": Cayley,
    "landing 2022": Landing,
    "POGO": POGO,
    "POGO, adam": lambda lr: POGO(lr, base="adam"),
    "spectral": Spectral,
}
