"""Learners as scikit-learn estimators; scikit-learn itself is optional."""
from __future__ import annotations

from ctypes import addressof, byref
from typing import Optional

import numpy as np

from . import _library as _c
from ._library import InputError, call, lib
from .dictionary import encode

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_array, check_is_fitted
except ImportError:  # enough of it to be used alone
    import inspect

    class BaseEstimator:
        def get_params(self, deep=True):
            names = inspect.signature(type(self).__init__).parameters
            return {n: getattr(self, n) for n in names if n != "self"}

        def set_params(self, **params):
            for name, value in params.items():
                setattr(self, name, value)
            return self

    class TransformerMixin:
        def fit_transform(self, X, y=None):
            return self.fit(X, y).transform(X)

    def check_random_state(seed):
        return np.random.RandomState(seed)

    def check_array(X, dtype=None):
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or len(X) == 0:
            raise ValueError("X must be a matrix with at least one row")
        if not np.isfinite(X).all():
            raise ValueError("X has numbers that are not finite")
        return X

    def check_is_fitted(estimator):
        if not hasattr(estimator, "components_"):
            raise ValueError("call fit first")

# Passes over the samples that a learner which streams may take.
_MOST_PASSES = 1000


class _Learner(TransformerMixin, BaseEstimator):
    """What all learners do: rows of X are samples."""

    _algorithm = ""
    _streams = False

    def _options(self, samples, features):
        raise NotImplementedError

    def _check(self, X, reset):
        if hasattr(self, "_validate_data"):
            return self._validate_data(
                X, dtype=[np.float64, np.float32], reset=reset)
        X = check_array(X)
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but "
                             f"{self.n_features_in_} were learned")
        return X

    def _seed(self):
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2 ** 31))

    def _first_atoms(self, features):
        """The atoms to start from, as rows; None to choose them."""
        if self.dict_init is None:
            return None
        first = getattr(self.dict_init, "atoms", self.dict_init)
        first = np.ascontiguousarray(first, np.float64)
        if first.shape != (self._count, features):
            raise ValueError(f"dict_init is {first.shape}, but there are "
                             f"{self._count} atoms of {features} features")
        return first

    def _start(self, X):
        samples, features = X.shape
        fields = self._options(samples, features)
        first = self._first_atoms(features)
        self._aside = self._set_aside(X)
        if self._aside is not None:
            features -= 1
            first = self._aside.rest_of(first)
        options = _c.LearnOptions(
            algorithm=self._algorithm.encode(), length=features,
            iterations=self.iterations or 0, seed=self._seed(), **fields)
        if first is not None:
            matrix = _c.matrix_of_rows(first)
            options.start_kind = _c.START_GIVEN
            options.start = addressof(matrix)
        self._watch = _c.Watch()
        options.progress = self._watch.callback
        return call("learner_new", _c.context(self.threads or 0),
                    byref(options), owner="learner")

    def _set_aside(self, X):
        """What is not learned, or None."""
        return None

    def _feed(self, learner, X):
        if self._aside is not None:
            X = self._aside.without(X)
        call("learner_feed", learner, byref(_c.matrix_of_rows(X)),
             watch=self._watch)

    def _keep(self, learner, features):
        status = _c.LearnStatus()
        call("learner_status", learner, byref(status))
        self.n_iter_ = status.iterations
        self.error_ = status.objective
        less = self._aside is not None
        atoms = np.empty((self._count - less, features - less))
        call("learner_get_atoms", learner,
             byref(_c.matrix_of_rows(atoms)))
        self.components_ = self._aside.with_it(atoms) if less else atoms

    def fit(self, X, y=None):
        """Learns a dictionary.

        Parameters
        ----------
        X : array_like, samples x features
            One sample per row.
        y : None
            Not used.

        Returns
        -------
        self
            With ``components_``, one atom of length one per row.
        """
        X = self._check(X, reset=True)
        learner = self._start(X)
        for _ in range(_MOST_PASSES if self._streams else 1):
            self._feed(learner, X)
            if lib.tessera_learner_done(learner):
                break
        call("learner_finish", learner, watch=self._watch)
        self._keep(learner, X.shape[1])
        return self

    def transform(self, X):
        """Codes samples by orthogonal matching pursuit.

        Parameters
        ----------
        X : array_like, samples x features
            One sample per row.

        Returns
        -------
        ndarray, samples x atoms
            One code per row, mostly zeros.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        count = min(self.transform_atoms, *self.components_.shape)
        codes = encode(self.components_, X, None, count, 0.0,
                       self.threads or 0)
        return codes.dense(len(self.components_)).astype(X.dtype)

    def inverse_transform(self, codes):
        """The samples that codes stand for.

        Parameters
        ----------
        codes : array_like, samples x atoms
            What ``transform`` returned.

        Returns
        -------
        ndarray, samples x features
            One sample per row.
        """
        check_is_fitted(self)
        return np.asarray(codes) @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __getstate__(self):
        """What can be pickled: handles of the library cannot."""
        state = dict(self.__dict__)
        for name in ("_learner", "_watch", "_aside"):
            state.pop(name, None)
        return state


# ---- complete dictionaries: as many atoms as features ----

# The most codes to keep by default.
_MOST_DENSITY = 0.25


class _Complete(_Learner):
    def _options(self, samples, features):
        if samples < features:
            raise ValueError(f"{samples} sample(s) of {features} features: "
                             "a complete dictionary needs at least as many "
                             "samples as features")
        self._count = features
        return {}

    def _density(self, features):
        if self.density is not None:
            return self.density
        return min(self.transform_atoms / features, _MOST_DENSITY)


class _Aside:
    """A direction that becomes an atom of its own.

    The reflection H = I - 2 v v' / v'v turns the direction u into an axis, up
    to the sign; its other rows are an orthonormal basis of what is left.
    """

    def __init__(self, u):
        self._u = u
        v = u.copy()
        v[0] += np.copysign(1, u[0])
        self._v = v * np.sqrt(2 / (v @ v))

    def without(self, X):
        """The rows of X in that basis, without u."""
        return np.ascontiguousarray(
            X[:, 1:] - np.outer(X @ self._v, self._v[1:]))

    def with_it(self, atoms):
        """u, and atoms of that basis as they are without it."""
        rest = np.outer(atoms @ self._v[1:], -self._v)
        rest[:, 1:] += atoms
        return np.vstack([self._u, rest])

    def rest_of(self, atoms):
        """A start without the atom that is closest to u; or None."""
        if atoms is None:
            return None
        rest = np.delete(atoms, np.argmax(np.abs(atoms @ self._u)), axis=0)
        rest = self.without(rest)
        return rest / np.linalg.norm(rest, axis=1, keepdims=True)


class _Whitened(_Complete):
    """Learners that whiten the samples first."""

    def _set_aside(self, X):
        mean = X.mean(axis=0, dtype=np.float64)
        length = np.linalg.norm(mean)
        if not (self.mean_atom is not False and length > 0
                and X.shape[1] > 1):
            return None
        u = mean / length
        if self.mean_atom is None and (
                ((X @ u) ** 2).sum() <= (X ** 2).sum() / 2):
            return None
        return _Aside(u)

    def _floor(self):
        # Zero is the default of the library.
        return {"noise_floor": self.noise_floor or -1.0}


class OnlineDictionary(_Whitened):
    """Complete dictionary, sample by sample (``tessera learn -a online``).

    Algorithm 3 of the paper: the samples are whitened by a matrix that is
    updated with each of them.  Samples that have a mean far from zero, such as
    patches of pictures, are nearly parallel to it, and whitening mixes it into
    all atoms; so it is set aside as an atom of its own.

    Parameters
    ----------
    iterations : int, optional
        The number of steps (150).
    density : float, optional
        The fraction of the codes to keep; ``transform_atoms`` of the features
        by default, but at most a quarter.
    window : int
        The number of samples that a step learns from.
    stride : int
        The number of new samples per step.
    noise_floor : float
        Whitening does not raise what is weaker than this standard deviation.
    mean_atom : bool, optional
        Whether the direction of the mean is an atom of its own; by default it
        is where more than half of the power of the samples lies in it.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; principal directions by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.OnlineDictionary(iterations=20).fit(X).components_.shape
    (8, 8)
    """

    _algorithm = "online"
    _streams = True

    def __init__(self, *, iterations: Optional[int] = None,
                 density: Optional[float] = None, window: int = 4000,
                 stride: int = 100, noise_floor: float = 0.0,
                 mean_atom: Optional[bool] = None,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.density = density
        self.window = window
        self.stride = stride
        self.noise_floor = noise_floor
        self.mean_atom = mean_atom
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        super()._options(samples, features)
        return {"density": self._density(features), "stride": self.stride,
                "window": max(features, min(self.window, samples)),
                **self._floor()}

    def partial_fit(self, X, y=None):
        """Continues learning from more samples.

        Parameters
        ----------
        X : array_like, samples x features
            One sample per row; the first time at least as many as features.
        y : None
            Not used.

        Returns
        -------
        self
            With ``components_`` once there is a window of samples.
        """
        fresh = not hasattr(self, "_learner")
        X = self._check(X, reset=fresh)
        if fresh:
            self._learner = self._start(X)
        self._feed(self._learner, X)
        try:
            self._keep(self._learner, X.shape[1])
        except InputError:
            pass  # the window is not full yet
        return self


class MiniBatchDictionary(_Whitened):
    """Complete dictionary in batches (``tessera learn -a minibatch``).

    Algorithm 2 of the paper: the samples are whitened once, and each step
    learns from some that are drawn at random.

    Parameters
    ----------
    iterations : int, optional
        The number of steps (500).
    density : float, optional
        The fraction of the codes to keep; ``transform_atoms`` of the features
        by default, but at most a quarter.
    batch_size : int
        The number of samples per step.
    noise_floor : float
        Whitening does not raise what is weaker than this standard deviation.
    mean_atom : bool, optional
        Whether the direction of the mean is an atom of its own; by default it
        is where more than half of the power of the samples lies in it.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; principal directions by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.MiniBatchDictionary(iterations=9).fit(X).components_.shape
    (8, 8)
    """

    _algorithm = "minibatch"

    def __init__(self, *, iterations: Optional[int] = None,
                 density: Optional[float] = None, batch_size: int = 4000,
                 noise_floor: float = 0.0, mean_atom: Optional[bool] = None,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.density = density
        self.batch_size = batch_size
        self.noise_floor = noise_floor
        self.mean_atom = mean_atom
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        super()._options(samples, features)
        return {"density": self._density(features),
                "window": min(self.batch_size, samples), **self._floor()}


class L4Dictionary(_Whitened):
    """Complete dictionary of the largest fourth moments (``tessera learn -a
    l4``), after Zhai and others, 2020.

    Parameters
    ----------
    iterations : int, optional
        The number of steps (50).
    noise_floor : float
        Whitening does not raise what is weaker than this standard deviation.
    mean_atom : bool, optional
        Whether the direction of the mean is an atom of its own; by default it
        is where more than half of the power of the samples lies in it.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; principal directions by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.L4Dictionary(iterations=9).fit(X).components_.shape
    (8, 8)
    """

    _algorithm = "l4"

    def __init__(self, *, iterations: Optional[int] = None,
                 noise_floor: float = 0.0, mean_atom: Optional[bool] = None,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.noise_floor = noise_floor
        self.mean_atom = mean_atom
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        super()._options(samples, features)
        return self._floor()


class OrthogonalDictionary(_Complete):
    """Orthonormal dictionary (``tessera learn -a orthogonal``).

    Algorithm 1 of the paper, with all samples in each step and no whitening.
    For patches, start from ``Dictionary.dct()``.

    Parameters
    ----------
    iterations : int, optional
        The number of steps (30).
    density : float, optional
        The fraction of the codes to keep; ``transform_atoms`` of the features
        by default, but at most a quarter.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; principal directions by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> atoms = tessera.OrthogonalDictionary(iterations=9).fit(X).components_
    >>> bool(abs(atoms @ atoms.T - np.eye(8)).max() < 1e-5)
    True
    """

    _algorithm = "orthogonal"

    def __init__(self, *, iterations: Optional[int] = None,
                 density: Optional[float] = None,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.density = density
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        super()._options(samples, features)
        return {"density": self._density(features)}


class GradientDictionary(_Complete):
    """Complete dictionary by gradient steps (``tessera learn -a gradient``),
    after Arora and others, 2015.

    For patches, start from ``Dictionary.dct()``.

    Parameters
    ----------
    iterations : int, optional
        The number of steps (100).
    density : float, optional
        The fraction of the codes to keep; ``transform_atoms`` of the features
        by default, but at most a quarter.
    rate : float
        The length of a step; 0 to choose one that cannot overshoot.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; principal directions by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.GradientDictionary(iterations=9).fit(X).components_.shape
    (8, 8)
    """

    _algorithm = "gradient"

    def __init__(self, *, iterations: Optional[int] = None,
                 density: Optional[float] = None, rate: float = 0.0,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.density = density
        self.rate = rate
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        super()._options(samples, features)
        return {"density": self._density(features), "rate": self.rate}


# ---- any number of atoms ----

class _Coded(_Learner):
    def _options(self, samples, features):
        if samples < 2:
            raise ValueError("1 sample is too few to learn from")
        self._count = min(self.n_components or features, samples)
        return {"atoms": self._count, "start_kind": _c.START_DATA}

    def _most_atoms(self, features):
        return {"atoms_per_sample": min(self.atoms_per_sample, features,
                                        self._count)}


class KSVD(_Coded):
    """K-SVD (``tessera learn -a ksvd``), after Aharon and others, 2006.

    Parameters
    ----------
    n_components : int, optional
        The number of atoms; as many as features by default.
    iterations : int, optional
        The number of steps (20).
    atoms_per_sample : int
        The most atoms per sample while learning.
    textbook : bool
        As published, without what was added to fit the samples better.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; samples by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.KSVD(12, atoms_per_sample=2, iterations=3).fit(
    ...     X).transform(X).shape
    (500, 12)
    """

    _algorithm = "ksvd"

    def __init__(self, n_components: Optional[int] = None, *,
                 iterations: Optional[int] = None, atoms_per_sample: int = 10,
                 textbook: bool = False,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.n_components = n_components
        self.iterations = iterations
        self.atoms_per_sample = atoms_per_sample
        self.textbook = textbook
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        return {**super()._options(samples, features),
                **self._most_atoms(features), "textbook": int(self.textbook)}


class MOD(KSVD):
    """Method of optimal directions (``tessera learn -a mod``), after Engan
    and others, 1999.

    Parameters
    ----------
    n_components : int, optional
        The number of atoms; as many as features by default.
    iterations : int, optional
        The number of steps (20).
    atoms_per_sample : int
        The most atoms per sample while learning.
    textbook : bool
        As published, without what was added to fit the samples better.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; samples by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.MOD(12, atoms_per_sample=2, iterations=3).fit(
    ...     X).components_.shape
    (12, 8)
    """

    _algorithm = "mod"


class OnlineL1Dictionary(_Coded):
    """Online learning with an l1 penalty (``tessera learn -a online-l1``),
    after Mairal and others, 2010.

    Parameters
    ----------
    n_components : int, optional
        The number of atoms; as many as features by default.
    iterations : int, optional
        The number of steps (200), each of 256 samples.
    penalty : float
        That of a code's absolute values; 0 to choose it such that codes have
        ``atoms_per_sample`` non-zeros.
    atoms_per_sample : int
        The mean number of non-zeros per sample while learning.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; samples by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.OnlineL1Dictionary(12, atoms_per_sample=2, iterations=3).fit(
    ...     X).components_.shape
    (12, 8)
    """

    _algorithm = "online-l1"

    def __init__(self, n_components: Optional[int] = None, *,
                 iterations: Optional[int] = None, penalty: float = 0.0,
                 atoms_per_sample: int = 10,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.n_components = n_components
        self.iterations = iterations
        self.penalty = penalty
        self.atoms_per_sample = atoms_per_sample
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        return {**super()._options(samples, features),
                **self._most_atoms(features), "threshold": self.penalty}


class TaskDictionary(_Coded):
    """Predicts what is hidden (``tessera learn -a task-driven``).

    A part of each sample is hidden at random, the rest is coded, and the
    error of the hidden part is minimized.

    Parameters
    ----------
    n_components : int, optional
        The number of atoms; as many as features by default.
    hidden : float
        The fraction of a sample that is hidden.
    predict_atoms : int, optional
        The most atoms per sample while learning; a tenth of the features by
        default.
    iterations : int, optional
        The number of steps (400).
    rate : float
        The length of a step.
    dict_init : array_like or Dictionary, optional
        The atoms to start from, as rows; samples by default.
    transform_atoms : int
        The most atoms per sample in ``transform``.
    random_state : int, RandomState or None
        The seed.
    threads : int, optional
        None for one per core.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> tessera.TaskDictionary(12, iterations=5).fit(X).components_.shape
    (12, 8)
    """

    _algorithm = "task-driven"

    def __init__(self, n_components: Optional[int] = None, *,
                 hidden: float = 0.5, predict_atoms: Optional[int] = None,
                 iterations: Optional[int] = None, rate: float = 0.002,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.n_components = n_components
        self.hidden = hidden
        self.predict_atoms = predict_atoms
        self.iterations = iterations
        self.rate = rate
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        if not 0 < self.hidden < 1:
            raise ValueError("hidden must be between 0 and 1")
        return {**super()._options(samples, features), "atoms_per_sample": 1,
                "hidden": self.hidden, "rate": self.rate,
                "predict_atoms": self.predict_atoms or 0}
