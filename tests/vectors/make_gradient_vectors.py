#!/usr/bin/env python3
"""Writes gradients.csv: gradients by independent sketches of both learners in
numpy and torch, FOLDER/task_dictionary.py and FOLDER/unrolled.py.  Run it in
the root of the tree: make_gradient_vectors.py FOLDER.  See README.md."""

import sys

import numpy as np

FOLDER = sys.argv[1]
STRIDE = 31  # of the entries of large arrays that are written


class Numbers:
    """Reproducible numbers, which tests/test_prototypes.c makes as well."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state / 2**31

    def array(self, *shape):
        """Numbers from -1 to 1, the last dimension fastest."""
        count = int(np.prod(shape))
        values = [2 * self.next() - 1 for _ in range(count)]
        return np.array(values, np.float32).reshape(shape)

    def mask(self, share, *shape):
        """1 with the probability share, else 0."""
        return (self.array(*shape) < 2 * share - 1).astype(np.float32)


def sketch(name, *arguments):
    """The functions of a sketch, without what it does when it is run."""
    source = open(f"{FOLDER}/{name}").read()
    for end in ("\nmain()", "\ntrain = load("):
        source = source.split(end)[0]
    sys.argv = [name, *arguments]
    scope = {"__file__": f"{FOLDER}/{name}"}
    exec(compile(source, name, "exec"), scope)
    return scope


def task_gradient(out):
    n, atoms, signals, chosen = 24, 30, 12, 4
    numbers = Numbers(1)
    D = numbers.array(atoms, n).T
    D = D / np.linalg.norm(D, axis=0)
    X = numbers.array(signals, n)
    M = numbers.mask(0.6, signals, n)
    gradient, error = sketch("task_dictionary.py")["gradient"](
        D, X, M, chosen, 0)
    out.append(("task.error", 0, error))
    out.extend(("task.gradient", i, g) for i, g in enumerate(gradient.T.flat))


def unrolled_gradient(out):
    side, rounds, size = 4, 3, 11
    scope = sketch("unrolled.py", "missing:0.5", "--side", str(side),
                   "--rounds", str(rounds), "--threads", "1")
    torch = scope["torch"]
    numbers = Numbers(2)
    net = scope["Coder"]()
    atoms = 3 * side * side
    with torch.no_grad():
        for part in (net.C, net.D, net.W):
            part.copy_(torch.from_numpy(0.25 * numbers.array(atoms, atoms)))
        net.logt.copy_(torch.from_numpy(
            np.log(0.05) + 0.3 * numbers.array(rounds, atoms)))
        net.step.copy_(torch.from_numpy(1 + 0.2 * numbers.array(rounds)))
    y = torch.from_numpy(numbers.array(1, 3, size, size))
    known = torch.from_numpy(numbers.mask(0.6, 1, 1, size, size))
    ground = torch.from_numpy(0.3 * numbers.array(1, 3, size, size))
    change = torch.from_numpy(numbers.array(1, 3, size, size))
    scope["ground"] = lambda *_: ground
    restored = net(y * known, known)
    (restored * change).sum().backward()
    out.extend(("unrolled.restored", i, x)
               for i, x in enumerate(restored.detach().numpy().flat))
    for name in ("C", "D", "W", "logt", "step"):
        values = getattr(net, name).grad.numpy().ravel()
        stride = STRIDE if name in "CDW" else 1
        out.extend((f"unrolled.{name}", i, values[i])
                   for i in range(0, len(values), stride))


rows = []
task_gradient(rows)
unrolled_gradient(rows)
with open("tests/vectors/gradients.csv", "w") as file:
    file.writelines(f"{name},{index},{value:.9g}\n"
                    for name, index, value in rows)
