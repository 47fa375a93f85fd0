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

    def _start(self, samples, features):
        options = _c.LearnOptions(
            algorithm=self._algorithm.encode(), length=features,
            iterations=self.iterations or 0, seed=self._seed(),
            **self._options(samples, features))
        if self.dict_init is not None:
            first = np.ascontiguousarray(self.dict_init, np.float64)
            if first.shape != (self._count, features):
                raise ValueError(f"dict_init is {first.shape}, but there are "
                                 f"{self._count} atoms of {features} features")
            matrix = _c.matrix_of_rows(first)
            options.start_kind = _c.START_GIVEN
            options.start = addressof(matrix)
        self._watch = _c.Watch()
        options.progress = self._watch.callback
        return _c.Handle(call("learner_new", _c.context(self.threads or 0),
                              byref(options)), "learner")

    def _feed(self, learner, X):
        call("learner_feed", learner, byref(_c.matrix_of_rows(X)),
             watch=self._watch)

    def _keep(self, learner, features):
        status = _c.LearnStatus()
        call("learner_status", learner, byref(status))
        self.n_iter_ = status.iterations
        self.error_ = status.objective
        atoms = np.empty((self._count, features))
        call("learner_get_atoms", learner,
             byref(_c.matrix_of_rows(atoms)))
        self.components_ = atoms

    def fit(self, X, y=None):
        """Learns a dictionary from the rows of ``X``."""
        X = self._check(X, reset=True)
        learner = self._start(*X.shape)
        for _ in range(_MOST_PASSES if self._streams else 1):
            self._feed(learner, X)
            if lib.tessera_learner_done(learner):
                break
        call("learner_finish", learner, watch=self._watch)
        self._keep(learner, X.shape[1])
        return self

    def transform(self, X):
        """Codes of the rows of ``X``, one per row, mostly zeros."""
        check_is_fitted(self)
        X = self._check(X, reset=False)
        count = min(self.transform_atoms, *self.components_.shape)
        codes = encode(self.components_, X, None, count, 0.0,
                       self.threads or 0)
        return codes.dense(len(self.components_)).astype(X.dtype)

    def inverse_transform(self, codes):
        """The rows that codes stand for."""
        check_is_fitted(self)
        return np.asarray(codes) @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __getstate__(self):
        """What can be pickled: handles of the library cannot."""
        state = dict(self.__dict__)
        state.pop("_learner", None)
        state.pop("_watch", None)
        return state


class OnlineDictionary(_Learner):
    """Complete dictionary, sample by sample (``tessera learn -a online``).

    ``dict_init`` has the atoms to start from as rows; whitening does not raise
    what is weaker than the standard deviation ``noise_floor``.  For patches of
    pictures, where white is 1, the program takes ``Dictionary.dct().atoms``, a
    noise floor of 3, a density of 0.02, a window of 4000 and a stride of 100.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> OnlineDictionary(iterations=20).fit(X).components_.shape
    (8, 8)
    """

    _algorithm = "online"
    _streams = True

    def __init__(self, *, iterations: Optional[int] = None,
                 density: float = 0.1, window: int = 500, stride: int = 50,
                 noise_floor: float = 0.0,
                 dict_init: Optional[np.ndarray] = None,
                 transform_atoms: int = 10, random_state=0,
                 threads: Optional[int] = None):
        self.iterations = iterations
        self.density = density
        self.window = window
        self.stride = stride
        self.noise_floor = noise_floor
        self.dict_init = dict_init
        self.transform_atoms = transform_atoms
        self.random_state = random_state
        self.threads = threads

    def _options(self, samples, features):
        if samples < features:
            raise ValueError(f"{samples} sample(s) of {features} features: "
                             "a complete dictionary needs at least as many "
                             "samples as features")
        self._count = features
        return {"density": self.density, "stride": self.stride,
                "noise_floor": self.noise_floor,
                "window": max(features, min(self.window, samples))}

    def partial_fit(self, X, y=None):
        """Continues learning from more rows."""
        fresh = not hasattr(self, "_learner")
        X = self._check(X, reset=fresh)
        if fresh:
            self._learner = self._start(*X.shape)
        self._feed(self._learner, X)
        try:
            self._keep(self._learner, X.shape[1])
        except InputError:
            pass  # the window is not full yet
        return self


class _Coded(_Learner):
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
        if samples < 2:
            raise ValueError("1 sample is too few to learn from")
        self._count = min(self.n_components or features, samples)
        return {"atoms": self._count, "start_kind": _c.START_DATA,
                "atoms_per_sample": min(self.atoms_per_sample, features,
                                        self._count),
                "textbook": int(self.textbook)}


class KSVD(_Coded):
    """K-SVD (``tessera learn -a ksvd``)."""

    _algorithm = "ksvd"


class MOD(_Coded):
    """Method of optimal directions (``tessera learn -a mod``)."""

    _algorithm = "mod"


class TaskDictionary(_Learner):
    """Predicts what is hidden (``tessera learn -a task-driven``).

    A fraction ``hidden`` of each sample is hidden at random, the rest is coded
    with ``predict_atoms`` atoms (a tenth of the features by default), and the
    error of the hidden part is minimised.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> TaskDictionary(12, iterations=5).fit(X).components_.shape
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
        if samples < 2:
            raise ValueError("1 sample is too few to learn from")
        if not 0 < self.hidden < 1:
            raise ValueError("hidden must be between 0 and 1")
        self._count = min(self.n_components or features, samples)
        return {"atoms": self._count, "start_kind": _c.START_DATA,
                "atoms_per_sample": 1, "hidden": self.hidden,
                "rate": self.rate, "predict_atoms": self.predict_atoms or 0}
