"""Pictures: restoring, damaging, scoring."""
from __future__ import annotations

import os
import warnings
from ctypes import byref, c_void_p
from typing import List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _library as _c
from ._library import call, lib
from .dictionary import Dictionary

_THROUGH = 16   # TESSERA_MASK_THROUGH
_QUALITY = {"fast": -1, "normal": 0, "best": 1}
_FILL = {"auto": 0, "smooth": 1, "texture": 2}
_KEEP, _ESTIMATE, _GIVEN = 0, 1, 2

Crop = Tuple[int, int, int, int]


class Score(NamedTuple):
    """How close a result is to its reference."""
    psnr: float
    ssim: float
    ms_ssim: float
    psnr_masked: float


def _choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, "
                         f"not {value!r}")
    return choices[value]


# ---- arrays and images ----

def _check(picture):
    picture = np.asarray(picture)
    if picture.dtype not in _c.TYPES:
        raise TypeError("a picture is an array of uint8, uint16, float32 or "
                        f"float64, not {picture.dtype}")
    if picture.ndim not in (2, 3) or (
            picture.ndim == 3 and not 1 <= picture.shape[2] <= 4):
        raise ValueError("a picture is height x width or height x width x "
                         f"channels, not {picture.shape}")
    return picture


def _pixels(array):
    strides = array.strides + (0,) * (3 - array.ndim)
    return _c.Pixels(array.ctypes.data, _c.TYPES[array.dtype], strides[0],
                     strides[1], strides[2])


def _image(picture):
    picture = _check(picture)
    channels = picture.shape[2] if picture.ndim == 3 else 1
    depth = 8 if picture.dtype == np.uint8 else 16
    image = _c.Handle(call("image_new", picture.shape[1], picture.shape[0],
                           channels, depth), "image")
    call("image_set_pixels", image, byref(_pixels(picture)))
    return image


def _array(image, like=None):
    shape = (lib.tessera_image_height(image),
             lib.tessera_image_width(image),
             lib.tessera_image_channels(image))
    if like is not None:
        array = np.empty(like.shape, like.dtype)
    else:
        deep = lib.tessera_image_depth(image) > 8
        array = np.empty(shape if shape[2] > 1 else shape[:2],
                         np.uint16 if deep else np.uint8)
    call("image_get_pixels", image, byref(_pixels(array)))
    return array


def _mask(mask, picture):
    if mask is None:
        return _c.Handle(None, "mask")
    levels = np.asarray(mask)
    mask = levels != 0
    if mask.shape == picture.shape[:2]:
        data = np.ascontiguousarray(mask, dtype=np.uint8)
        if levels.dtype == np.uint8 and np.isin(levels, (0, 128, 255)).all():
            data[levels == 128] |= _THROUGH
    elif mask.shape == picture.shape[:2] + (3,) == picture.shape:
        # Bit 0 is the whole pixel, the next ones are its channels.
        data = (mask * np.array([2, 4, 8])).sum(axis=2).astype(np.uint8)
    else:
        raise ValueError(f"the mask is {mask.shape}, but the picture "
                         f"{picture.shape}")
    handle = _c.Handle(call("mask_new", data.shape[1], data.shape[0]), "mask")
    lib.tessera_mask_set(handle, data.ctypes.data, data.strides[0])
    return handle


def _mask_array(handle, picture, levels=False):
    data = np.empty(picture.shape[:2], np.uint8)
    lib.tessera_mask_get(handle, data.ctypes.data, data.strides[0])
    if not levels:
        return data != 0
    return np.where(data & _THROUGH, 128, np.where(data, 255, 0)).astype(np.uint8)


def _read(path, page):
    options = _c.ReadOptions(page=page)
    return _c.Handle(call("image_read", os.fsencode(path), byref(options)),
                     "image")


def read(path: Union[str, os.PathLike],
         page: Optional[int] = None) -> np.ndarray:
    """The pixels of a PNG, JPEG, TIFF or WebP file, upright.

    ``page`` is that of a TIFF with several pages, from 0.  Without it, the
    first is read, with a warning that there are others.
    """
    image = _read(path, page or 0)
    pages = lib.tessera_image_pages(image)
    if page is None and pages > 1:
        warnings.warn(f"{os.fspath(path)} has {pages} pages, and only the "
                      "first is read; read_pages() reads them all",
                      stacklevel=2)
    return _array(image)


def read_pages(path: Union[str, os.PathLike]) -> List[np.ndarray]:
    """The pixels of all pages of a file."""
    image = _read(path, 0)
    pages = lib.tessera_image_pages(image)
    return [_array(image)] + [_array(_read(path, page))
                              for page in range(1, pages)]


def write(picture: Union[np.ndarray, List[np.ndarray]],
          path: Union[str, os.PathLike]) -> None:
    """Writes a picture in the format of the extension: .png, .jpg, ...

    A list of pictures becomes a TIFF with as many pages.
    """
    is_list = isinstance(picture, list)
    if is_list and not picture:
        raise ValueError("a file needs at least one picture")
    images = [_image(page) for page in (picture if is_list else [picture])]
    pages = (c_void_p * len(images))(*(image.pointer for image in images))
    call("image_write_pages", pages, len(images), os.fsencode(path), None)


# ---- restoring ----

def _restore(picture, mask, dictionary, crop, threads, progress, **fields):
    picture = _check(picture)
    if crop is not None:
        fields["area"] = _c.Area(*crop)
    image, missing = _image(picture), _mask(mask, picture)
    watch = _c.Watch(progress)
    options = _c.RestoreOptions(
        progress=watch.callback,
        dictionary=dictionary.pointer if dictionary is not None else None,
        **fields)
    call("restore", _c.context(threads), image, missing,
         byref(options), None, watch=watch)
    result = _array(image, picture)
    if fields["noise"] == _KEEP and mask is not None:
        # Floats pass through 16 bits: known pixels stay as they were.
        known = np.asarray(mask) == 0
        result[known] = picture[known]
    return result


def inpaint(picture: np.ndarray, mask: np.ndarray, *,
            quality: str = "normal",
            dictionary: Optional[Dictionary] = None, fill: str = "auto",
            crop: Optional[Crop] = None, seed: int = 0, threads: int = 0,
            progress=None, see_through: bool = False) -> np.ndarray:
    """Fills the pixels of a picture for which a mask is true.

    A mask as deep as an RGB picture tells for each channel what is missing.
    In a mask of the bytes 0, 128 and 255, 128 says that the picture may shine
    through, as with ``see_through``.

    Known pixels come back as they were, and masked ones never affect the
    result unless ``see_through`` is true: what shines through half-opaque
    scratches, dust or stains is then used.  ``quality`` is "fast", "normal" or "best", ``fill`` (for large
    holes) "auto", "smooth" or "texture".  Without ``dictionary``, the built-in
    method is used, which is better than a dictionary alone.  ``crop`` is the
    part to work on: left, top, width, height.  ``progress`` is called with the
    fraction that is done, 0 to 1.

    >>> import numpy as np
    >>> grey = np.full((20, 20), 90, np.uint8)
    >>> hole = np.zeros((20, 20), bool)
    >>> hole[8:11, 8:11] = True
    >>> inpaint(np.where(hole, 0, grey).astype(np.uint8), hole)[9, 9]
    90
    """
    return _restore(picture, mask, dictionary, crop, threads, progress,
                    quality=_choice("quality", quality, _QUALITY),
                    fill=_choice("fill", fill, _FILL), noise=_KEEP, seed=seed,
                    see_through=int(see_through))


def denoise(picture: np.ndarray, sigma: Optional[float] = None, *,
            mask: Optional[np.ndarray] = None, quality: str = "normal",
            dictionary: Optional[Dictionary] = None, strength: float = 0.0,
            grain: float = 0.0, crop: Optional[Crop] = None, threads: int = 0,
            progress=None) -> np.ndarray:
    """Removes noise.

    ``sigma`` is its standard deviation where white is 255; without it, the
    noise is estimated, and ``strength`` is a factor of it, up to 10: 0 means 1
    where the noise is certain, and no removal elsewhere.  ``grain`` is the
    fraction of the fine grain to leave, 0 to 1.  Pixels for which ``mask`` is
    true are filled too.  ``crop`` is the part to work on: left, top, width,
    height.
    """
    fields = {"noise": _ESTIMATE, "strength": float(strength),
              "grain": float(grain)} if sigma is None else {
        "noise": _GIVEN, "sigma": float(sigma)}
    return _restore(picture, mask, dictionary, crop, threads, progress,
                    quality=_choice("quality", quality, _QUALITY), **fields)


def noise_level(picture: np.ndarray, mask: Optional[np.ndarray] = None, *,
                threads: int = 0) -> float:
    """Standard deviation of white noise where white is 255; 0 where it is too
    weak to tell from the grain of a clean photograph."""
    picture = _check(picture)
    image, ignore = _image(picture), _mask(mask, picture)
    return call("noise_level", _c.context(threads), image,
                ignore)


def find_damage(picture: np.ndarray, kinds: Optional[str] = None, *,
                strength: float = 1.0, threads: int = 0, progress=None,
                levels: bool = False) -> np.ndarray:
    """A mask of the damage that is found: scratches, dust, stamps ...

    ``kinds`` are names separated by commas, as in "scratches,dust"; without
    it, all kinds are looked for.  A ``strength`` above 1, up to 4, marks more;
    below 1, down to 0.25, less.  The mask is of booleans; with ``levels`` it
    is of bytes, as in the file that ``--mask-out`` writes: 255 for what is
    lost, 128 for scratches and dust that may let the picture shine through,
    which ``inpaint`` then uses.
    """
    picture = _check(picture)
    image, watch = _image(picture), _c.Watch(progress)
    options = _c.FindOptions(progress=watch.callback,
                             kinds=kinds.encode() if kinds else None,
                             strength=float(strength))
    found = call("find_damage", _c.context(threads), image,
                 byref(options), watch=watch, owner="mask")
    return _mask_array(found, picture, levels)


# ---- experiments ----

def corrupt(picture: np.ndarray, *, missing: float = 0.0,
            blocks: Optional[Tuple[int, int]] = None, noise: float = 0.0,
            seed: int = 0) -> Tuple[np.ndarray, np.ndarray]:
    """A damaged copy of a picture, and the mask of what became black.

    ``missing`` is a fraction of the pixels, ``blocks`` the side and the
    number of squares, ``noise`` a standard deviation where white is 255.

    >>> import numpy as np
    >>> _, mask = corrupt(np.ones((10, 10)), missing=0.25, seed=3)
    >>> int(mask.sum())
    25
    """
    picture = _check(picture)
    side, count = blocks if blocks is not None else (0, 0)
    options = _c.DamageOptions(missing=missing, block_side=side,
                               block_count=count, noise=noise, seed=seed)
    mask = c_void_p()
    damaged = call("damage", _image(picture), byref(options),
                   byref(mask))
    mask = _c.Handle(mask.value, "mask")
    return (_array(_c.Handle(damaged, "image"), picture),
            _mask_array(mask, picture))


def score(reference: np.ndarray, result: np.ndarray,
          mask: Optional[np.ndarray] = None) -> Score:
    """PSNR in dB, SSIM, MS-SSIM, and the PSNR of the pixels of ``mask``."""
    report = _c.ScoreReport()
    call("score", _image(reference), _image(result),
         _mask(mask, _check(reference)), byref(report))
    return Score(report.psnr, report.ssim, report.ms_ssim, report.psnr_masked)
