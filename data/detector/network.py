"""The network that finds damage, as imaging/detect/damagenet.c evaluates it.

A U-Net (Ronneberger, Fischer and Brox, 2015) on squares of 2 x 2 pixels.  Each layer is

    y = max (0, W * x + up (V z) + G mean (x) + b)

with 3 x 3 weights W, a coarser layer z whose places are repeated, and, in one layer, the
mean over the whole picture, which tells a cracked print from a sound one.
"""
import json
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

KINDS = 5
WIDTHS = (32, 64, 96, 128, 128)   # channels at 1/2, 1/4, ... of the size
STEP = 2 ** len(WIDTHS)           # sides of a picture are multiples of this


class Layer(nn.Module):
    def __init__(self, inputs, outputs, coarse=0, pooled=False):
        super().__init__()
        self.W = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.V = nn.Conv2d(coarse, outputs, 1, bias=False) if coarse else None
        self.G = nn.Linear(inputs, outputs, bias=False) if pooled else None
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x, z=None):
        y = self.W(x)
        if z is not None:
            y = y + F.interpolate(self.V(z), scale_factor=2)
        if self.G is not None:
            y = y + self.G(x.mean((2, 3)))[:, :, None, None]
        return F.relu(self.norm(y))

    def load(self, take):
        """Takes over W, V, G and b; the normalisation does nothing then."""
        outputs, inputs = self.W.weight.shape[:2]
        with torch.no_grad():
            self.W.weight.copy_(take(9 * inputs * outputs).view(3, 3, inputs, outputs)
                                .permute(3, 2, 0, 1))
            if self.V is not None:
                self.V.weight.copy_(take(self.V.weight.numel()).view(-1, outputs)
                                    .t()[:, :, None, None])
            if self.G is not None:
                self.G.weight.copy_(take(self.G.weight.numel()).view(-1, outputs).t())
            self.norm.bias.copy_(take(outputs))
            self.norm.running_mean.zero_()
            self.norm.running_var.fill_(1 - self.norm.eps)

    def weights(self):
        """W, V, G and b with the normalisation folded in, column after column."""
        scale = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        yield (self.W.weight * scale[:, None, None, None]).permute(2, 3, 1, 0)
        if self.V is not None:
            yield (self.V.weight[:, :, 0, 0] * scale[:, None]).t()
        if self.G is not None:
            yield (self.G.weight * scale[:, None]).t()
        yield self.norm.bias - self.norm.running_mean * scale


class DamageNet(nn.Module):
    """Logits of damage and of opacity for every pixel, of the kinds for every square."""

    def __init__(self):
        super().__init__()
        a, b, c, d, e = WIDTHS
        self.layers = nn.ModuleList([
            Layer(12, a), Layer(a, a), Layer(a, b), Layer(b, b), Layer(b, c), Layer(c, c),
            Layer(c, d), Layer(d, d), Layer(d, e), Layer(e, e, pooled=True),
            Layer(d, d, e), Layer(c, c, d), Layer(c, c), Layer(b, b, c), Layer(b, b),
            Layer(a, a, b), Layer(a, a)])
        self.last = nn.Conv2d(a, 8 + KINDS, 3, padding=1)

    def forward(self, x):
        """@x is batch x 3 x height x width in -0.5 .. 0.5, blue first."""
        at = self.layers
        x = F.pixel_unshuffle(x, 2)
        x = x.unflatten(1, (3, 4)).transpose(1, 2).flatten(1, 2)   # pixel by pixel
        half = at[1](at[0](x))
        quarter = at[3](at[2](F.max_pool2d(half, 2)))
        eighth = at[5](at[4](F.max_pool2d(quarter, 2)))
        small = at[7](at[6](F.max_pool2d(eighth, 2)))
        least = at[9](at[8](F.max_pool2d(small, 2)))
        small = at[10](small, least)
        eighth = at[12](at[11](eighth, small))
        quarter = at[14](at[13](quarter, eighth))
        half = at[16](at[15](half, quarter))
        last = self.last(half)
        pixels = F.pixel_shuffle(last[:, :8], 2)
        return pixels[:, 0], pixels[:, 1], last[:, 8:]

    def load(self, weights):
        """Takes over what weights() has given."""
        at = [0]

        def take(count):
            at[0] += count
            return torch.from_numpy(weights[at[0] - count:at[0]])

        for layer in self.layers:
            layer.load(take)
        outputs, inputs = self.last.weight.shape[:2]
        with torch.no_grad():
            self.last.weight.copy_(take(9 * inputs * outputs).view(3, 3, inputs, outputs)
                                   .permute(3, 2, 0, 1))
            self.last.bias.copy_(take(outputs))

    def weights(self):
        parts = [part for layer in self.layers for part in layer.weights()]
        parts += [self.last.weight.permute(2, 3, 1, 0), self.last.bias]
        return torch.cat([part.detach().reshape(-1) for part in parts]).numpy()


def read(path):
    """The weights in a file that write() made."""
    with open(path, "rb") as file:
        file.seek(struct.unpack("<Q", file.read(8))[0] + 8)
        return np.frombuffer(file.read(), "<f2").astype(np.float32)


def write(weights, path):
    """A safetensors file with one tensor of half precision."""
    data = weights.astype("<f2").tobytes()
    header = json.dumps({"__metadata__": {}, "weights": {
        "dtype": "F16", "shape": [len(weights)], "data_offsets": [0, len(data)]}})
    header = header.encode() + b" " * (-len(header) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)
