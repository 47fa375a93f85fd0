"""What other programs reach in the same scenarios, from tables that were measured by
hand: rows like those of quality.py, with the name of the program as quality."""
import csv
import os

# Columns that are no program of others.
OWN = "damaged", "noisy", "tessera"
# Table, and the beginning of its scenarios.
BY_MASK = ("landscape.csv", "landscape-"), ("photos.csv", "kodak-")
MASKS = {"random": "pixels", "block": "blocks"}


def tables(path):
    """The tables of a file, as lists of rows: one begins where the first column has
    its own name again."""
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    starts = [n for n, line in enumerate(lines) if line[0] == lines[0][0]]
    return [[dict(zip(lines[a], line)) for line in lines[a + 1:b]]
            for a, b in zip(starts, starts[1:] + [None])]


def wide(rows, scenario, measure):
    """Rows with a column for each program."""
    for row in rows:
        for peer in row:
            if peer not in ("kind", "sigma", "picture") and not peer.startswith(OWN):
                yield scenario.format(**row), row["picture"], peer, {measure: row[peer]}


def figures(folder):
    """Scenario, picture, program and its measures."""
    def first(name):
        return tables(os.path.join(folder, name))[0]

    for name, beginning in BY_MASK:
        for row in first(name):
            mask = row["mask"]
            for word, ours in MASKS.items():
                mask = mask.replace(word, ours)
            yield (beginning + mask, row["image"], row["peer"],
                   {"psnr": row["psnr"], "ssim": row["ssim"], "seconds": row["seconds"]})
    for row in first("noise.csv"):
        if not row["peer"].startswith(OWN):
            yield ("kodak-noise" + row["sigma"], row["image"], row["peer"],
                   {"psnr": row["psnr"], "ssim": row["ssim"], "seconds": row["cpu_seconds"]})
    yield from wide(first("noise-unclipped.csv"), "kodak-told{sigma}", "psnr")
    yield from wide(first("damage.csv"), "kodak-{kind}", "masked")
    yield from wide(first("real-cc.csv"), "cc", "psnr")
