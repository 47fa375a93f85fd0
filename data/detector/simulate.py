"""Damaged photographs to learn from, with the truth about every pixel.

An example is a part of a photograph, aged like an old print, covered by damage and
scanned: blurred, noisy, compressed.  `Simulator.example` returns

    picture   side x side x 3 bytes
    change    side x side bytes: 255 times the largest change of a channel by damage,
              after the blur of the scan and before its noise
    alpha     side x side bytes: how opaque the damage is
    kind      side x side bytes: 0, or 1 + the index in KINDS of the strongest layer

The film library has real shapes of dirt, dust, hair and scratches (Ivanova,
Williamson, Henderson, "Simulating analogue film damage", 2023); cracks, creases,
lost emulsion, torn edges, stains and dates are drawn.
"""
import glob
import os

import cv2
import numpy as np

KINDS = ("lines", "specks", "areas", "text", "stains")
LINES, SPECKS, AREAS, TEXT, STAINS = range(1, 6)

FINE = 4              # shapes are drawn at this many times the size
CLEAN_SHARE = .40     # of the examples have no damage
SLIGHT_SHARE = .20    # have one layer with few marks
PLAIN_CLEAN_SHARE = .15
DRAWN_SHARE = .06     # are drawings instead of photographs


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def smooth_noise(rng, shape, sigma):
    """Noise of unit deviation that is correlated over about @sigma pixels."""
    if sigma < .3:
        return rng.standard_normal(shape[:2], dtype=np.float32)
    reduce = max(1, int(sigma / 2))
    height, width = (side // reduce + 2 for side in shape[:2])
    noise = rng.standard_normal((height, width), dtype=np.float32)
    noise = cv2.GaussianBlur(noise, (0, 0), sigma / reduce)
    noise /= noise.std() + 1e-6
    if reduce > 1:
        noise = cv2.resize(noise, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
    return noise[:shape[0], :shape[1]]


# ---- shapes: each adds to a layer of opacities ----


def walk(rng, start, angle, step, turn, count, drift=0.):
    """A path of @count steps whose direction turns a little at each."""
    angles = angle + np.cumsum(rng.normal(drift, turn, count))
    moves = step * np.stack([np.cos(angles), np.sin(angles)], 1)
    return np.concatenate([[start], start + np.cumsum(moves, 0)])


def anywhere(rng, layer, beyond=.1):
    height, width = layer.shape
    return np.array([rng.uniform(-beyond, 1 + beyond) * width,
                     rng.uniform(-beyond, 1 + beyond) * height])


def box_around(layer, points, margin):
    """The part of the layer around @points, and its corner."""
    low = np.clip(np.floor(points.min(0) - margin), 0, None).astype(int)
    high = np.minimum(np.ceil(points.max(0) + margin + 1).astype(int), layer.shape[::-1])
    return (None, low) if (high <= low).any() else (layer[low[1]:high[1], low[0]:high[0]], low)


def add_fine(view, fine, opacity=1.):
    """Adds a shape that was drawn at FINE times the size."""
    part = cv2.resize(fine, view.shape[::-1], interpolation=cv2.INTER_AREA)
    np.maximum(view, part.astype(np.float32) * (opacity / 255), out=view)


def fine_of(view):
    return np.zeros((view.shape[0] * FINE, view.shape[1] * FINE), np.uint8)


def stroke(layer, rng, points, width, opacity=1., rough=.2, gaps=0.):
    """A line along @points, of uneven width and with gaps."""
    widths = width * np.exp(rough * np.cumsum(rng.normal(0, .5, len(points)))
                            / np.sqrt(1 + np.arange(len(points)) / 4))
    drawn = rng.random(len(points)) >= gaps
    view, low = box_around(layer, points, 3 * width + 1)
    if view is None:
        return
    fine = fine_of(view)
    fixed = np.round((points - low) * FINE * 16).astype(np.int64)
    for k in range(len(points) - 1):
        if drawn[k]:
            cv2.line(fine, tuple(fixed[k].tolist()), tuple(fixed[k + 1].tolist()), 255,
                     max(1, int(round(FINE * min(widths[k], 3 * width)))), cv2.LINE_AA, 4)
    add_fine(view, fine, opacity)


def crack(layer, rng, depth=0, start=None, angle=None, width=None):
    """A jagged line that branches."""
    width = width or log_uniform(rng, .5, 3.5)
    start = anywhere(rng, layer) if start is None else start
    angle = rng.uniform(0, 2 * np.pi) if angle is None else angle
    step, turn = log_uniform(rng, 2, 12), rng.uniform(.08, .6)
    points = walk(rng, start, angle, step, turn, int(rng.integers(8, 60)),
                  rng.normal(0, .02))
    stroke(layer, rng, points, width, rng.uniform(.5, 1), .35, rng.uniform(0, .25))
    if depth == 0 and rng.random() < .25:     # a companion beside it
        aside = points + rng.normal(0, 1, 2) * rng.uniform(2, 8) + rng.normal(0, .7, points.shape)
        stroke(layer, rng, aside, width * rng.uniform(.3, .8), rng.uniform(.4, 1), .3, .4)
    if depth < 2:
        for _ in range(int(rng.integers(0, 4 - depth))):
            k = rng.integers(len(points))
            crack(layer, rng, depth + 1, points[k], rng.uniform(0, 2 * np.pi),
                  width * rng.uniform(.3, .9))


def craquelure(layer, rng):
    """A net of cracks around cells of dry paint or gelatine."""
    height, width = layer.shape
    cell = log_uniform(rng, 8, 40)
    count = max(4, int(height * width / cell ** 2))
    seeds = np.stack([rng.uniform(0, width, count), rng.uniform(0, height, count)], 1)
    subdivision = cv2.Subdiv2D((-9, -9, width + 18, height + 18))
    subdivision.insert(seeds.astype(np.float32).tolist())
    facets, _ = subdivision.getVoronoiFacetList([])
    thickness, shown = log_uniform(rng, .5, 1.8), rng.uniform(.3, 1)
    where = smooth_noise(rng, layer.shape, rng.uniform(15, 60)) > rng.uniform(-1.5, .8)
    net = np.zeros_like(layer)
    for facet in facets:
        if rng.random() < shown:
            corners = np.concatenate([facet, facet[:1]])
            part = np.concatenate([np.linspace(a, b, 4)[:-1] for a, b in
                                   zip(corners[:-1], corners[1:])])
            part = part + rng.normal(0, cell * .04, part.shape)
            stroke_fast(net, part, thickness)
    np.maximum(layer, net * where * rng.uniform(.5, 1), out=layer)


def stroke_fast(layer, points, width):
    """A thin line drawn straight into the layer, for shapes of many parts."""
    view, low = box_around(layer, points, width + 2)
    if view is None:
        return
    fine = fine_of(view)
    fixed = np.round((points - low) * FINE * 16).astype(np.int32)
    cv2.polylines(fine, [fixed.reshape(-1, 1, 2)], False, 255,
                  max(1, int(round(width * FINE))), cv2.LINE_AA, 4)
    add_fine(view, fine)


def scratch(layer, rng, angle=None):
    """A straight or gently curved line; along the film, across it or in any direction."""
    if angle is None:
        angle = (rng.uniform(0, 2 * np.pi) if rng.random() < .6
                 else rng.choice([0, np.pi / 2]) + rng.normal(0, .05))
    points = walk(rng, anywhere(rng, layer), angle, rng.uniform(4, 10),
                  rng.choice([.003, .02, .05, .1]), int(rng.integers(4, 60)),
                  rng.normal(0, .01))
    stroke(layer, rng, points, log_uniform(rng, .5, 3.2), rng.uniform(.35, 1),
           rng.choice([0., .1, .25]), rng.choice([0., 0., .1, .3]))


def scratches(layer, rng, few):
    if not few and rng.random() < .25:        # many in one direction
        angle = rng.uniform(0, 2 * np.pi)
        for _ in range(int(rng.integers(3, 12))):
            scratch(layer, rng, angle + rng.normal(0, .06))
    else:
        for _ in range(int(rng.integers(1, 3 if few else 8))):
            scratch(layer, rng)


def hair(layer, rng):
    """A curl: its curvature changes slowly."""
    count = int(rng.integers(10, 60))
    bend = np.cumsum(rng.normal(0, .03, count)) + rng.normal(0, .08)
    angles = rng.uniform(0, 2 * np.pi) + np.cumsum(bend)
    moves = rng.uniform(1.5, 4) * np.stack([np.cos(angles), np.sin(angles)], 1)
    stroke(layer, rng, anywhere(rng, layer, 0) + np.cumsum(moves, 0),
           log_uniform(rng, .6, 3.), rng.uniform(.5, 1), .1)


def outline(rng, radius, corners=32, waves=.25):
    """A closed curve around (0, 0): an ellipse with waves that become finer and weaker."""
    angle = np.linspace(0, 2 * np.pi, corners, False)
    rim = np.zeros(corners)
    for k in range(1, corners // 3):
        rim += rng.normal(0, waves / k) * np.cos(k * angle + rng.uniform(0, 2 * np.pi))
    rim = radius * np.exp(rim)
    points = np.stack([rim * np.cos(angle), rim * np.sin(angle) * rng.uniform(.35, 1)], 1)
    turn = rng.uniform(0, np.pi)
    return points @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def fill_shape(layer, points, opacity):
    view, low = box_around(layer, points, 2)
    if view is None:
        return
    fine = fine_of(view)
    cv2.fillPoly(fine, [np.round((points - low) * FINE).astype(np.int32)], 255)
    add_fine(view, fine, opacity)


def specks(layer, rng, few):
    """Specks of all sizes, most of them small, in any density."""
    count = int(rng.integers(1, 5)) if few else int(log_uniform(rng, 3, 160))
    largest = log_uniform(rng, 1.2, 7)
    opacity = rng.uniform(.5, 1)
    for _ in range(count):
        radius = .5 + largest * rng.random() ** rng.choice([1, 2, 3])
        fill_shape(layer, anywhere(rng, layer, 0) + outline(rng, radius, 16, .22),
                   opacity * rng.uniform(.7, 1))


def torn_outline(rng, radius):
    """A closed curve of straight tears, each a little ragged."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(4, 12)))
    reach = radius * np.exp(rng.normal(0, .35, len(angles)))
    corners = reach[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
    sides = zip(corners, np.roll(corners, -1, 0))
    points = np.concatenate([np.linspace(a, b, 12)[:-1] for a, b in sides])
    return points + rng.normal(0, rng.uniform(0, .03) * radius, points.shape)


def flake(layer, rng):
    """Emulsion that came off: a ragged patch, often with smaller ones beside it."""
    largest = .4 * layer.shape[0] if rng.random() < .35 else 30
    centre, radius = anywhere(rng, layer, 0), log_uniform(rng, 2.5, largest)
    shape = torn_outline(rng, radius) if rng.random() < .4 else \
        outline(rng, radius, 96, rng.choice([.15, .3, .5]))
    fill_shape(layer, centre + shape, rng.uniform(.8, 1))
    for _ in range(int(rng.integers(0, 8))):
        at = centre + rng.normal(0, 1.3 * radius, 2)
        fill_shape(layer, at + outline(rng, radius * rng.uniform(.05, .35), 48, .5),
                   rng.uniform(.8, 1))


def torn_edge(layer, rng):
    """Paper torn or worn away at an edge, or at a corner."""
    height, width = layer.shape
    if rng.random() < .5:
        depth = log_uniform(rng, 1.5, 22)
        profile = depth * np.exp(smooth_noise(rng, (1, height), rng.uniform(3, 40))[0]
                                 * rng.uniform(.2, .8))
        profile += rng.uniform(0, 1) * np.abs(smooth_noise(rng, (1, height), 1)[0])
        if rng.random() < .5:
            profile *= smooth_noise(rng, (1, height), rng.uniform(20, 80))[0] > rng.uniform(-1, 1)
        part = np.clip(profile[:, None] - np.arange(width)[None, :], 0, 1)
    else:
        size = log_uniform(rng, 6, .5 * width)
        count = int(rng.integers(2, 9))
        along = np.linspace(0, np.pi / 2, count)
        reach = size * np.exp(rng.normal(0, .3, count))
        corner = np.stack([reach * np.cos(along), reach * np.sin(along)], 1)
        if rng.random() < .5:
            dense = np.concatenate([np.linspace(a, b, 12)[:-1] for a, b in
                                    zip(corner[:-1], corner[1:])] + [corner[-1:]])
            corner = dense + rng.normal(0, rng.uniform(0, 2), dense.shape)
            corner[0, 1] = corner[-1, 0] = -3
        part = np.zeros_like(layer)
        fill_shape(part, np.concatenate([[[-3, -3]], corner]), 1.)
    np.maximum(layer, np.rot90(part, rng.integers(4)), out=layer)


def crease(rng, shape):
    """A fold: a bright or dark side, a broken line of lost emulsion, flakes beside it.
    Returns the opacities of the loss and a field of shading."""
    height, width = shape
    loss = np.zeros(shape, np.float32)
    angle = rng.uniform(0, np.pi) if rng.random() < .5 else rng.choice([0, np.pi / 2]) + rng.normal(0, .04)
    middle = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    way = np.array([np.cos(angle), np.sin(angle)])
    reach = np.hypot(height, width)
    count = int(reach / 3)
    along = np.linspace(-reach, reach, 2 * count)
    aside = np.cumsum(rng.normal(0, rng.choice([.05, .2, .6]), 2 * count))
    points = middle + along[:, None] * way + (aside - aside[count])[:, None] * np.array([-way[1], way[0]])
    shown = smooth_noise(rng, (1, 2 * count), rng.uniform(2, 25))[0] > rng.uniform(-1.8, .8)
    width_of = log_uniform(rng, .5, 3)
    run = [[]]
    for point, there in zip(points, shown):
        if there:
            run[-1].append(point)
        elif run[-1]:
            run.append([])
    for part in run:
        if len(part) > 1:
            part = np.array(part) + rng.normal(0, .3 * width_of, (len(part), 2))
            stroke_fast(loss, part, width_of * rng.uniform(.5, 1.5))
    for _ in range(int(rng.integers(0, 25))):
        at = points[rng.integers(len(points))] + rng.normal(0, 2 * width_of, 2)
        fill_shape(loss, at + outline(rng, width_of * rng.uniform(.3, 1.8), 16, .4), 1.)
    yy, xx = np.mgrid[:height, :width].astype(np.float32)
    distance = (xx - middle[0]) * -way[1] + (yy - middle[1]) * way[0]
    spread = log_uniform(rng, 1., 8)
    shade = distance / spread * np.exp(.5 - .5 * (distance / spread) ** 2)
    if rng.random() < .4:
        shade = np.exp(-.5 * (distance / spread) ** 2)
    return loss, shade.astype(np.float32) * rng.uniform(-.25, .25)


def worn_folds(layer, rng):
    """Where a print was folded: broad soft bands, uneven and frayed, some at right angles."""
    height, width = layer.shape
    first = rng.uniform(0, np.pi) if rng.random() < .3 else rng.normal(0, .04)
    yy, xx = np.mgrid[:height, :width].astype(np.float32)
    wave = smooth_noise(rng, layer.shape, log_uniform(rng, 10, 60)) * rng.uniform(0, 2.5)
    for k in range(int(rng.integers(1, 5))):
        angle = first + (k % 2) * np.pi / 2 + rng.normal(0, .05)
        middle = anywhere(rng, layer, 0)
        distance = (xx - middle[0]) * -np.sin(angle) + (yy - middle[1]) * np.cos(angle) + wave
        breadth = log_uniform(rng, .6, 7)
        band = np.exp(-.5 * (distance / breadth) ** rng.choice([2, 4]))
        fray = rng.uniform(.3, 1) + .5 * smooth_noise(rng, layer.shape, log_uniform(rng, .5, 6))
        along = smooth_noise(rng, layer.shape, log_uniform(rng, 8, 60)) + rng.uniform(-.3, 2)
        part = band * np.clip(fray, 0, 1) * np.clip(2 * along, 0, 1)
        np.maximum(layer, part.astype(np.float32), out=layer)


def stain(layer, rng):
    """Water, ink or glue: a soft area, often with a darker border."""
    points = anywhere(rng, layer, 0) + outline(rng, log_uniform(rng, 6, 90), 64, .35)
    area = np.zeros_like(layer)
    fill_shape(area, points, 1.)
    soft = cv2.GaussianBlur(area, (0, 0), log_uniform(rng, .6, 6))
    if rng.random() < .5:
        wide = cv2.GaussianBlur(area, (0, 0), log_uniform(rng, 2, 6))
        soft = np.clip(rng.uniform(.2, .8) * soft + 3 * soft * (1 - wide) * rng.uniform(.2, 1), 0, 1)
    np.maximum(layer, soft * (1 + .3 * smooth_noise(rng, layer.shape, rng.uniform(2, 20))).clip(0, 1.5), out=layer)


def fingerprint(layer, rng):
    height, width = layer.shape
    centre, size = anywhere(rng, layer, 0), rng.uniform(20, 60)
    yy, xx = np.mgrid[:height, :width].astype(np.float32)
    y, x = yy - centre[1], (xx - centre[0]) * rng.uniform(.6, 1.2)
    bend = smooth_noise(rng, layer.shape, 15) * rng.uniform(1, 4)
    ridges = .5 + .5 * np.sin((np.hypot(x, y) + bend) * 2 * np.pi / rng.uniform(3, 6))
    fade = np.clip(1.2 - np.hypot(x, y) / size, 0, 1)
    grip = np.clip(smooth_noise(rng, layer.shape, 6) + .8, 0, 1)
    np.maximum(layer, (ridges * fade * grip).astype(np.float32), out=layer)


def tape(layer, rng):
    """A strip of adhesive tape, with its edges."""
    centre, angle = anywhere(rng, layer, 0), rng.uniform(0, np.pi)
    box = cv2.boxPoints((tuple(centre.tolist()), (rng.uniform(60, 300), rng.uniform(12, 50)),
                         float(np.degrees(angle))))
    inside = np.zeros_like(layer)
    fill_shape(inside, box, rng.uniform(.4, .8))
    rim = np.zeros_like(layer)
    stroke_fast(rim, np.concatenate([box, box[:1]]), rng.uniform(.8, 2))
    np.maximum(layer, np.maximum(inside, rim * rng.uniform(.5, 1)), out=layer)


def text_of(rng):
    day = f"{rng.integers(1, 13)} {rng.integers(1, 29):2d}"
    return (f"'{rng.integers(60, 100)} {day}", f"{rng.integers(1960, 2010)}. {day}",
            f"{day.replace(' ', '/')}/{rng.integers(60, 100)}", f"{rng.integers(0, 24)}:{rng.integers(10, 60)}",
            "".join(chr(rng.integers(65, 91)) for _ in range(rng.integers(3, 9))),
            )[rng.choice(5, p=[.4, .15, .15, .1, .2])]


def text(layer, rng, fonts):
    """A printed date or a word, mostly upright."""
    from PIL import Image, ImageDraw
    height, width = layer.shape
    size = int(log_uniform(rng, 10, 44))
    words = text_of(rng)
    font = fonts[rng.integers(len(fonts))].font_variant(size=size)
    canvas = Image.new("L", (width, height))
    at = (int(rng.uniform(-.3, .8) * width), int(rng.uniform(0, .95) * height))
    ImageDraw.Draw(canvas).text(at, words, fill=255, font=font)
    part = np.asarray(canvas, np.float32) / 255
    part = np.rot90(part, rng.choice([0, 0, 0, 0, 1, 2, 3]))
    np.maximum(layer, part, out=layer)


# ---- the library of film damage ----


class Library:
    """Shapes of real damage, each the opacities of a square of film."""

    KIND = {"hair": LINES, "hair-short": LINES, "lint": LINES, "scratches": LINES,
            "stain": STAINS}

    def __init__(self, folder):
        self.shapes = {name: sorted(glob.glob(os.path.join(folder, name, "*.png")))
                       for name in sorted(os.listdir(folder))
                       if os.path.isdir(os.path.join(folder, name))}
        self.shapes = {name: files for name, files in self.shapes.items() if files}
        self.cache = {}

    def read(self, path):
        if path not in self.cache:
            image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
            alpha = image[..., 3] if image.ndim == 3 and image.shape[2] == 4 else \
                image if image.ndim == 2 else image[..., 0]
            ys, xs = np.nonzero(alpha > 12)
            self.cache[path] = alpha[ys.min():ys.max() + 1, xs.min():xs.max() + 1] if len(ys) else None
        return self.cache[path]

    def add(self, layer, rng, name):
        """Adds a shape of the kind @name, scaled and turned."""
        files = self.shapes[name]
        alpha = self.read(files[rng.integers(len(files))])
        if alpha is None:
            return
        shape = alpha.astype(np.float32) / 255
        scale = log_uniform(rng, .1, .9)
        shape = cv2.resize(shape, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if min(shape.shape) < 1:
            return
        side = int(np.hypot(*shape.shape)) + 3
        turn = cv2.getRotationMatrix2D((shape.shape[1] / 2, shape.shape[0] / 2),
                                       rng.uniform(0, 360), 1)
        turn[:, 2] += [(side - shape.shape[1]) / 2, (side - shape.shape[0]) / 2]
        shape = cv2.warpAffine(shape, turn, (side, side))
        x, y = (int(rng.integers(-side // 2, length - side // 2)) for length in layer.shape[::-1])
        top, left = max(0, y), max(0, x)
        bottom, right = min(layer.shape[0], y + side), min(layer.shape[1], x + side)
        if bottom > top and right > left:
            view = layer[top:bottom, left:right]
            np.maximum(view, shape[top - y:bottom - y, left - x:right - x], out=view)


# ---- photographs ----


def read_photographs(folders):
    """All pictures of each folder, as bytes, by folder."""
    groups = []
    for folder in folders:
        paths = sorted(p for p in glob.glob(os.path.join(folder, "*"))
                       if p.endswith((".jpg", ".png")))
        group = [cv2.imread(path, cv2.IMREAD_COLOR) for path in paths]
        groups.append([p for p in group if p is not None and min(p.shape[:2]) >= 200])
    return groups


def cut(rng, photograph, side):
    """A square of the photograph at a random scale, turned and mirrored."""
    shortest = min(photograph.shape[:2])
    scale = log_uniform(rng, max(.35, side / shortest * 1.001), 1.6) \
        if side / shortest < 1.6 else side / shortest * 1.001
    length = min(shortest, max(16, int(side / scale)))
    y = rng.integers(photograph.shape[0] - length + 1)
    x = rng.integers(photograph.shape[1] - length + 1)
    part = photograph[y:y + length, x:x + length]
    if length != side:
        part = cv2.resize(part, (side, side), interpolation=cv2.INTER_AREA
                          if length > side else cv2.INTER_CUBIC)
    part = np.rot90(part, rng.integers(4))
    if rng.random() < .5:
        part = part[:, ::-1]
    return part.astype(np.float32) / 255


def drawing(rng, side, groups, fonts):
    """Things in front of things: edges, letters and patterns that are no damage."""
    double = 2 * side

    def texture():
        kind, colour = rng.random(), rng.uniform(0, 1, 3).astype(np.float32)
        if kind < .4:
            group = groups[rng.integers(len(groups))]
            return cv2.resize(cut(rng, group[rng.integers(len(group))], 96), (double, double),
                              interpolation=cv2.INTER_CUBIC)
        ramp = np.linspace(-1, 1, double, dtype=np.float32)
        if kind < .7:
            return (colour + rng.uniform(-.15, .15) * ramp[None, :, None]
                    + rng.uniform(-.15, .15) * ramp[:, None, None]).astype(np.float32)
        yy, xx = np.mgrid[:double, :double].astype(np.float32)
        angle, period = rng.uniform(0, np.pi), rng.uniform(4, 40)
        wave = np.sin((xx * np.cos(angle) + yy * np.sin(angle)) * 2 * np.pi / period)
        if rng.random() < .4:
            wave = np.maximum(wave, np.sin((yy * np.cos(angle) - xx * np.sin(angle)) * 2 * np.pi / period))
        wave = np.clip(wave * rng.uniform(1, 8) + rng.uniform(-1, 1), -1, 1)
        return colour + wave[..., None] * rng.uniform(-.3, .3)

    picture = texture()
    for _ in range(int(rng.integers(3, 25))):
        mask = np.zeros((double, double), np.uint8)
        kind, size = rng.random(), log_uniform(rng, 20, double)
        middle = rng.uniform(0, double, 2)
        point = tuple(int(v) for v in middle)
        if kind < .35:
            cv2.ellipse(mask, point, (int(size / 2) + 1, int(size * rng.uniform(.15, .5)) + 1),
                        rng.uniform(0, 180), 0, 360, 255, -1)
        elif kind < .75:
            angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 7)))
            corners = (middle + size / 2 * np.stack([np.cos(angles), np.sin(angles)], 1)
                       * rng.uniform(.5, 1.2, (len(angles), 1)))
            cv2.fillPoly(mask, [corners.astype(np.int32)], 255)
        else:
            way = rng.uniform(-1, 1, 2) * double
            cv2.line(mask, tuple(int(v) for v in middle - way), tuple(int(v) for v in middle + way),
                     255, int(rng.uniform(6, 30)))
        cover = mask[..., None].astype(np.float32) / 255
        picture = picture * (1 - cover) + texture() * cover
    picture = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
    grey = picture.mean(2, keepdims=True)
    return np.clip(grey + (picture - grey) * rng.uniform(.15, 1), 0, 1)


def page_of_text(rng, side, fonts):
    """Printed lines: writing that belongs to the picture."""
    from PIL import Image, ImageDraw
    canvas = Image.new("L", (side, side))
    draw = ImageDraw.Draw(canvas)
    size = int(log_uniform(rng, 8, 30))
    font = fonts[rng.integers(len(fonts))].font_variant(size=size)
    for y in range(int(rng.uniform(-size, size)), side, int(size * rng.uniform(1.1, 1.8))):
        words = " ".join("".join(chr(rng.integers(97, 123)) for _ in range(rng.integers(2, 10)))
                         for _ in range(int(4 * side / size / 4)))
        draw.text((rng.uniform(-20, 20), y), words, fill=255, font=font)
    ink = np.asarray(canvas, np.float32)[..., None] / 255
    paper = (rng.uniform(.7, 1) * np.array([rng.uniform(.8, 1), rng.uniform(.9, 1), 1])).astype(np.float32)
    return paper * (1 - ink) + rng.uniform(0, .3) * ink


def mount(rng, picture):
    """A part of a print with its sound margin, a frame, or the bed of a scanner beside it."""
    side = picture.shape[0]
    height = int(rng.uniform(.04, .4) * side)
    tone = np.array([rng.uniform(.75, 1), rng.uniform(.9, 1), 1], np.float32)
    colour = (rng.uniform(.75, 1) if rng.random() < .7 else rng.uniform(0, .2)) * tone
    angle = rng.normal(0, .01)
    border = height + angle * (np.arange(side) - side / 2)
    if rng.random() < .15:                   # a deckled edge
        border += rng.uniform(1, 3) * np.abs(np.sin(np.arange(side) * np.pi / rng.uniform(6, 14)))
    cover = np.clip(border[None, :] - np.arange(side)[:, None] + .5, 0, 1)[..., None].astype(np.float32)
    picture = picture * (1 - cover) + colour * cover
    if rng.random() < .3:                    # a line drawn around it
        line = np.clip(1.5 - np.abs(border[None, :] * rng.uniform(.6, 1.3) - np.arange(side)[:, None]), 0, 1)
        picture = picture * (1 - .8 * line[..., None].astype(np.float32))
    return np.rot90(picture, rng.integers(4)).copy().astype(np.float32)


def stars(rng, picture):
    """Light points that fade: stars, lamps, snow, glints."""
    side, largest = picture.shape[0], rng.uniform(.8, 2.6)
    for _ in range(int(rng.integers(1, 40))):
        x, y = rng.uniform(0, side, 2)
        radius = rng.uniform(.5, largest)
        reach = int(3 * radius + 1)
        rows = slice(max(0, int(y) - reach), int(y) + reach + 1)
        columns = slice(max(0, int(x) - reach), int(x) + reach + 1)
        view = picture[rows, columns]
        yy, xx = np.mgrid[rows, columns][:, :view.shape[0], :view.shape[1]]
        cover = np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2 * radius ** 2))[..., None] * rng.uniform(.2, 1)
        view[:] = view * (1 - cover) + rng.uniform(.8, 1) * cover
    return picture


def age(rng, picture):
    """Tone, contrast, sharpness and paper of an old print."""
    kind = rng.random()
    if kind < .62:
        weights = rng.dirichlet([2, 6, 4]).astype(np.float32)
        grey = np.clip(picture @ weights, 0, 1) ** log_uniform(rng, .6, 1.7)
        low, high = rng.uniform(0, .3), rng.uniform(.6, 1)
        grey = low + (high - low) * grey
        tone = np.ones(3, np.float32)
        if kind > .3:                        # blue, green, red of a sepia print
            tone = np.array([rng.uniform(.5, .95), rng.uniform(.78, .98), 1], np.float32)
        picture = grey[..., None] * tone if rng.random() < .5 else \
            grey[..., None] ** (1 / np.maximum(tone, .3))
    elif kind < .85:                         # faded colours
        low, high = rng.uniform(0, .25, 3), rng.uniform(.65, 1, 3)
        grey = picture.mean(2, keepdims=True)
        picture = grey + (picture - grey) * rng.uniform(.3, 1)
        picture = low + (high - low) * np.clip(picture, 0, 1)
    picture = picture.astype(np.float32)
    if rng.random() < .3:
        field = smooth_noise(rng, picture.shape, rng.uniform(40, 120)) * rng.uniform(.02, .12)
        picture = picture * (1 + field[..., None])
    if rng.random() < .5:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(.4, 1.8))
    if rng.random() < .15:                   # paper: fibres, silk, canvas
        texture = smooth_noise(rng, picture.shape, log_uniform(rng, .6, 4))
        if rng.random() < .3:
            yy, xx = np.mgrid[:picture.shape[0], :picture.shape[1]].astype(np.float32)
            period, angle = rng.uniform(3, 9), rng.uniform(0, np.pi)
            texture = (np.sin((xx * np.cos(angle) + yy * np.sin(angle)) * 2 * np.pi / period)
                       + np.sin((yy * np.cos(angle) - xx * np.sin(angle)) * 2 * np.pi / period))
        picture = picture * (1 + (texture * log_uniform(rng, .004, .03))[..., None])
    return np.clip(picture, 0, 1).astype(np.float32)


def vary(rng, picture):
    """A modern photograph: colours, contrast, sharpening."""
    if rng.random() < .2:
        picture = np.repeat(picture.mean(2, keepdims=True), 3, 2)
    if rng.random() < .05:
        picture = picture[..., rng.permutation(3)]
    if rng.random() < .5:
        picture = np.clip(picture, 0, 1) ** log_uniform(rng, .6, 1.6)
        mean = picture.mean()
        picture = mean + (picture - mean) * rng.uniform(.7, 1.25)
    if rng.random() < .3:
        picture = picture + rng.uniform(.2, 1) * (picture - cv2.GaussianBlur(picture, (0, 0), 1))
    return np.clip(picture, 0, 1).astype(np.float32)


def halftone(rng, picture):
    yy, xx = np.mgrid[:picture.shape[0], :picture.shape[1]].astype(np.float32)
    period, angle = rng.uniform(2.5, 6), rng.uniform(0, np.pi)
    u = (xx * np.cos(angle) + yy * np.sin(angle)) * np.pi / period
    v = (yy * np.cos(angle) - xx * np.sin(angle)) * np.pi / period
    screen = .5 + .25 * (np.cos(2 * u) + np.cos(2 * v))
    dots = np.clip((picture - screen[..., None]) * rng.uniform(3, 8) + .5, 0, 1)
    return (picture + (dots - picture) * rng.uniform(.2, .8)).astype(np.float32)


# ---- examples ----


class Simulator:
    def __init__(self, folders, shares, film, side):
        from PIL import ImageFont
        self.groups = read_photographs(folders)
        self.shares = np.array(shares, float) / sum(shares)
        self.library, self.side = Library(film), side
        self.fonts = [ImageFont.truetype(path) for path in sorted(
            glob.glob("/usr/share/fonts/truetype/dejavu/*.ttf"))]

    def clean(self, rng, plain):
        kind = rng.random() + plain
        if kind < DRAWN_SHARE:
            return drawing(rng, self.side, self.groups, self.fonts)
        if kind < DRAWN_SHARE + .015:
            return page_of_text(rng, self.side, self.fonts)
        group = self.groups[rng.choice(len(self.groups), p=self.shares)]
        return cut(rng, group[rng.integers(len(group))], self.side)

    def film(self, layer, rng, few):
        """Marks of the library; returns their kind."""
        names = list(self.library.shapes)
        name = names[rng.integers(len(names))]
        kind = Library.KIND.get(name, SPECKS)
        most = 3 if few else 6 if kind == LINES else 14
        for _ in range(int(rng.integers(1, most))):
            self.library.add(layer, rng, name)
        return kind

    def layer(self, rng, few):
        """Opacities of one layer of damage, their kind, and a field of shading or None."""
        layer = np.zeros((self.side, self.side), np.float32)
        kind = rng.random()
        if kind < .17:
            for _ in range(1 if few else int(rng.integers(1, 6))):
                crack(layer, rng)
            return layer, LINES, None
        if kind < .19:
            craquelure(layer, rng)
            return layer, LINES, None
        if kind < .22:
            worn_folds(layer, rng)
            return layer, LINES, None
        if kind < .28:
            loss, shade = crease(rng, layer.shape)
            return loss, LINES, shade
        if kind < .40:
            scratches(layer, rng, few)
            return layer, LINES, None
        if kind < .43:
            for _ in range(1 if few else int(rng.integers(1, 6))):
                hair(layer, rng)
            return layer, LINES, None
        if kind < .60:
            specks(layer, rng, few)
            return layer, SPECKS, None
        if kind < .72:
            for _ in range(1 if few else int(rng.integers(1, 5))):
                flake(layer, rng)
            return layer, AREAS, None
        if kind < .81:
            for _ in range(1 if few else int(rng.integers(1, 4))):
                torn_edge(layer, rng)
            return layer, AREAS, None
        if kind < .85:
            text(layer, rng, self.fonts)
            return layer, TEXT, None
        if kind < .875:
            stain(layer, rng)
            return layer, STAINS, None
        if kind < .885:
            (fingerprint if rng.random() < .5 else tape)(layer, rng)
            return layer, STAINS, None
        return layer, self.film(layer, rng, few), None

    def colour(self, rng, kind, old, brightness):
        """The colour of a layer: bare paper, dirt, ink.  Against @brightness, if not None."""
        if kind == TEXT:
            if rng.random() < .65:           # burnt in by a camera: red to yellow
                return np.array([rng.uniform(0, .3), rng.uniform(.25, .8), rng.uniform(.85, 1)])
            return rng.uniform(0, 1, 3) if rng.random() < .5 else np.full(3, rng.choice([0., 1.]))
        if kind == STAINS and rng.random() < .7:
            return rng.uniform(.1, .6) * np.array([rng.uniform(.3, 1), rng.uniform(.6, 1), 1])
        light = rng.random() < (.75 if old and kind != SPECKS else .55)
        if brightness is not None:
            light = brightness < .55
        colour = (rng.uniform(.7, 1.03) if light else rng.uniform(0, .25)) + rng.normal(0, .02, 3)
        if light and rng.random() < .5:      # aged paper
            colour = colour * np.array([rng.uniform(.65, 1), rng.uniform(.82, 1), 1])
        if rng.random() < .06:
            colour = rng.uniform(0, 1, 3)
        return np.clip(colour, 0, 1)

    def put(self, rng, picture, opacities, kind, shade, old, plain):
        """The picture under a layer, and the opacities that were used."""
        alpha = opacities
        if kind == TEXT and rng.random() < .7:    # a glow around bright digits
            glow = cv2.GaussianBlur(alpha, (0, 0), rng.uniform(1, 3))
            alpha = np.clip(alpha + rng.uniform(.2, .9) * glow, 0, 1)
        elif rng.random() < .6:
            alpha = cv2.GaussianBlur(alpha, (0, 0), rng.uniform(.3, 1.1))
        strength = rng.uniform(.15, .6) if kind == STAINS else rng.uniform(.5, 1)
        if plain:
            strength = rng.uniform(.75, 1)
        elif kind == LINES and rng.random() < .25:
            strength = log_uniform(rng, .12, .5)
        elif kind in (AREAS, TEXT):
            strength = rng.uniform(.8, 1) if rng.random() < .5 else 1
        if rng.random() < .4:
            alpha = alpha * (1 + rng.uniform(0, .25) * smooth_noise(rng, alpha.shape, 1.2))
        alpha = (np.clip(alpha, 0, 1) * strength).astype(np.float32)
        brightness = float((picture.mean(2) * alpha).sum() / (alpha.sum() + 1e-6)) if plain else None
        colour = self.colour(rng, kind, old, brightness).astype(np.float32)
        surface = np.broadcast_to(colour, picture.shape)
        if kind == AREAS and rng.random() < .7:   # the paper has a texture of its own
            relief = smooth_noise(rng, alpha.shape, log_uniform(rng, .5, 5))
            if rng.random() < .5:                 # lit from a side
                relief = relief - np.roll(relief, tuple(rng.integers(-2, 3, 2)), (0, 1))
            surface = np.clip(surface + (relief * rng.uniform(0, .12))[..., None], 0, 1)
        if kind == AREAS and rng.random() < .3:   # the broken edge of the layer above it
            soft = cv2.GaussianBlur(alpha, (0, 0), rng.uniform(.7, 2))
            edge = (4 * soft * (1 - soft))[..., None] * rng.uniform(-.5, .3)
            surface = np.clip(surface + edge, 0, 1)
        if shade is not None:
            picture = np.clip(picture * (1 + shade[..., None]), 0, 1)
        if kind in (LINES, AREAS) and rng.random() < .25:   # the shadow of an edge
            shift = tuple(int(v) for v in rng.integers(-3, 4, 2))
            shadow = cv2.GaussianBlur(np.roll(alpha, shift, (0, 1)), (0, 0), .8)
            picture = picture * (1 - rng.uniform(.1, .6) * shadow[..., None])
        return picture * (1 - alpha[..., None]) + surface * alpha[..., None], alpha

    def damage(self, rng, picture, old, plain):
        """The damaged picture, its opacities and the kind of each pixel."""
        alpha = np.zeros((self.side, self.side), np.float32)
        kinds = np.zeros((self.side, self.side), np.uint8)
        share, clean = rng.random(), PLAIN_CLEAN_SHARE if plain else CLEAN_SHARE
        if share < clean:
            return picture, alpha, kinds
        few = share < clean + SLIGHT_SHARE and not plain
        for _ in range(1 if few else int(rng.integers(1, 5))):
            opacities, kind, shade = self.layer(rng, few)
            before = picture
            picture, used = self.put(rng, picture, opacities, kind, shade, old, plain)
            changed = np.abs(picture - before).max(2)
            kinds[(used >= alpha) & (changed > .008) | (kinds == 0) & (changed > .008)] = kind
            alpha = 1 - (1 - alpha) * (1 - used)
        return picture, alpha, kinds

    def scan(self, rng, clean, damaged, old, plain):
        """Both pictures after the blur of a scan; the noise and codec of the second."""
        if rng.random() < (.5 if old else .15):
            sigma = rng.uniform(.3, 1.1)
            clean, damaged = (cv2.GaussianBlur(p, (0, 0), sigma) for p in (clean, damaged))
        change = np.abs(clean - damaged).max(2)
        picture, strength = damaged, 0.
        if rng.random() < (.55 if old else .3):
            strength = log_uniform(rng, .003, .02 if plain else .06 if old else .04)
            grain = smooth_noise(rng, picture.shape, rng.choice([0, 0, .5, .8, 1.2]))[..., None]
            if rng.random() < .3:
                grain = np.stack([smooth_noise(rng, picture.shape, rng.choice([0, .6])) for _ in range(3)], 2)
            picture = picture + strength * grain
        if rng.random() < .15:
            picture = picture + rng.uniform(.3, 1.2) * (picture - cv2.GaussianBlur(picture, (0, 0), rng.uniform(.7, 1.5)))
        picture = np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[.35, .4, .17, .08]) if old
                           else rng.choice([0, 1], p=[.6, .4]))):
            quality = int(rng.uniform(35 if old else 60, 97))
            how = [cv2.IMWRITE_JPEG_QUALITY, quality]
            picture = cv2.imdecode(cv2.imencode(".jpg", picture, how)[1], cv2.IMREAD_COLOR)
        drowned = change < .6 * strength          # neither damage nor sound
        change[drowned] = np.minimum(change[drowned], 2 / 255)
        return picture, change

    def example(self, rng, plain_share=0.):
        """An example; the plain ones have damage that contrasts, on photographs."""
        plain = rng.random() < plain_share
        old = rng.random() < (.75 if plain else .6)
        picture = self.clean(rng, plain)
        if rng.random() < .03 and not plain:
            picture = stars(rng, picture.copy())
        if rng.random() < .12 and not plain:
            picture = mount(rng, picture)
        picture = age(rng, picture) if old else vary(rng, picture)
        if rng.random() < .01 and not plain:
            picture = halftone(rng, picture)
        damaged, alpha, kinds = self.damage(rng, picture, old, plain)
        result, change = self.scan(rng, picture, damaged, old, plain)
        kinds = cv2.dilate(kinds, np.ones((5, 5), np.uint8)) * (kinds == 0) + kinds
        byte = lambda plane: np.round(np.clip(plane, 0, 1) * 255).astype(np.uint8)
        return result, byte(change), byte(alpha), kinds
