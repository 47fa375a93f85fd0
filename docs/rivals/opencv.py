"""Restores a picture with OpenCV.

usage: opencv.py ns|telea|fsr|fsr-fast INPUT MASK OUTPUT
       opencv.py nlm INPUT MASK OUTPUT SIGMA
"""
import sys

import cv2
import numpy as np

RADIUS = 3  # pixels, of the neighbourhood; that of OpenCV's own examples


def fill(channel, missing, method):
    if method.startswith("fsr"):
        result = np.zeros_like(channel)
        cv2.xphoto.inpaint(channel, np.where(missing, 0, 255).astype(np.uint8),
                           result, cv2.xphoto.INPAINT_FSR_BEST
                           if method == "fsr" else
                           cv2.xphoto.INPAINT_FSR_FAST)
        return result
    flag = cv2.INPAINT_NS if method == "ns" else cv2.INPAINT_TELEA
    return cv2.inpaint(channel, missing.astype(np.uint8), RADIUS, flag)


def main():
    method, source, mask_file, target = sys.argv[1:5]
    picture = cv2.imread(source, cv2.IMREAD_UNCHANGED)
    mask = cv2.imread(mask_file, cv2.IMREAD_UNCHANGED)
    if method == "nlm":
        # h of about the noise level; the sizes are OpenCV's defaults.
        picture = cv2.fastNlMeansDenoisingColored(
            picture, None, float(sys.argv[5]), float(sys.argv[5]))
        cv2.imwrite(target, picture)
        return
    if mask.ndim == 2 and picture.ndim == 3 and method in ("ns", "telea"):
        picture = fill(picture, mask > 0, method)
    else:
        if picture.ndim == 2:
            picture = picture[..., None]
        for c in range(picture.shape[2]):
            missing = mask[..., c] > 0 if mask.ndim == 3 else mask > 0
            picture[..., c] = fill(np.ascontiguousarray(picture[..., c]),
                                   missing, method)
    cv2.imwrite(target, picture)


main()
