"""Restores a picture with the biharmonic equation of scikit-image.

usage: biharmonic.py INPUT MASK OUTPUT
"""
import sys

import numpy as np
from PIL import Image
from skimage.restoration import inpaint_biharmonic


def main():
    source, mask_file, target = sys.argv[1:4]
    picture = np.asarray(Image.open(source).convert("RGB"))
    missing = np.asarray(Image.open(mask_file).convert("L")) > 0
    filled = inpaint_biharmonic(picture / 255, missing, channel_axis=-1)
    result = picture.copy()
    result[missing] = np.clip(255 * filled[missing] + 0.5, 0, 255)
    Image.fromarray(result).save(target)


main()
