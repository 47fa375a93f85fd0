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

    Parameters
    ----------
    counts : ndarray of int32
        The number of entries of each code.
    indices : ndarray of int32, one row per code
        The atoms; the first ``counts[j]`` of row j count.
    values : ndarray of float32, one row per code
        Their coefficients.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> codes = tessera.Codes(np.array([2, 1]), np.array([[0, 3], [1, 0]]),
    ...                       np.array([[5., 6.], [7., 0.]]))
    >>> codes.dense(4)
    array([[5., 0., 0., 6.],
           [0., 7., 0., 0.]], dtype=float32)
    """
    counts: np.ndarray
    indices: np.ndarray
    values: np.ndarray

    def dense(self, atoms: int) -> np.ndarray:
        """The codes as a matrix, mostly of zeros.

        Parameters
        ----------
        atoms : int
            The number of atoms of the dictionary.

        Returns
        -------
        ndarray of float32, codes x atoms
            One code per row.
        """
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
    pursuit = call("pursuit_new", _c.context(threads),
                   byref(_c.matrix_of_rows(atoms)), owner="pursuit")
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
    second and the third; its length is one.  Dictionaries never change; they
    can be copied and pickled, as files are written, and a notebook draws their
    atoms.

    Parameters
    ----------
    atoms : array_like, atoms x (patch * patch * channels)
        One atom per row, of any length but zero.
    patch : int
        The side of a patch in pixels, at most 64.
    channels : int
        1 for gray or 3 for color.

    Examples
    --------
    >>> from tessera import Dictionary
    >>> cosines = Dictionary.dct(4, 1)
    >>> cosines
    <Dictionary: dct, 16 atoms of 4x4x1>
    >>> signals = cosines.atoms[[3, 5]] * 2
    >>> codes = cosines.encode(signals, atoms=1)
    >>> codes.indices.ravel().tolist()
    [3, 5]
    >>> bool(abs(cosines.decode(codes) - signals).max() < 1e-5)
    True
    >>> Dictionary(cosines.atoms[:5], 4, 1).atoms.shape
    (5, 16)
    """

    def __init__(self, atoms: np.ndarray, patch: int, channels: int = 3):
        atoms = as_rows(atoms)
        self._take(call("dictionary_from_atoms",
                        byref(_c.matrix_of_rows(atoms)), patch, channels,
                        owner="dictionary"))

    def _take(self, handle):
        self._handle = handle
        n = self.patch ** 2 * self.channels
        self._atoms = np.empty((lib.tessera_dictionary_atoms(handle), n),
                               np.float32)
        call("dictionary_get_atoms", handle,
             byref(_c.matrix_of_rows(self._atoms)))
        self._atoms.flags.writeable = False
        return self

    @classmethod
    def _from(cls, handle):
        return cls.__new__(cls)._take(handle)

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> "Dictionary":
        """Reads a file.

        Parameters
        ----------
        path : str or path
            A .safetensors or .npy file.

        Returns
        -------
        Dictionary
        """
        _c.check_file(path)
        return cls._from(call("dictionary_read", os.fsencode(path),
                              owner="dictionary"))

    @classmethod
    def dct(cls, patch: int = 10, channels: int = 3) -> "Dictionary":
        """The cosine transform.

        Parameters
        ----------
        patch : int
            The side of a patch in pixels, at most 64.
        channels : int
            1 for gray or 3 for color.

        Returns
        -------
        Dictionary
            As many orthonormal atoms as a patch has samples.
        """
        return cls._from(call("dictionary_dct", patch, channels,
                              owner="dictionary"))

    @classmethod
    def learned(cls) -> "Dictionary":
        """The one that comes with the library.

        Returns
        -------
        Dictionary
            300 atoms of 10 x 10 x 3, learned for missing pixels.
        """
        handle = _c.Handle(lib.tessera_dictionary_learned(), "dictionary")
        if not handle.pointer:
            raise MemoryError("there is no memory for a dictionary")
        return cls._from(handle)

    @classmethod
    def _decode(cls, data):
        return cls._from(call("dictionary_decode", data, len(data),
                              owner="dictionary"))

    def _encode(self):
        return _c.call_for_bytes("dictionary_encode", self._handle)

    def __reduce__(self):
        return self._decode, (self._encode(),)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a file; one that exists is replaced.

        Parameters
        ----------
        path : str or path
            Ends in .safetensors, or .npy for the atoms alone.
        """
        call("dictionary_write", self.pointer, os.fsencode(path))

    @property
    def pointer(self):
        """The TesseraDictionary, for the functions of the library."""
        return self._handle.pointer

    @property
    def patch(self) -> int:
        """The side of a patch in pixels."""
        return lib.tessera_dictionary_patch(self.pointer)

    @property
    def channels(self) -> int:
        """1 for gray or 3 for color."""
        return lib.tessera_dictionary_channels(self.pointer)

    @property
    def algorithm(self) -> Optional[str]:
        """The name of the algorithm that made it, or None."""
        name = lib.tessera_dictionary_algorithm(self.pointer)
        return name.decode() if name else None

    @property
    def atoms(self) -> np.ndarray:
        """One atom per row; cannot be written to."""
        return self._atoms

    def encode(self, X: np.ndarray, mask: Optional[np.ndarray] = None, *,
               atoms: int = 10, error: float = 0.0,
               threads: int = 0) -> Codes:
        """Codes signals by orthogonal matching pursuit.

        Parameters
        ----------
        X : array_like, signals x (patch * patch * channels)
            One signal per row.
        mask : array_like of the same shape, optional
            Entries where it is true do not count; ``decode`` predicts them.
        atoms : int
            The most atoms of a code.
        error : float
            A code is done when its mean squared residual falls to this.
        threads : int
            0 for one per core.

        Returns
        -------
        Codes
        """
        return encode(self._atoms, X, mask, atoms, error, threads)

    def decode(self, codes: Codes) -> np.ndarray:
        """The signals that codes stand for.

        Parameters
        ----------
        codes : Codes
            What ``encode`` returned.

        Returns
        -------
        ndarray of float32
            One signal per row.
        """
        return codes.dense(len(self._atoms)) @ self._atoms

    def __repr__(self):
        return (f"<Dictionary: {self.algorithm or 'unnamed'}, "
                f"{len(self._atoms)} atoms of {self.patch}x{self.patch}x"
                f"{self.channels}>")

    def _repr_png_(self):
        """All atoms as a PNG, for notebooks."""
        zoom = max(1, 24 // self.patch)
        mosaic = call("dictionary_mosaic", self._handle, zoom, owner="image")
        options = _c.WriteOptions(format=_c.FORMAT_PNG)
        return _c.call_for_bytes("image_encode", mosaic, byref(options))
