#!/usr/bin/python3
"""Learns the network that finds dust: specknet.py OUTPUT FOLDER... [--steps N]

OUTPUT is a safetensors file for the library, see imaging/detect/specknet.h; the
FOLDERs have photographs and are drawn from alike.  Each example is a part of a
photograph, at the full size, at 0.7 or at half of it, or a drawing of things in
front of things, since photographs have few straight edges and letters.  It is
turned, coloured, made harder or noisier at random, gets some stars, which are to
be kept, and specks.  A pixel that a speck changes by 2 levels or more is to be
found; those it changes most weigh most.

Batch normalisation (Ioffe and Szegedy, 2015) makes learning several times faster,
and is folded into the weights at the end.  Needs Debian's python3-torch,
python3-opencv and python3-numpy.  40000 steps take about an hour on two cores.
"""
import argparse
import json
import multiprocessing
import os
import struct

import cv2
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SIDE = 96             # of an example, in pixels
BATCH = 16
POOL = 12000          # examples that are kept and drawn from
FRESH = 3             # of them come with each step, once there are all
DRAWINGS = 350
DRAWN_SHARE = 0.2
PIXELS_TO_A_SPECK = 2400
RATE = 5e-3

# ---- specks, and what is to be kept ----


def cover_with(picture, cover, colour):
    return picture * (1 - cover[..., None]) + np.asarray(colour) * cover[..., None]


def window(picture, x, y, reach):
    """The pixels around (x, y), as slices and as coordinates."""
    height, width = picture.shape[:2]
    rows = slice(max(0, int(y) - reach), min(height, int(y) + reach + 1))
    cols = slice(max(0, int(x) - reach), min(width, int(x) + reach + 1))
    return (rows, cols), np.mgrid[rows, cols]


def put_speck(picture, covered, rng):
    """A circle with waves on it, mostly grey, lighter or darker than most."""
    x, y = rng.uniform(0, picture.shape[1]), rng.uniform(0, picture.shape[0])
    radius, softness = rng.uniform(.8, 5.2), rng.uniform(.8, 1.6)
    where, (yy, xx) = window(picture, x, y, int(2 * radius + 3))
    angle, rim = np.arctan2(yy - y, xx - x), 1
    for k in range(3):
        rim = rim + (rng.uniform(0, .35 / (k + 1))
                     * np.cos((k + 2) * angle + rng.uniform(0, 2 * np.pi)))
    cover = np.clip((radius * rim - np.hypot(yy - y, xx - x)) / softness + .5, 0, 1)
    shade = rng.uniform(180, 255) if rng.random() < .5 else rng.uniform(0, 60)
    colour = np.clip(shade + rng.uniform(-6, 6, 3), 0, 255)
    if rng.random() < .1:
        colour = rng.uniform(0, 255, 3)
    picture[where] = cover_with(picture[where], cover * rng.uniform(.5, 1), colour)
    covered[where] = np.maximum(covered[where], cover)


def put_star(picture, rng, most):
    """A light spot that fades."""
    x, y = rng.uniform(0, picture.shape[1]), rng.uniform(0, picture.shape[0])
    radius = rng.uniform(.5, most)
    where, (yy, xx) = window(picture, x, y, int(3 * radius + 1))
    cover = np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2 * radius ** 2))
    picture[where] = cover_with(picture[where], cover * rng.uniform(.2, 1),
                                [rng.uniform(200, 255)] * 3)


# ---- drawings ----


def draw_texture(rng, side, photos):
    """A piece of a photograph, a slope, or stripes."""
    kind, colour = rng.random(), rng.uniform(0, 255, 3)
    if kind < .45:
        piece = cut(rng, photos, 64)
        return cv2.resize(piece, (side, side), interpolation=cv2.INTER_CUBIC)
    if kind < .75:
        ramp = np.linspace(-1, 1, side)
        return (colour + rng.uniform(-40, 40) * ramp[None, :, None]
                + rng.uniform(-40, 40) * ramp[:, None, None]
                + rng.normal(0, rng.uniform(0, 4), (side, side, 1)))
    yy, xx = np.mgrid[:side, :side]
    angle, period = rng.uniform(0, np.pi), rng.uniform(3, 24)
    wave = lambda a: np.sin((xx * np.cos(a) + yy * np.sin(a)) * 2 * np.pi / period)
    stripes = wave(angle)
    if rng.random() < .4:
        stripes = np.maximum(stripes, wave(angle + np.pi / 2))
    stripes = np.clip(stripes * rng.uniform(1, 8) + rng.uniform(-1, 1), -1, 1)
    return colour + stripes[..., None] * rng.uniform(-70, 70)


def draw_shape(rng, side):
    """An ellipse, a polygon, a line or letters, as a mask of bytes."""
    mask = np.zeros((side, side), np.uint8)
    kind, size = rng.random(), np.exp(rng.uniform(np.log(14), np.log(side)))
    middle = rng.uniform(0, side, 2)
    point = tuple(int(v) for v in middle)
    if kind < .35:
        axes = (int(size / 2) + 1, int(size * rng.uniform(.15, .5)) + 1)
        return cv2.ellipse(mask, point, axes, rng.uniform(0, 180), 0, 360, 255, -1)
    if kind < .65:
        angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 7)))
        corners = (middle + size / 2 * np.stack([np.cos(angles), np.sin(angles)], 1)
                   * rng.uniform(.5, 1.2, (len(angles), 1)))
        return cv2.fillPoly(mask, [corners.astype(np.int32)], 255)
    if kind < .85:
        way = rng.uniform(-1, 1, 2) * side
        ends = [tuple(int(v) for v in middle + s * way) for s in (-1, 1)]
        return cv2.line(mask, *ends, 255, int(rng.uniform(1, 14)))
    text = "".join(chr(rng.integers(48, 123)) for _ in range(rng.integers(1, 9)))
    return cv2.putText(mask, text, (point[0] - 60, point[1]), int(rng.integers(0, 7)),
                       rng.uniform(.6, 2.5), 255, int(rng.integers(1, 6)), cv2.LINE_AA)


def draw(rng, side, photos):
    """Things in front of things, drawn at twice the size."""
    double = 2 * side
    picture = draw_texture(rng, double, photos)
    for _ in range(rng.integers(6, 40)):
        opacity = 1 if rng.random() < .8 else rng.uniform(.3, 1)
        cover = draw_shape(rng, double) / 255 * opacity
        picture = (picture * (1 - cover[..., None])
                   + draw_texture(rng, double, photos) * cover[..., None])
    picture = cv2.resize(picture.astype(np.float32), (side, side),
                         interpolation=cv2.INTER_AREA)
    grey = picture.mean(2, keepdims=True)
    return np.clip(grey + (picture - grey) * rng.uniform(.15, 1), 0, 255)


# ---- examples ----


def cut(rng, pictures, side):
    picture = pictures[rng.integers(len(pictures))]
    y = rng.integers(picture.shape[0] - side + 1)
    x = rng.integers(picture.shape[1] - side + 1)
    return picture[y:y + side, x:x + side].copy()


def vary(rng, picture):
    if rng.random() < .5:
        picture = picture[:, ::-1]
    picture = np.rot90(picture, rng.integers(4)).copy()
    if rng.random() < .3:
        picture = 255 - picture
    if rng.random() < .5:
        picture = picture[..., rng.permutation(3)].copy()
    if rng.random() < .15:
        picture = np.repeat(picture.mean(2, keepdims=True), 3, 2)
    if rng.random() < .5:
        picture = 255 * np.clip(picture / 255, 0, 1) ** np.exp(rng.uniform(-.5, .5))
        mean = picture.mean()
        picture = np.clip(mean + (picture - mean) * rng.uniform(.7, 1.6), 0, 255)
    if rng.random() < .25:
        fine = picture - cv2.GaussianBlur(picture, (0, 0), 1)
        picture = np.clip(picture + rng.uniform(.2, 1.5) * fine, 0, 255)
    if rng.random() < .25:
        noise = rng.normal(0, rng.uniform(1, 8), picture.shape)
        picture = np.clip(picture + noise, 0, 255)
    return picture.astype(np.float32)


def make_example(rng, pictures):
    """A picture, how much of each pixel is covered, and how much that changed."""
    picture = vary(rng, cut(rng, pictures, SIDE))
    if rng.random() < .25:
        most, often = rng.uniform(.8, 2.6), rng.uniform(.1, 2)
        for _ in range(rng.poisson(often * SIDE ** 2 / PIXELS_TO_A_SPECK)):
            put_star(picture, rng, most)
    clean, covered = picture.copy(), np.zeros((SIDE, SIDE), np.float32)
    often = rng.uniform(.2, 1.8)
    for _ in range(rng.poisson(often * SIDE ** 2 / PIXELS_TO_A_SPECK)):
        put_speck(picture, covered, rng)
    change = np.abs(picture - clean).max(2).astype(np.float32)
    picture = np.round(np.clip(picture, 0, 255))
    if rng.random() < .2:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(70, 96))]
        _, data = cv2.imencode(".jpg", picture[..., ::-1].astype(np.uint8), quality)
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1]
    return picture.astype(np.float32), covered, change


def read_photos(folder):
    photos = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".jpg", ".png")):
            continue
        photo = cv2.imread(os.path.join(folder, name))[..., ::-1].astype(np.float32)
        photos += [cv2.resize(photo, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
                   for s in (1, .7, .5)]
    return photos


def produce(queue, folders, drawings):
    cv2.setNumThreads(0)
    rng = np.random.default_rng(2)
    while True:
        drawn = rng.random() < DRAWN_SHARE
        photos = folders[rng.integers(len(folders))]
        queue.put(make_example(rng, drawings if drawn else photos))


# ---- the network ----


class Layer(nn.Module):
    """max (0, W * x + up (V z) + b), normalised while it learns."""

    def __init__(self, inputs, outputs, coarse=0):
        super().__init__()
        self.W = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.V = nn.Conv2d(coarse, outputs, 1, bias=False) if coarse else None
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x, z=None):
        y = self.W(x)
        if z is not None:
            y = y + F.interpolate(self.V(z), scale_factor=2)
        return F.relu(self.norm(y))

    def weights(self):
        """W, V and b, columns of W and V one after the other."""
        scale = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        yield (self.W.weight * scale[:, None, None, None]).permute(2, 3, 1, 0)
        if self.V is not None:
            yield (self.V.weight[:, :, 0, 0] * scale[:, None]).t()
        yield self.norm.bias - self.norm.running_mean * scale


class SpeckNet(nn.Module):
    """The layers of imaging/detect/specknet.c."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            Layer(12, 16), Layer(16, 16), Layer(16, 48), Layer(48, 48), Layer(48, 64),
            Layer(64, 64), Layer(48, 48, 64), Layer(48, 48), Layer(16, 16, 48),
            Layer(16, 16)])
        self.last = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x):
        layer = self.layers
        # Squares of 2 x 2 pixels, with the colours of a pixel side by side.
        x = F.pixel_unshuffle(x / 255 - .5, 2)
        x = x.unflatten(1, (3, 4)).transpose(1, 2).flatten(1, 2)
        half = layer[1](layer[0](x))
        quarter = layer[3](layer[2](F.max_pool2d(half, 2)))
        eighth = layer[5](layer[4](F.max_pool2d(quarter, 2)))
        quarter = layer[7](layer[6](quarter, eighth))
        half = layer[9](layer[8](half, quarter))
        return F.pixel_shuffle(self.last(half), 2)[:, 0]

    def weights(self):
        parts = [part for layer in self.layers for part in layer.weights()]
        parts += [self.last.weight.permute(2, 3, 1, 0), self.last.bias]
        return torch.cat([part.detach().reshape(-1) for part in parts]).numpy()


def loss_of(logits, covered, change):
    target = ((covered > .02) & (change >= 2)).float()
    weight = torch.where(target > 0, (change / 40).clamp(.2, 2), (covered <= .02).float())
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return (loss * weight).mean()


# ---- learning ----


def draw_batch(rng, pool):
    batch = [pool[i] for i in rng.integers(len(pool), size=BATCH)]
    x, covered, change = (torch.from_numpy(np.stack(part)) for part in zip(*batch))
    x = x.permute(0, 3, 1, 2)[:, torch.randperm(3)]
    if rng.random() < .5:
        x, covered, change = x.flip(3), covered.flip(2), change.flip(2)
    if rng.random() < .5:
        x, covered, change = (t.transpose(-1, -2) for t in (x, covered, change))
    return x.contiguous(memory_format=torch.channels_last), covered, change


def refill(rng, pool, queue, count):
    for _ in range(count):
        if len(pool) < POOL:
            pool.append(queue.get())
        else:
            pool[rng.integers(POOL)] = queue.get()


def learn(paths, steps):
    folders, rng = [read_photos(path) for path in paths], np.random.default_rng(1)
    every = [photo for folder in folders for photo in folder]
    drawings = [draw(rng, 224, every) for _ in range(DRAWINGS)]
    queue = multiprocessing.Queue(64)
    multiprocessing.Process(target=produce, args=(queue, folders, drawings),
                            daemon=True).start()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    net, pool = SpeckNet().to(memory_format=torch.channels_last), []
    optimizer = torch.optim.AdamW(net.parameters(), RATE, weight_decay=1e-4)
    refill(rng, pool, queue, 400)
    for step in range(steps):
        for group in optimizer.param_groups:
            decay = .005 + .995 * .5 * (1 + np.cos(np.pi * step / steps))
            group["lr"] = RATE * min(1, (step + 1) / 200) * decay
        refill(rng, pool, queue, FRESH if len(pool) == POOL else 4 * FRESH)
        x, covered, change = draw_batch(rng, pool)
        loss = loss_of(net(x), covered, change)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 250 == 0:
            print(f"step {step} of {steps}: loss {20 * loss.item():.3f}", flush=True)
    return net


def write(weights, path):
    data = weights.astype("<f2").tobytes()
    header = json.dumps({"__metadata__": {}, "weights": {
        "dtype": "F16", "shape": [len(weights)], "data_offsets": [0, len(data)]}})
    header = header.encode() + b" " * (-len(header) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--steps", type=int, default=40000)
    options = parser.parse_args()
    write(learn(options.folders, options.steps).weights(), options.output)


main()
