"""Dictionaries of small patches, and sparse codes."""
from __future__ import annotations

import os
from ctypes import byref
from typing import NamedTuple, Optional, Union

import numpy as np

from . import _library as _c
from ._library import call, lib


class Codes(NamedTuple):
    """Sparse codes, in the order in which atoms were chosen.

    Code j has ``counts[j]`` entries: atoms ``indices[j]`` with coefficients
    ``values[j]``.
    """
    counts: np.ndarray
    indices: np.ndarray
    values: np.ndarray

    def dense(self, atoms: int) -> np.ndarray:
        """The codes as a matrix, one per row."""
        result = np.zeros((len(self.counts), atoms), np.float32)
        used = np.arange(self.indices.shape[1]) < self.counts[:, None]
        rows = np.nonzero(used)[0]
        result[rows, self.indices[used]] = self.values[used]
        return result


def as_rows(X):
    """``X`` as a matrix that the library can read."""
    X = np.asarray(X)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"signals are the rows of a matrix, not {X.shape}")
    return X


def encode(atoms, X, mask, count, error, threads=0):
    """Codes the rows of ``X`` by the rows of ``atoms``, of length one."""
    X = as_rows(X)
    watch = _c.Watch()
    count = min(count, len(atoms), X.shape[1])
    pursuit = _c.Handle(call("pursuit_new", _c.context(threads),
                             byref(_c.matrix_of_rows(atoms))), "pursuit")
    weights = None
    if mask is not None:
        known = np.where(np.asarray(mask), 0, 1).astype(X.dtype)
        if known.shape != X.shape:
            raise ValueError(f"the mask is {known.shape}, but the signals "
                             f"{X.shape}")
        weights = byref(_c.matrix_of_rows(known))
    codes = Codes(np.zeros(len(X), np.int32),
                  np.zeros((len(X), count), np.int32),
                  np.zeros((len(X), count), np.float32))
    options = _c.PursuitOptions(progress=watch.callback, max_atoms=count,
                                max_error=error)
    place = _c.CodesStruct(count, *(a.ctypes.data for a in codes))
    call("pursuit_encode", pursuit, byref(_c.matrix_of_rows(X)),
         weights, byref(options), byref(place), watch=watch)
    return codes


class Dictionary:
    """Atoms: small pictures of patch x patch pixels and 1 or 3 channels.

    As a row of numbers an atom is its first channel row after row, then the
    second and the third; its length is one.

    >>> cosines = Dictionary.dct(4, 1)
    >>> cosines.atoms.shape
    (16, 16)
    >>> signals = cosines.atoms[[3, 5]] * 2
    >>> codes = cosines.encode(signals, atoms=1)
    >>> codes.indices.ravel().tolist()
    [3, 5]
    >>> bool(abs(cosines.decode(codes) - signals).max() < 1e-5)
    True
    """

    def __init__(self, atoms: np.ndarray, patch: int, channels: int = 3):
        atoms = as_rows(atoms)
        self._take(call("dictionary_from_atoms",
                        byref(_c.matrix_of_rows(atoms)), patch, channels))

    def _take(self, pointer):
        self._handle = _c.Handle(pointer, "dictionary")
        n = self.patch ** 2 * self.channels
        self._atoms = np.empty((lib.tessera_dictionary_atoms(pointer), n),
                               np.float32)
        call("dictionary_get_atoms", pointer,
             byref(_c.matrix_of_rows(self._atoms)))
        self._atoms.flags.writeable = False
        return self

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> "Dictionary":
        """Reads a .safetensors or .npy file."""
        return cls.__new__(cls)._take(
            call("dictionary_read", os.fsencode(path)))

    @classmethod
    def dct(cls, patch: int = 10, channels: int = 3) -> "Dictionary":
        """The cosine transform."""
        return cls.__new__(cls)._take(
            call("dictionary_dct", patch, channels))

    @classmethod
    def learned(cls) -> "Dictionary":
        """The one that comes with the library: 300 atoms of 10 x 10 x 3, learned
        for missing pixels."""
        return cls.__new__(cls)._take(lib.tessera_dictionary_learned())

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a .safetensors file, or .npy for the atoms alone."""
        call("dictionary_write", self.pointer, os.fsencode(path))

    @property
    def pointer(self):
        return self._handle.pointer

    @property
    def patch(self) -> int:
        return lib.tessera_dictionary_patch(self.pointer)

    @property
    def channels(self) -> int:
        return lib.tessera_dictionary_channels(self.pointer)

    @property
    def algorithm(self) -> Optional[str]:
        name = lib.tessera_dictionary_algorithm(self.pointer)
        return name.decode() if name else None

    @property
    def atoms(self) -> np.ndarray:
        """One atom per row; cannot be written to."""
        return self._atoms

    def encode(self, X: np.ndarray, mask: Optional[np.ndarray] = None, *,
               atoms: int = 10, error: float = 0.0,
               threads: int = 0) -> Codes:
        """Codes the rows of ``X`` by orthogonal matching pursuit: at most
        ``atoms`` atoms each, fewer if the mean squared residual falls to
        ``error``.  Entries where ``mask`` is true do not count."""
        return encode(self._atoms, X, mask, atoms, error, threads)

    def decode(self, codes: Codes) -> np.ndarray:
        """The signals that codes stand for, one per row."""
        return codes.dense(len(self._atoms)) @ self._atoms

    def __repr__(self):
        return (f"<Dictionary: {self.algorithm or 'unnamed'}, "
                f"{len(self._atoms)} atoms of {self.patch}x{self.patch}x"
                f"{self.channels}>")
