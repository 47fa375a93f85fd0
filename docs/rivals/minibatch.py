"""Learns a dictionary with scikit-learn: the online method of Mairal et al.

usage: minibatch.py PATCHES.npy ATOMS.npy COUNT SEED

The patches keep their mean, as they do for all learners of a report.  ALPHA,
the l1 penalty for samples of 0 to 255, is a guess that nobody has tuned:
choose it on your training pictures before you report a figure.
"""
import sys

import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning

ALPHA = 40


def main():
    source, target, count, seed = sys.argv[1:5]
    patches = np.load(source).astype(np.float64)
    learner = MiniBatchDictionaryLearning(
        n_components=int(count), alpha=ALPHA, batch_size=256,
        fit_algorithm="cd", random_state=int(seed))
    # The number of steps has another name in older versions.
    steps = {"max_iter": 3} if "max_iter" in learner.get_params() else {
        "n_iter": 3 * len(patches) // 256}
    learner.set_params(**steps)
    atoms = learner.fit(patches).components_
    unused = np.linalg.norm(atoms, axis=1) < 1e-6
    rng = np.random.default_rng(int(seed))
    atoms[unused] = patches[rng.integers(len(patches), size=unused.sum())]
    np.save(target, atoms.astype(np.float32))


main()
