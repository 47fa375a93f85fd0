"""Ctrl-C: a real signal, sent to a real process while the library works.

Each call would take minutes; the process ends at once if the signal stops it.
"""
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import tessera

BEGIN = """
import signal, sys
import numpy as np
import tessera

# A job in the background of a shell starts with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.laplace(size=(6000, 200))
picture = rng.integers(0, 256, (1500, 1500, 3), dtype=np.uint8)
mask = rng.random((1500, 1500)) < 0.5
cosines = tessera.Dictionary.dct(16, 3)
"""

END = """
    print("not interrupted")
except KeyboardInterrupt:
    small = np.full((20, 20), 90, np.uint8)
    hole = np.zeros((20, 20), bool)
    hole[8:11, 8:11] = True
    print("interrupted", tessera.inpaint(small, hole)[9, 9])
"""

PHOTO = (pathlib.Path(__file__).resolve().parents[2]
         / "data" / "photos" / "beach0.png")

CALLS = {
    "learn": f"tessera.learn([{str(PHOTO)!r}], iterations=10**6)",
    "task": f"tessera.learn([{str(PHOTO)!r}], task='noise:25',"
            " iterations=10**6)",
    "convolutional": f"tessera.learn([{str(PHOTO)!r}], 'convolutional')",
    "rounds": f"tessera.learn([{str(PHOTO)!r}], 'transform', iterations=10**6)",
    "inpaint": "tessera.inpaint(picture, mask, quality='best')",
    "denoise": "tessera.denoise(picture, 25, quality='best')",
    "find_damage": "[tessera.find_damage(picture) for _ in range(99)]",
    "progress": "tessera.inpaint(picture, mask, progress=lambda done: None)",
    "encode": "cosines.encode(np.ones((20000, 768)) * rng.normal(size=768),"
              " atoms=99)",
    "transform": "tessera.KSVD(iterations=1, transform_atoms=99)"
                 ".fit(X[:300]).transform(np.tile(X, (50, 1)))",
    "KSVD": "tessera.KSVD(iterations=100000).fit(X)",
    "OnlineDictionary": "tessera.OnlineDictionary(iterations=10**9).fit(X)",
    "TaskDictionary": "tessera.TaskDictionary(iterations=100000).fit(X)",
    "partial_fit": "tessera.OnlineDictionary(stride=1)"
                   ".partial_fit(np.tile(X, (9, 1)))",
}


def start(work, begin=BEGIN):
    """A process that works on @work, and says so before."""
    code = begin + f"""
try:
    print("ready", flush=True)
    {work}
""" + END
    process = subprocess.Popen([sys.executable, "-c", code], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    return process


def end(process):
    """What it says after the signal; the time limit is for a failure alone."""
    try:
        return process.communicate(timeout=100)
    finally:
        process.kill()


def pause(process, seconds):
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(seconds)


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_stops_the_work(name):
    process = start(CALLS[name])
    pause(process, 0.5)
    process.send_signal(signal.SIGINT)
    assert end(process) == ("interrupted 90\n", "")


@pytest.mark.parametrize("seconds", [i / 20 for i in range(10)])
def test_ctrl_c_at_any_time(seconds):
    process = start(CALLS["inpaint"])
    pause(process, seconds)
    process.send_signal(signal.SIGINT)
    assert end(process) == ("interrupted 90\n", "")


def test_a_handler_that_returns_lets_the_work_go_on():
    heard = []
    picture = np.random.default_rng(0).integers(0, 256, (300, 300), np.uint8)

    def send(done):
        if not heard:
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    handler = signal.getsignal(signal.SIGUSR1)
    try:
        tessera.denoise(picture, 10, quality="fast", progress=send)
        assert heard == [1]
        assert signal.getsignal(signal.SIGUSR1) is handler
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_an_alarm_stops_the_work():
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    picture = np.random.default_rng(0).integers(0, 256, (2000, 2000), np.uint8)
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Late):
            tessera.inpaint(picture, picture > 99, quality="best")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_learning_goes_on_after_ctrl_c():
    X = np.random.default_rng(0).laplace(size=(3000, 60))
    learner = tessera.OnlineDictionary(stride=1).partial_fit(X[:600])

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                learner.partial_fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert learner.partial_fit(X).n_iter_ > 0
