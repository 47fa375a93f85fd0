#!/usr/bin/python3
"""Learns the network that finds damage: learn.py OUTPUT --photographs FOLDER...
  --film FOLDER [--steps N] [--checkpoint FILE] [--init FILE] [--seed N]

OUTPUT is a safetensors file for the library.  The photographs are clean; `simulate.py`
damages them.  A pixel that damage changes by CHANGED or more is to be found, and weighs
by how visible the change is.  Clean examples that are marked most are kept and shown
again.  The weights written are the mean over the last steps.  With --checkpoint learning
continues where it was stopped; with --init it begins from weights that were learned before,
whose normalisation is fixed.  Needs Debian's python3-torch, python3-opencv,
python3-pil, python3-numpy and fonts-dejavu-core.
"""
import argparse
import multiprocessing
import os
import time

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from network import DamageNet, read, write
from simulate import Simulator

SIDE = 256            # of an example, in pixels
BATCH = 4
POOL = 3000           # examples that are kept and drawn from
FRESH = 2             # of them come with each step
HARD = 400            # clean examples that were marked most
RATE = 2e-3
RATE_INIT = 7e-4      # for weights that were learned before
CHANGED = 3.          # of 255
VISIBLE = 25.         # a change that weighs 1
AVERAGED = .999       # weight of the past in the mean of weights

# By kind, 0 for none: stains have most of the pixels and are the least certain.
WEIGHTS = torch.tensor([1., 1., 1.5, 1.5, 1., .1])


def loss_of(outputs, change, alpha, kind):
    logits, matte, kinds = outputs
    target = (change >= CHANGED).float()
    visible = (change / VISIBLE).clamp(.1, 2) * WEIGHTS[kind.long()]
    weight = torch.where(target > 0, visible, ((change < 1) & (alpha < 5)).float())
    each = F.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight
    p = torch.sigmoid(logits) * weight
    overlap = 1 - (2 * (p * target).sum() + 50) / (p.sum() + (target * weight).sum() + 50)
    opacity = F.l1_loss(torch.sigmoid(matte), alpha / 255, reduction="none") * target
    square = F.max_pool2d(kind[:, None].float(), 2)[:, 0].long() - 1
    known = (square >= 0) & (F.max_pool2d(target[:, None], 2)[:, 0] > 0)
    sort = F.cross_entropy(kinds, square.clamp(min=0), reduction="none") * known
    total = (each.mean() + .5 * overlap + .1 * opacity.sum() / (target.sum() + 50)
             + .03 * sort.sum() / (known.sum() + 50))
    return total, each.detach().mean((1, 2))


LEAST_PLAIN = .3


def plain_share(step, options):
    """Learning begins with plain examples; some are always among the others."""
    return LEAST_PLAIN if options.init else max(LEAST_PLAIN, 1 - step / (.35 * options.steps))


def produce(queue, options, step, seed):
    cv2.setNumThreads(1)
    shares = [1.] * len(options.photographs)
    simulator = Simulator(options.photographs, shares, options.film, SIDE)
    rng = np.random.default_rng(seed)
    while True:
        queue.put(simulator.example(rng, plain_share(step.value, options)))


class Examples:
    """A pool that is renewed, and the clean examples that were marked most."""

    def __init__(self, options, step, seed):
        self.rng, self.pool, self.hard = np.random.default_rng([seed, 1]), [], []
        self.step = multiprocessing.Value("i", step)
        self.queue = multiprocessing.Queue(64)
        multiprocessing.Process(target=produce, args=(self.queue, options, self.step, [seed, 2]),
                                daemon=True).start()
        self.refill(200)

    def refill(self, count):
        for _ in range(count):
            if len(self.pool) < POOL:
                self.pool.append(self.queue.get())
            else:
                self.pool[self.rng.integers(POOL)] = self.queue.get()

    def batch(self):
        self.refill(FRESH)
        drawn = [self.pool[i] for i in self.rng.integers(len(self.pool), size=BATCH)]
        if len(self.hard) == HARD:
            for k in range(max(1, BATCH // 5)):
                drawn[k] = self.hard.pop(self.rng.integers(len(self.hard)))[1]
        turn, mirror = self.rng.integers(4), self.rng.random() < .5
        planes = []
        for part in zip(*drawn):
            plane = np.rot90(np.stack(part), turn, (1, 2))
            planes.append(torch.from_numpy(np.ascontiguousarray(
                plane[:, :, ::-1] if mirror else plane)))
        picture = planes[0].permute(0, 3, 1, 2).float().div(255).sub(.5)
        return (drawn, picture.contiguous(memory_format=torch.channels_last),
                planes[1].float(), planes[2].float(), planes[3])

    def keep_hard(self, drawn, losses):
        for example, loss in zip(drawn, losses.tolist()):
            if not example[1].any():
                self.hard.append((loss, example))
        if len(self.hard) > HARD:
            self.hard.sort(key=lambda entry: -entry[0])
            del self.hard[HARD:]


def average(mean, net, step):
    keep = min(AVERAGED, step / (step + 10))
    with torch.no_grad():
        for to, of in zip(mean.state_dict().values(), net.state_dict().values()):
            if to.dtype.is_floating_point:
                to.mul_(keep).add_(of, alpha=1 - keep)


def save(path, **state):
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def learn(options):
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    net = DamageNet().to(memory_format=torch.channels_last)
    if options.init:
        net.load(read(options.init))
        net.eval()
    rate = RATE_INIT if options.init else RATE
    mean = DamageNet()
    mean.load_state_dict(net.state_dict())
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    first = 0
    if options.checkpoint and os.path.exists(options.checkpoint):
        state = torch.load(options.checkpoint)
        net.load_state_dict(state["net"])
        mean.load_state_dict(state["mean"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    examples, began, recent = Examples(options, first, options.seed + first), time.time(), None
    for step in range(first, options.steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (
                .003 + .997 * .5 * (1 + np.cos(np.pi * step / options.steps)))
        examples.step.value = step
        drawn, picture, change, alpha, kind = examples.batch()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = net(picture)
        loss, each = loss_of([part.float() for part in outputs], change, alpha, kind)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)
        optimizer.step()
        examples.keep_hard(drawn, each)
        average(mean, net, step)
        recent = loss.item() if recent is None else .99 * recent + .01 * loss.item()
        if (step + 1) % 100 == 0:
            print(f"step {step + 1} of {options.steps}: loss {recent:.4f}, "
                  f"{time.time() - began:.0f} s", flush=True)
        if options.checkpoint and (step + 1) % 200 == 0:
            save(options.checkpoint, net=net.state_dict(), mean=mean.state_dict(),
                 optimizer=optimizer.state_dict(), step=step + 1)
    return mean


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output")
    parser.add_argument("--photographs", nargs="+", required=True)
    parser.add_argument("--film", required=True)
    parser.add_argument("--steps", type=int, default=30000)
    parser.add_argument("--checkpoint")
    parser.add_argument("--init")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(learn(options).eval().weights(), options.output)


if __name__ == "__main__":
    main()
