"""Restore damaged pictures with dictionaries of small patches.

Pictures are NumPy arrays, height x width for gray or height x width x 3 for
color (2 and 4 channels have alpha): uint8, uint16, or float32 and float64
where 0 is black and 1 is white.  Masks are height x width, true where pixels
are missing.

>>> import numpy as np, tessera
>>> x = np.linspace(0, 255, 64)
>>> clean = np.add.outer(x, x[::-1]) / 2
>>> clean = np.repeat(clean[..., None], 3, axis=2).astype(np.uint8)
>>> damaged, mask = tessera.corrupt(clean, missing=0.3, seed=1)
>>> mended = tessera.inpaint(damaged, mask)
>>> bool((mended[~mask] == clean[~mask]).all())
True
>>> tessera.score(clean, mended).psnr > 40
True

The work is done by the installed library libtessera; TESSERA_LIBRARY names
another file of it.  Python's lock is released meanwhile, and Ctrl-C stops it.
"""
from ._library import TesseraError, version
from .dictionary import Codes, Dictionary
from .learners import (KSVD, MOD, GradientDictionary, L4Dictionary,
                       MiniBatchDictionary, OnlineDictionary,
                       OnlineL1Dictionary, OrthogonalDictionary,
                       TaskDictionary)
from .learning import learn
from .pictures import (Mask, Score, corrupt, denoise, find_damage, inpaint,
                       noise_level, read, read_pages, score, write)

__all__ = ["Codes", "Dictionary", "GradientDictionary", "KSVD",
           "L4Dictionary", "MOD", "Mask", "MiniBatchDictionary",
           "OnlineDictionary", "OnlineL1Dictionary", "OrthogonalDictionary",
           "Score", "TaskDictionary", "TesseraError", "corrupt", "denoise",
           "find_damage", "inpaint", "learn", "noise_level", "read",
           "read_pages", "score", "version", "write"]
__version__ = version()
