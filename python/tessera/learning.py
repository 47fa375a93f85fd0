"""Dictionaries learned from pictures in files."""
from __future__ import annotations

import os
from ctypes import addressof, byref, c_char_p
from typing import List, Optional, Union

from . import _library as _c
from ._library import call
from .dictionary import Dictionary

CONVOLUTIONAL = "convolutional"
TRANSFORM = "transform"


def _for_task(common, task, start, max_patches, rate, atoms, density):
    if atoms is not None or density is not None:
        raise ValueError("atoms and density are not for a task; its "
                         "dictionary has the atoms that it starts from")
    options = _c.TaskOptions(
        task=task.encode(), rate=rate or 0, max_patches=max_patches or 0,
        start=start.pointer if start is not None else None, **common)
    return "learn_for_task", options


def _convolutional(common, task, start, atoms, rate, density):
    if start is not None or density is not None:
        raise ValueError("start and density are not for convolutional "
                         "dictionaries")
    options = _c.ConvolutionalOptions(
        task=task.encode() if task is not None else None, atoms=atoms or 0,
        rate=rate or 0, **common)
    return "learn_convolutional", options


def _transform(common, task, start, atoms, rate, density):
    if atoms is not None or density is not None:
        raise ValueError("atoms and density are not for transforms, which "
                         "have as many atoms as a patch has samples")
    options = _c.TransformOptions(
        task=task.encode() if task is not None else None, rate=rate or 0,
        start=start.pointer if start is not None else None, **common)
    return "learn_transform", options


def _plain(common, algorithm, start, atoms, max_patches, rate, density):
    options = _c.LearnOptions(
        algorithm=algorithm.encode(), atoms=atoms or 0, rate=rate or 0,
        max_patches=max_patches or 0, density=density or 0, **common)
    if start is not None:
        options.atoms = len(start.atoms)
        options.matrix = _c.matrix_of_rows(start.atoms)
        options.start_kind = _c.START_GIVEN
        options.start = addressof(options.matrix)
    return "learn_from_files", options


def learn(paths: List[Union[str, os.PathLike]], algorithm: str = "online", *,
          task: Optional[str] = None, patch: Optional[int] = None,
          channels: int = 3, atoms: Optional[int] = None,
          start: Optional[Dictionary] = None,
          iterations: Optional[int] = None, density: Optional[float] = None,
          rate: Optional[float] = None, max_patches: Optional[int] = None,
          seed: int = 0, threads: int = 0, progress=None) -> Dictionary:
    """Learns a dictionary from pictures in files, as ``tessera learn`` does.

    What is None is as usual for the algorithm.  To learn from samples of your
    own, use the estimators, such as ``OnlineDictionary``.

    Parameters
    ----------
    paths : list of str or path
        PNG, JPEG, TIFF or WebP files.  Those that cannot be used are skipped.
    algorithm : str
        "online", "minibatch", "orthogonal", "ksvd", "mod", "online-l1",
        "task-driven", "gradient", "l4"; "transform", orthonormal atoms with
        a threshold for each in each of a few rounds of restoration; or
        "convolutional", which takes hours unless there are few
        ``iterations``.
    task : str, optional
        Kinds of damage to learn to restore, as in "missing:0.2-0.8,noise:25".
        It replaces the algorithm, unless that is "convolutional" or
        "transform".
    patch : int, optional
        The side of a patch (10; 8 for "transform", 6 for
        "convolutional").
    channels : int
        1 for gray or 3 for color.
    atoms : int, optional
        The number of atoms, for "ksvd", "mod", "online-l1", "task-driven" and
        "convolutional".
    start : Dictionary, optional
        What learning starts from; orthonormal atoms for "transform".
    iterations : int, optional
        The number of steps.
    density : float, optional
        The fraction of the codes to keep.
    rate : float, optional
        The length of a step.
    max_patches : int, optional
        The most patches per pass over the pictures.
    seed : int
        Of the random numbers.
    threads : int
        0 for one per core.
    progress : callable, optional
        Called with the fraction that is done, 0 to 1.

    Returns
    -------
    Dictionary

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, tessera
    >>> picture = np.random.default_rng(0).random((60, 60, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "noise.png")
    ...     tessera.write(picture, path)
    ...     tessera.learn([path], "ksvd", patch=4, atoms=60, iterations=2)
    <Dictionary: ksvd, 60 atoms of 4x4x3>
    """
    names = [os.fsencode(path) for path in paths]
    watch = _c.Watch(progress)
    common = {"progress": watch.callback, "patch": patch or 0,
              "channels": channels, "iterations": iterations or 0,
              "seed": seed}
    if algorithm == CONVOLUTIONAL:
        function, options = _convolutional(common, task, start, atoms, rate,
                                           density)
    elif algorithm == TRANSFORM:
        function, options = _transform(common, task, start, atoms, rate,
                                       density)
    elif task is not None:
        function, options = _for_task(common, task, start, max_patches, rate,
                                      atoms, density)
    else:
        function, options = _plain(common, algorithm, start, atoms,
                                   max_patches, rate, density)
    return Dictionary._from(call(
        function, _c.context(threads), (c_char_p * len(names))(*names),
        len(names), byref(options), watch=watch, owner="dictionary"))
