#!/usr/bin/python3
"""Photographs of animals, buildings and things: everyday.py FOLDER

The finders of dust learn from landscapes and from these, since landscapes have
few straight edges, letters and eyes.  They come from Debian's packages, are
made at most MOST_SIDE pixels wide and high, and written as PNG.  Needs Debian's
python3-opencv and python3-numpy.
"""
import glob
import os
import struct
import subprocess
import sys
import tempfile

import cv2
import numpy as np

MOST_SIDE, LEAST_SIDE = 768, 250

# After the landscapes, if all are in one folder: these keep their numbers, by which
# some are kept apart.
PREFIX = "x-"

# What is taken from each package.
PACKAGES = {
    "gcompris-qt-data": [
        f"**/{name}.rcc" for name in (
            "clickgame", "details", "erase", "explore_farm_animals",
            "explore_monuments", "explore_world_animals", "explore_world_music")],
    "lomiri-wallpapers-16.04": ["**/backgrounds/*.*"],
    "mate-backgrounds": ["**/nature/*.*"],
    "opencv-doc": [
        f"**/examples/data/{name}.*" for name in (
            "aero1", "aloeL", "baboon", "board", "box_in_scene", "building",
            "butterfly", "chicky_512", "ela_original", "fruits", "graf1", "left01",
            "leuvenA", "messi5", "rubberwhale1", "squirrel_cls", "sudoku")],
}


def pictures_in(data):
    """The JPEG and WebP files in a Qt resource: each has its length before it."""
    at = 0
    while True:
        starts = [data.find(magic, at) for magic in (b"\xff\xd8\xff", b"RIFF")]
        starts = [start for start in starts if start >= 4]
        if not starts:
            return
        start = min(starts)
        length = struct.unpack(">I", data[start - 4:start])[0]
        if 2000 < length <= len(data) - start:
            yield data[start:start + length]
            at = start + length
        else:
            at = start + 3


def is_photograph(picture):
    """Neither a drawing, which has no noise, nor a plain ground."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(float)
    steps = np.abs(np.diff(grey, axis=1))
    return (steps == 0).mean() <= .35 and steps.mean() >= 1.2


def write(data, path):
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None or min(picture.shape[:2]) < LEAST_SIDE:
        return False
    scale = min(1, MOST_SIDE / max(picture.shape[:2]))
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale,
                             interpolation=cv2.INTER_AREA)
    return is_photograph(picture) and cv2.imwrite(path, picture)


def unpack(package, folder):
    subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=folder)
    archive = glob.glob(os.path.join(folder, package + "_*.deb"))[0]
    subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for package, patterns in PACKAGES.items():
        number = 0
        with tempfile.TemporaryDirectory() as root:
            unpack(package, root)
            paths = {path for pattern in patterns
                     for path in glob.glob(os.path.join(root, pattern), recursive=True)}
            for path in sorted(paths):
                with open(path, "rb") as file:
                    data = file.read()
                for picture in pictures_in(data) if path.endswith(".rcc") else [data]:
                    name = f"{PREFIX}{package.split('-')[0]}-{number:03}.png"
                    number += write(picture, os.path.join(folder, name))
        print(f"{package}: {number} pictures")


if len(sys.argv) != 2:
    sys.exit(__doc__.split("\n")[0])
main(sys.argv[1])
