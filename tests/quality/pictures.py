"""Pictures that are damaged on purpose, and marks that are found, for quality.py:
pictures.py damage|found|samples_changed ARGUMENT... prints what the function returns.

Needs nothing but Python.  Pictures are PNGs of 8 or 16 bits without alpha; in memory
they have rows of floats, red, green and blue in turn, where white is 255.
"""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import zlib

# Unclipped noise is added to a picture of 16 bits that is this much fainter.
FAINTER = 3


def read_png(path):
    """Width, height, channels and rows of numbers, of 1, 8 or 16 bits."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    channels = {0: 1, 2: 3}[colour]
    raw, rows = zlib.decompress(packed), []
    stride, back = (width * channels * depth + 7) // 8, max(1, channels * depth // 8)
    above = bytes(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:][:stride])
        unfilter(kind, line, above, back)
        above = line
        if depth == 1:
            rows.append([255 * (line[x // 8] >> 7 - x % 8 & 1) for x in range(width)])
        elif depth == 8:
            rows.append(list(line))
        else:
            rows.append([v / 257 for v in struct.unpack(">%dH" % (stride // 2), line)])
    return width, height, channels, rows


def unfilter(kind, line, above, back):
    for i in range(len(line) if kind else 0):
        left = line[i - back] if i >= back else 0
        corner = above[i - back] if i >= back else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        else:
            p = left + above[i] - corner
            guess = min((abs(p - left), 0, left), (abs(p - above[i]), 1, above[i]),
                        (abs(p - corner), 2, corner))[2]
        line[i] = line[i] + guess & 255


def write_png(path, rows, channels=3, depth=8):
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))

    most, letter = (255, "B") if depth == 8 else (65535, "H")
    raw = b"".join(
        b"\0" + struct.pack(">%d%s" % (len(row), letter),
                            *(min(most, max(0, round(v * most / 255))) for v in row))
        for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]) // channels, len(rows), depth,
                         0 if channels == 1 else 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                   + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b""))


def samples_changed(a, b):
    """How many samples differ between two files."""
    return sum(x != y for r, s in zip(read_png(a)[3], read_png(b)[3])
               for x, y in zip(r, s))


# Marks are rows of bits, one whole number for each.

def marks(path):
    """Of a mask, where what is seen through is grey, 128."""
    width, _, channels, rows = read_png(path)
    return [int("".join("1" if max(row[x * channels:(x + 1) * channels]) > 127 else "0"
                        for x in range(width)), 2) for row in rows]


def near(rows):
    """What is within two pixels: borders drawn by hand are no better."""
    def wide(row, by):
        for _ in range(by):
            row |= row << 1 | row >> 1
        return row

    blank = [0, 0]
    padded = blank + rows + blank
    return [wide(padded[y], 1) | wide(padded[y + 1], 2) | wide(padded[y + 2], 2)
            | wide(padded[y + 3], 2) | wide(padded[y + 4], 1) for y in range(len(rows))]


def found(true_path, found_path, unsure_path):
    """Precision, recall and F1; what is unsure does not count."""
    true, seen = marks(true_path), marks(found_path)
    unsure = marks(unsure_path) if os.path.exists(unsure_path) else [0] * len(true)

    def share(part, around):
        whole = sum((p & ~u).bit_count() for p, u in zip(part, unsure))
        right = sum((p & a & ~u).bit_count() for p, a, u in zip(part, near(around), unsure))
        return right / whole if whole else 0

    precision, recall = share(seen, true), share(true, seen)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0


# Damage.  A cover says how much of each pixel is hidden, and by what shade.

def discs(cover, points, radius, shade, opaque):
    for cx, cy in points:
        for y in range(int(cy - radius) - 1, int(cy + radius) + 3):
            for x in range(int(cx - radius) - 1, int(cx + radius) + 3):
                hidden = opaque * min(1, radius - math.hypot(x - cx, y - cy) + 0.5)
                if hidden > cover.get((x, y), (0.02,))[0]:
                    cover[x, y] = hidden, shade


def scratches(random, width, height):
    cover = {}
    for _ in range(5):
        x, y, angle = random.uniform(0, width), random.uniform(0, height / 3), \
            random.uniform(1.2, 1.9)
        points = []
        for _ in range(random.randint(height // 3, height)):
            points.append((x, y))
            angle += random.gauss(0, 0.02)
            x, y = x + math.cos(angle), y + math.sin(angle)
        discs(cover, points, random.uniform(0.4, 1.5),
              random.uniform(190, 255) if random.random() < 0.7 else random.uniform(0, 40),
              random.uniform(0.5, 1))
    return cover


def dust(random, width, height):
    cover = {}
    for _ in range(width * height // 2000):
        x, y, radius = random.uniform(0, width), random.uniform(0, height), \
            random.uniform(1, 3)
        lobes = [(x + random.uniform(-1, 1) * radius, y + random.uniform(-1, 1) * radius)
                 for _ in range(3)]
        discs(cover, lobes, radius,
              random.uniform(200, 255) if random.random() < 0.5 else random.uniform(0, 50),
              random.uniform(0.55, 1))
    return cover


def hole(random, width, height):
    left, top = random.randrange(width - 40), random.randrange(height - 40)
    return {(x, y): (1, 255) for x in range(left, left + 40) for y in range(top, top + 40)}


LETTERS = {"T": (31, 4, 4, 4, 4, 4, 4), "E": (31, 16, 16, 30, 16, 16, 31),
           "S": (15, 16, 16, 14, 1, 1, 30), "R": (30, 17, 17, 30, 20, 18, 17),
           "A": (14, 17, 17, 31, 17, 17, 17)}


def text(random, width, height):
    left, top, cover = random.randrange(20, width - 200), random.randrange(20, height - 40), {}
    for n, letter in enumerate("TESSERA"):
        for y, bits in enumerate(LETTERS[letter]):
            for x in range(5):
                if bits >> 4 - x & 1:
                    cover.update(((left + 18 * n + 3 * x + i, top + 3 * y + j), (1, 250))
                                 for i in range(3) for j in range(3))
    return cover


def grain(random, rows, level):
    """Film: shared by neighbours and colours, strongest in the middle tones."""
    height, width = len(rows), len(rows[0]) // 3
    white = [[random.gauss(0, level) for _ in range(width + 1)] for _ in range(height + 1)]
    for y, row in enumerate(rows):
        for x in range(width):
            shift = (white[y][x] + white[y][x + 1] + white[y + 1][x] + white[y + 1][x + 1]) / 2
            mean = sum(row[3 * x:3 * x + 3]) / 765
            for c in range(3):
                row[3 * x + c] += shift * 4 * mean * (1 - mean)


def camera(random, rows, photons):
    """Photons behind the filters of a Bayer mosaic, missing colours by interpolation.
    The truth is the same without noise, and is returned."""
    height, width = len(rows), len(rows[0]) // 3

    def seen(y, x):
        return y % 2 + x % 2

    light = [[(rows[y][3 * x + seen(y, x)] / 255) ** 2.2 for x in range(width)]
             for y in range(height)]
    noisy = [[v + random.gauss(0, math.sqrt(v / photons + 0.008 ** 2)) for v in row]
             for row in light]

    def demosaiced(mosaic):
        result = []
        for y in range(height):
            row = []
            for x in range(width):
                total, weights = [0.0] * 3, [0] * 3
                for j in range(max(0, y - 1), min(height, y + 2)):
                    for i in range(max(0, x - 1), min(width, x + 2)):
                        weight = (2 - abs(y - j)) * (2 - abs(x - i))
                        total[seen(j, i)] += weight * mosaic[j][i]
                        weights[seen(j, i)] += weight
                total[seen(y, x)], weights[seen(y, x)] = mosaic[y][x], 1
                row += [255 * max(0, t / w) ** (1 / 2.2) for t, w in zip(total, weights)]
            result.append(row)
        return result

    return demosaiced(noisy), demosaiced(light)


def damage(program, kind, name, true, folder):
    """Writes @folder/in.png or in.jpg, true.png and, where there is one, mask.png; the
    same again for the same @kind and @name.  Returns the name of what is damaged."""
    kind, _, amount = kind.partition(":")
    number = float(amount) if amount.replace(".", "").isdigit() else 0
    draw, seed = random.Random(kind + amount + name), zlib.crc32((kind + name).encode())
    result, truth, mask = (os.path.join(folder, n) for n in ("in.png", "true.png", "mask.png"))

    def corrupt(*options, to=result):
        subprocess.run([program, "corrupt", true, "-q", "-f", "-o", to, *options], check=True)

    if kind == "given":
        result = amount.format(name)
        for extra in ("mask", "unsure"):
            path = os.path.splitext(result)[0] + "-%s.png" % extra
            if os.path.exists(path):
                shutil.copy(path, os.path.join(folder, extra + ".png"))
    if true.endswith(".png"):
        shutil.copy(true, truth)
    else:
        corrupt("--missing", "1e-9", to=truth)
    if kind == "given":
        return result
    if kind == "none":
        shutil.copy(truth, result)
    elif kind in ("pixels", "blocks", "noise"):
        corrupt("--" + kind.replace("pixels", "missing"), amount, "--seed", str(seed),
                "--mask-out", mask)
    elif kind == "jpeg":
        result = result[:-3] + "jpg"
        corrupt("--missing", "1e-9", "--jpeg-quality", amount, to=result)
    else:
        by_pixels(kind, number, amount, name, draw, (result, truth, mask))
    return result


def by_pixels(kind, number, amount, name, draw, paths):
    result, truth, mask = paths
    width, height, channels, rows = read_png(truth)
    if channels == 1:
        rows = [[v for v in row for _ in range(3)] for row in rows]
    if kind == "unclipped":
        rows = [[85 + v / FAINTER for v in row] for row in rows]
        write_png(truth, rows, depth=16)
        rows = [[v + draw.gauss(0, number / FAINTER) for v in row] for row in rows]
        return write_png(result, rows, depth=16)
    if kind == "grain":
        grain(draw, rows, number)
    elif kind == "camera":
        rows, clean = camera(draw, rows, number)
        write_png(truth, clean)
    else:
        if kind == "lost":
            _, _, one, lost = read_png(amount.format(name))
            hidden = [[v for v in row for _ in range(3 // one)] for row in lost]
            rows = [[0 if h else v for v, h in zip(*both)] for both in zip(rows, hidden)]
        elif kind == "samples":
            hidden = [[255 * (draw.random() < number) for _ in row] for row in rows]
            rows = [[0 if h else v for v, h in zip(*both)] for both in zip(rows, hidden)]
        else:
            hidden = [[0] * len(row) for row in rows]
            for (x, y), (opaque, shade) in globals()[kind](draw, width, height).items():
                if 0 <= x < width and 0 <= y < height:
                    at = slice(3 * x, 3 * x + 3)
                    rows[y][at] = [v + opaque * (shade - v) for v in rows[y][at]]
                    hidden[y][at] = [255] * 3
        write_png(mask, hidden)
    write_png(result, rows)


if __name__ == "__main__":
    print(json.dumps({f.__name__: f for f in (damage, found, samples_changed)}[sys.argv[1]](
        *sys.argv[2:])))
