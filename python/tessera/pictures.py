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

_THROUGH = 16  # TESSERA_MASK_THROUGH
_GREY = 128    # the same in a picture of a mask
_QUALITY = {"fast": -1, "normal": 0, "best": 1}
_FILL = {"auto": 0, "smooth": 1, "texture": 2}
_FADING = {"keep": 0, "auto": 1, "neutral": 2, "always": 3}
_KEEP, _ESTIMATE, _GIVEN = 0, 1, 2

Crop = Tuple[int, int, int, int]


class Score(NamedTuple):
    """How close a result is to its reference.

    Parameters
    ----------
    psnr : float
        In dB over all samples; infinite if they are the same.
    ssim : float
        Wang's, with a window of 11; NaN for sides below that.
    ms_ssim : float
        The same over up to five scales.
    psnr_masked : float
        The PSNR of the masked pixels; NaN without any.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> grey = np.full((16, 16), 90, np.uint8)
    >>> tessera.score(grey, grey)
    Score(psnr=inf, ssim=1.0, ms_ssim=1.0, psnr_masked=nan)
    """
    psnr: float
    ssim: float
    ms_ssim: float
    psnr_masked: float


class Mask(np.ndarray):
    """Which pixels are missing: booleans that remember what shines through.

    It is an array of booleans.  ``inpaint`` also uses what is left of the
    picture below marks that may let it shine through.  Slices and copies
    remember these too; other arrays that NumPy makes of a mask do not.

    Parameters
    ----------
    levels : array_like of bytes
        0 for known pixels, 255 for lost ones, 128 for those that may shine
        through.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> mask = tessera.Mask(np.array([[0, 128], [255, 0]], np.uint8))
    >>> np.asarray(mask)
    array([[False,  True],
           [ True, False]])
    >>> mask[:, 1:].levels
    array([[128],
           [  0]], dtype=uint8)
    """

    _through = None

    def __new__(cls, levels):
        levels = np.asarray(levels)
        mask = (levels != 0).view(cls)
        mask._through = levels == _GREY
        return mask

    @property
    def through(self) -> np.ndarray:
        """Where the picture may shine through, as booleans."""
        plain = np.asarray(self) != 0
        return plain & (False if self._through is None else self._through)

    @property
    def levels(self) -> np.ndarray:
        """As bytes, 0, 128 and 255: the file that ``--mask-out`` writes."""
        plain = np.asarray(self) != 0
        return np.where(self.through, _GREY,
                        np.where(plain, 255, 0)).astype(np.uint8)

    def _remembering(self, mask, through):
        if isinstance(mask, Mask) and self._through is not None:
            mask._through = through
        return mask

    def __getitem__(self, key):
        return self._remembering(
            super().__getitem__(key),
            None if self._through is None else self._through[key])

    def copy(self, order="C"):
        """A copy that remembers the same.

        Parameters
        ----------
        order : str
            As for other arrays.

        Returns
        -------
        Mask
        """
        return self._remembering(super().copy(order), self._through)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return Mask, (self.levels,)


def _choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, "
                         f"not {value!r}")
    return choices[value]


# ---- arrays and images ----

# Sharpening and resampling take floats a little beyond 0 and 1; pictures in
# 0 .. 255 are further off.
_LEAST, _MOST = -1, 2


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


def _check_range(picture, mask):
    """Refuses floats that are not in 0 .. 1; what is missing may be anything.
    """
    if picture.dtype.kind != "f":
        return
    if mask is not None:
        picture = picture[np.asarray(mask) == 0]
    if picture.size == 0:
        return
    least, most = picture.min(), picture.max()
    if least < _LEAST or most > _MOST:
        raise ValueError(
            "in a picture of floats 0 is black and 1 is white, but this one "
            f"has values from {least:g} to {most:g}; divide it by its white, "
            "such as 255, or convert it to uint8")


def _pixels(array):
    strides = array.strides + (0,) * (3 - array.ndim)
    return _c.Pixels(array.ctypes.data, _c.TYPES[array.dtype], strides[0],
                     strides[1], strides[2])


def _image(picture, mask=None):
    picture = _check(picture)
    _check_range(picture, mask)
    channels = picture.shape[2] if picture.ndim == 3 else 1
    depth = 8 if picture.dtype == np.uint8 else 16
    image = call("image_new", picture.shape[1], picture.shape[0], channels,
                 depth, owner="image")
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


def _bits(mask):
    """A mask of pixels as the bytes of the library."""
    plain = np.asarray(mask)
    bits = np.ascontiguousarray(plain != 0, dtype=np.uint8)
    if isinstance(mask, Mask):
        bits[mask.through] |= _THROUGH
    elif plain.dtype == np.uint8 and np.isin(plain, (0, _GREY, 255)).all():
        bits[plain == _GREY] |= _THROUGH
    return bits


def _mask(mask, picture):
    if mask is None:
        return _c.Handle(None, "mask")
    shape = np.shape(mask)
    if shape == picture.shape[:2]:
        data = _bits(mask)
    elif shape == picture.shape[:2] + (3,) == picture.shape:
        # Bit 0 is the whole pixel, the next ones are its channels.
        data = ((np.asarray(mask) != 0) * np.array([2, 4, 8])).sum(
            axis=2).astype(np.uint8)
    else:
        raise ValueError(f"the mask is {shape}, but the picture "
                         f"{picture.shape}")
    handle = call("mask_new", data.shape[1], data.shape[0], owner="mask")
    lib.tessera_mask_set(handle, data.ctypes.data, data.strides[0])
    return handle


def _mask_array(handle, picture):
    data = np.empty(picture.shape[:2], np.uint8)
    lib.tessera_mask_get(handle, data.ctypes.data, data.strides[0])
    return Mask(np.where(data & _THROUGH, _GREY, np.where(data, 255, 0)))


def _read(path, page):
    options = _c.ReadOptions(page=page)
    _c.check_file(path)
    return call("image_read", os.fsencode(path), byref(options),
                owner="image")


def read(path: Union[str, os.PathLike],
         page: Optional[int] = None) -> np.ndarray:
    """The pixels of a PNG, JPEG, TIFF or WebP file, upright.

    Parameters
    ----------
    path : str or path
        The file; its content tells the format.
    page : int, optional
        That of a TIFF with several pages, from 0.  Without it, the first is
        read, with a warning that there are others.

    Returns
    -------
    ndarray of uint8 or uint16
        Height x width for gray, else height x width x channels.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, tessera
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "grey.png")
    ...     tessera.write(np.full((20, 30), 90, np.uint8), path)
    ...     tessera.read(path).shape
    (20, 30)
    """
    image = _read(path, page or 0)
    pages = lib.tessera_image_pages(image)
    if page is None and pages > 1:
        warnings.warn(f"{os.fspath(path)} has {pages} pages, and only the "
                      "first is read; read_pages() reads them all",
                      stacklevel=2)
    return _array(image)


def read_pages(path: Union[str, os.PathLike]) -> List[np.ndarray]:
    """The pixels of all pages of a file.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    list of ndarray
        One picture per page.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, tessera
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pages.tif")
    ...     tessera.write([np.zeros((20, 30)), np.ones((5, 5))], path)
    ...     [page.shape for page in tessera.read_pages(path)]
    [(20, 30), (5, 5)]
    """
    image = _read(path, 0)
    pages = lib.tessera_image_pages(image)
    return [_array(image)] + [_array(_read(path, page))
                              for page in range(1, pages)]


def _written(picture):
    """The image of a picture, or of a mask as the program writes it."""
    if np.asarray(picture).dtype != bool or np.ndim(picture) != 2:
        return _image(picture)
    return call("mask_to_image", _mask(picture, picture), owner="image")


def write(picture: Union[np.ndarray, List[np.ndarray]],
          path: Union[str, os.PathLike]) -> None:
    """Writes a picture or a mask; a file that exists is replaced.

    Parameters
    ----------
    picture : ndarray, or list of ndarray
        Booleans become black and white, as ``--mask-out`` writes them, and a
        list a TIFF with as many pages.
    path : str or path
        The extension names the format: .png, .jpg, .tif, .webp.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, tessera
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "grey.png")
    ...     tessera.write(np.array([[0, 0.2], [0.6, 1]]), path)
    ...     tessera.read(path)
    array([[    0, 13107],
           [39321, 65535]], dtype=uint16)
    """
    is_list = isinstance(picture, list)
    if is_list and not picture:
        raise ValueError("a file needs at least one picture")
    images = [_written(page) for page in (picture if is_list else [picture])]
    pages = (c_void_p * len(images))(*(image.pointer for image in images))
    call("image_write_pages", pages, len(images), os.fsencode(path), None)


# ---- restoring ----

def _restore(picture, mask, dictionary, crop, threads, progress, **fields):
    picture = _check(picture)
    if crop is not None:
        fields["area"] = _c.Area(*crop)
    image, missing = _image(picture, mask), _mask(mask, picture)
    before = _array(image, picture) if fields.get("grow") else None
    watch = _c.Watch(progress)
    options = _c.RestoreOptions(
        progress=watch.callback,
        dictionary=dictionary.pointer if dictionary is not None else None,
        **fields)
    call("restore", _c.context(threads), image, missing,
         byref(options), None, watch=watch)
    result = _array(image, picture)
    if fields["noise"] == _KEEP and not fields["fading"] and mask is not None:
        # Floats pass through 16 bits: known pixels stay as they were.
        known = np.asarray(mask) == 0
        if before is not None:
            same = result == before
            known = known.reshape(
                known.shape + (1,) * (same.ndim - known.ndim)) & same
        result[known] = picture[known]
    return result


# The share of the time that goes into finding damage.
_FINDING = 0.3


def _part(progress, begin, length):
    """Progress of a part of the work, or None."""
    if progress is None:
        return None
    return lambda done: progress(begin + length * done)


def inpaint(picture: np.ndarray, mask: Optional[np.ndarray] = None, *,
            quality: str = "normal",
            dictionary: Optional[Dictionary] = None, fill: str = "auto",
            crop: Optional[Crop] = None, seed: int = 0, threads: int = 0,
            progress=None, see_through: bool = False,
            grow: int = 0, grain: float = 0.0,
            fading: str = "keep") -> np.ndarray:
    """Fills the missing pixels of a picture.

    Known pixels come back as they were, and masked ones never affect the
    result, except those that may shine through.

    Parameters
    ----------
    picture : ndarray
        uint8, uint16, or floats where 0 is black and 1 is white.
    mask : ndarray, optional
        True where pixels are missing: height x width, or of the shape of an
        RGB picture, which then tells for each channel what is missing.
        ``find_damage`` makes masks, and in one of the bytes 0, 128 and 255,
        128 is for pixels that may shine through.  Without a mask, damage of
        all kinds is looked for and mended, as by ``tessera inpaint``.
    quality : str
        "fast", "normal" or "best".
    dictionary : Dictionary, optional
        Without it, the built-in method is used, which is better than a
        dictionary alone.
    fill : str
        What fills large holes: "auto", "smooth" or "texture".
    crop : tuple of int, optional
        The part to work on: left, top, width, height.
    seed : int
        Of the search for texture, and of grain.
    threads : int
        0 for one per core.
    progress : callable, optional
        Called with the fraction that is done, 0 to 1.
    see_through : bool
        Use what shines through all marks of the mask: half-opaque scratches,
        dust or stains.
    grow : int
        Pixels by which all marks are widened first, 0 to 16: for masks that
        leave light or dark rims.
    grain : float
        Fraction of the grain around them that filled pixels get, 0 to 1.
    fading : str
        "auto" brings back contrast and neutral colors of a picture that is
        certainly faded, after all else: at most 2.2 times the contrast, and a
        toned picture such as sepia keeps its tone.  With "neutral", that
        becomes gray; with "always", any picture is treated.

    Returns
    -------
    ndarray
        Of the shape and type of the picture.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> grey = np.full((20, 20), 90, np.uint8)
    >>> hole = np.zeros((20, 20), bool)
    >>> hole[8:11, 8:11] = True
    >>> damaged = np.where(hole, 0, grey).astype(np.uint8)
    >>> int(tessera.inpaint(damaged, hole)[9, 9])
    90
    """
    quality = _choice("quality", quality, _QUALITY)
    fill = _choice("fill", fill, _FILL)
    fading = _choice("fading", fading, _FADING)
    if mask is None:
        mask = find_damage(picture, threads=threads,
                           progress=_part(progress, 0, _FINDING))
        progress = _part(progress, _FINDING, 1 - _FINDING)
    return _restore(picture, mask, dictionary, crop, threads, progress,
                    quality=quality, fill=fill, noise=_KEEP, seed=seed,
                    see_through=int(see_through), grow=grow,
                    grain=float(grain), fading=fading)


def denoise(picture: np.ndarray, sigma: Optional[float] = None, *,
            mask: Optional[np.ndarray] = None, quality: str = "normal",
            dictionary: Optional[Dictionary] = None, strength: float = 0.0,
            grain: float = 0.0, crop: Optional[Crop] = None, threads: int = 0,
            progress=None, fading: str = "keep") -> np.ndarray:
    """Removes noise.

    Parameters
    ----------
    picture : ndarray
        uint8, uint16, or floats where 0 is black and 1 is white.
    sigma : float, optional
        The standard deviation of the noise where white is 255.  Without it,
        the noise is estimated.
    mask : ndarray, optional
        Pixels where it is true are filled too.  Dead pixels are not looked
        for: ``find_damage(picture, "dead")`` does that.
    quality : str
        "fast", "normal" or "best".
    dictionary : Dictionary, optional
        Without it, the built-in method is used, which is better than a
        dictionary alone.
    strength : float
        A factor of the noise that is estimated, up to 10; 0 means 1 where the
        noise is certain, and no removal elsewhere.
    grain : float
        The fraction of the fine grain to leave, 0 to 1, where the noise is
        estimated.
    crop : tuple of int, optional
        The part to work on: left, top, width, height.
    threads : int
        0 for one per core.
    progress : callable, optional
        Called with the fraction that is done, 0 to 1.
    fading : str
        "auto" brings back contrast and neutral colors of a picture that is
        certainly faded, after all else: at most 2.2 times the contrast, and a
        toned picture such as sepia keeps its tone.  With "neutral", that
        becomes gray; with "always", any picture is treated.

    Returns
    -------
    ndarray
        Of the shape and type of the picture.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> grey = np.full((40, 40), 90, np.uint8)
    >>> noisy, _ = tessera.corrupt(grey, noise=10, seed=1)
    >>> tessera.score(grey, tessera.denoise(noisy, 10)).psnr > 40
    True
    """
    fields = {"noise": _ESTIMATE, "strength": float(strength),
              "grain": float(grain)} if sigma is None else {
        "noise": _GIVEN, "sigma": float(sigma)}
    return _restore(picture, mask, dictionary, crop, threads, progress,
                    quality=_choice("quality", quality, _QUALITY),
                    fading=_choice("fading", fading, _FADING), **fields)


def noise_level(picture: np.ndarray, mask: Optional[np.ndarray] = None, *,
                threads: int = 0) -> float:
    """Estimates the standard deviation of white noise.

    Parameters
    ----------
    picture : ndarray
        uint8, uint16, or floats where 0 is black and 1 is white.
    mask : ndarray, optional
        Pixels where it is true do not count.
    threads : int
        0 for one per core.

    Returns
    -------
    float
        Where white is 255; 0 where the noise is too weak to tell from the
        grain of a clean photograph.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> grey = np.full((200, 200), 128, np.uint8)
    >>> noisy, _ = tessera.corrupt(grey, noise=20, seed=1)
    >>> 18 < tessera.noise_level(noisy) < 22
    True
    """
    picture = _check(picture)
    image, ignore = _image(picture, mask), _mask(mask, picture)
    return call("noise_level", _c.context(threads), image,
                ignore)


def find_damage(picture: np.ndarray, kinds: Optional[str] = None, *,
                strength: float = 1.0, threads: int = 0, progress=None,
                levels: bool = False) -> np.ndarray:
    """Looks for scratches, dust, stamps and other damage.

    Parameters
    ----------
    picture : ndarray
        uint8, uint16, or floats where 0 is black and 1 is white.
    kinds : str, optional
        Names separated by commas, as in "scratches,dust"; without it, all
        kinds are looked for.
    strength : float
        Above 1, up to 4, marks more; below 1, down to 0.25, less.
    threads : int
        0 for one per core.
    progress : callable, optional
        Called with the fraction that is done, 0 to 1.
    levels : bool
        Return the bytes 0, 128 and 255 of the file that ``--mask-out`` writes
        instead, which are the ``levels`` of the mask.

    Returns
    -------
    Mask
        Booleans, true where there is damage.  The mask remembers which
        scratches and dust may let the picture shine through, so that
        ``inpaint(picture, mask)`` gives the same as ``tessera inpaint``.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> x = np.linspace(50, 200, 64)
    >>> clean = np.add.outer(x, x[::-1]) / 2
    >>> damaged, lost = tessera.corrupt(clean.astype(np.uint8),
    ...                                 blocks=(8, 2), seed=1)
    >>> mask = tessera.find_damage(damaged, "blocks")
    >>> bool((mask == lost).all())
    True
    """
    picture = _check(picture)
    image, watch = _image(picture), _c.Watch(progress)
    options = _c.FindOptions(progress=watch.callback,
                             kinds=kinds.encode() if kinds else None,
                             strength=float(strength))
    found = call("find_damage", _c.context(threads), image,
                 byref(options), watch=watch, owner="mask")
    mask = _mask_array(found, picture)
    return mask.levels if levels else mask


# ---- experiments ----

def corrupt(picture: np.ndarray, *, missing: float = 0.0,
            blocks: Optional[Tuple[int, int]] = None, noise: float = 0.0,
            seed: int = 0) -> Tuple[np.ndarray, np.ndarray]:
    """Damages a picture.

    Parameters
    ----------
    picture : ndarray
        uint8, uint16, or floats where 0 is black and 1 is white.
    missing : float
        The fraction of the pixels to black out, 0 to 1.
    blocks : tuple of int, optional
        The side and the number of squares to black out.
    noise : float
        The standard deviation of noise to add, where white is 255.
    seed : int
        The same seed gives the same damage.

    Returns
    -------
    damaged : ndarray
        A damaged copy.
    mask : ndarray of bool
        True where it became black.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> _, mask = tessera.corrupt(np.ones((10, 10)), missing=0.25, seed=3)
    >>> int(mask.sum())
    25
    """
    picture = _check(picture)
    side, count = blocks if blocks is not None else (0, 0)
    options = _c.DamageOptions(missing=missing, block_side=side,
                               block_count=count, noise=noise, seed=seed)
    mask = c_void_p()
    damaged = call("damage", _image(picture), byref(options),
                   byref(mask), owner="image")
    mask = _c.Handle(mask.value, "mask")
    return (_array(damaged, picture),
            np.asarray(_mask_array(mask, picture)))


def score(reference: np.ndarray, result: np.ndarray,
          mask: Optional[np.ndarray] = None) -> Score:
    """Tells how close a result is to its reference; alpha does not count.

    Parameters
    ----------
    reference, result : ndarray
        Pictures of the same size.
    mask : ndarray, optional
        Pixels whose PSNR is given too.

    Returns
    -------
    Score
        PSNR in dB, SSIM, MS-SSIM, and the PSNR of the pixels of ``mask``.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> grey = np.full((16, 16), 90, np.uint8)
    >>> round(tessera.score(grey, grey + np.uint8(1)).psnr, 2)
    48.13
    """
    report = _c.ScoreReport()
    call("score", _image(reference), _image(result),
         _mask(mask, _check(reference)), byref(report))
    return Score(report.psnr, report.ssim, report.ms_ssim, report.psnr_masked)
