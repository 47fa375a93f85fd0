"""How well the program restores pictures: quality.py COMMAND [OPTION...]

  measure   run the scenarios, continue where it was stopped, compare with figures.csv
  accept    make what was measured last the figures that are committed, and write
            them into the tables of docs/
  check     measure, and fail where a scenario is worse than figures.csv by more than
            it may be; for "make check"
  tables    measure nothing; fail where a table in docs/ is not that of figures.csv

--scenarios and --pictures (names, or beginnings of names with *), --quality, --jobs,
--program, --folder.  Everything is measured by the command line, with one thread.
Needs nothing but Python; see the table of scenarios beside this file.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import glob
import hashlib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import peers
import pictures

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "figures.csv")
COLUMNS = ("commit scenario picture quality psnr ssim masked precision recall f1 changed "
           "seconds gflops megabytes").split()
KEY = "scenario", "quality", "picture"
PEERS = "../shared/data/peers"
OURS = "fast", "normal", "best"
# A loss that "check" does not bear.
BOUNDS = {"psnr": 0.15, "masked": 0.15, "f1": 0.02, "changed": 10}
SLOWER = 4 / 3
UNITS = {"psnr": "dB", "masked": "dB in the damage", "f1": "F1", "changed": "samples changed"}


class Scenario:
    def __init__(self, line, sets):
        self.name, self.set, self.damage, scored, self.command = line.split(None, 4)
        self.scored = scored.split(",")
        self.pictures = [(os.path.splitext(os.path.basename(path))[0].replace("-truth", "")
                          .replace("-mask", ""), path)
                         for path in sorted(glob.glob(sets[self.set]))]
        if not self.pictures and os.path.isdir(os.path.dirname(sets[self.set])):
            sys.exit("quality: there are no pictures %s" % sets[self.set])


def scenarios():
    sets, found = {}, []
    with open(os.path.join(HERE, "scenarios")) as file:
        for line in file:
            if line.startswith("set "):
                sets.update([line.split()[1:]])
            elif line.strip() and not line.startswith("#"):
                found.append(Scenario(line, sets))
    return found


def measured_by(scenario):
    """The measures of a scenario, or of one that a report of comparison has."""
    for s in scenarios():
        if s.name == scenario.partition("/")[0]:
            return s.scored
    return []


def run(command):
    """What a command prints, its core seconds and its peak memory in megabytes."""
    with tempfile.TemporaryFile() as out:
        pid = os.posix_spawnp(command[0], command, os.environ,
                              file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, usage = os.wait4(pid, 0)
        out.seek(0)
        text = out.read().decode()
    if status:
        sys.exit("quality: failed: " + " ".join(command))
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rounded(value, digits):
    return "" if value is None or math.isinf(value) else "%.*f" % (digits, value)


def row_of(score, **others):
    """A row of the CSV; @score is what "tessera score" or a report has."""
    row = dict.fromkeys(COLUMNS, "")
    row.update(psnr=rounded(score.get("psnr"), 3), ssim=rounded(score.get("ssim"), 5),
               masked=rounded(score.get("psnr_masked"), 3), **others)
    return row


def apart(function, *values):
    """Calls a function of pictures.py in a process of its own: the peak memory of a
    program counts from that of the one that starts it."""
    program = os.path.join(HERE, "pictures.py")
    return json.loads(run([sys.executable, program, function, *values])[0])


def restore(options, scenario, qualities, name, true):
    """Damages one picture, repairs it, and returns its rows."""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        damaged = apart("damage", options.program, scenario.damage, name, true, folder)
        return [dict(repair(options, scenario, quality, damaged, folder),
                     scenario=scenario.name, quality=quality, picture=name)
                for quality in qualities]


def repair(options, scenario, quality, damaged, folder):
    truth, mask, unsure, out, seen = (
        os.path.join(folder, n + ".png") for n in ("true", "mask", "unsure", "out", "seen"))
    command = scenario.command.format(**{"in": damaged}, mask=mask).split()
    gflops = float(run([options.sgemm])[0])
    _, seconds, memory = run([options.program, *command, "-q", "-f", "--threads", "1",
                              "--quality", quality, "-o", out, "--mask-out", seen])
    score = {}
    if scenario.scored != ["f1"]:
        masked = ["--mask", mask] if "masked" in scenario.scored else []
        score = json.loads(run([options.program, "score", truth, out, "--json", *masked])[0])
    if scenario.damage.startswith("unclipped"):
        score["psnr"] -= 20 * math.log10(pictures.FAINTER)
    row = row_of(score, seconds=rounded(seconds, 3), gflops=rounded(gflops, 1),
                 megabytes=rounded(memory, 0))
    if "f1" in scenario.scored:
        values = apart("found", mask, seen, unsure)
        row.update(zip(("precision", "recall", "f1"), (rounded(v, 4) for v in values)))
    if "changed" in scenario.scored:
        row["changed"] = str(apart("samples_changed", truth, out))
    return row


def report(options, scenario):
    """Compares dictionaries, and returns a row for each method and picture.  Seconds are
    those of its restoration by the clock, memory that of all."""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        gflops = float(run([options.sgemm])[0])
        _, _, memory = run([options.program, *scenario.command.split(), "-q", "--threads", "1",
                            "-f", "-o", folder])
        with open(os.path.join(folder, "results.json")) as file:
            scores = json.load(file)["scores"]
    return [row_of(s, scenario="/".join((scenario.name, s["protocol"], s["method"])),
                   quality="normal", gflops=rounded(gflops, 1), megabytes=rounded(memory, 0),
                   picture=os.path.splitext(os.path.basename(s["picture"]))[0],
                   seconds=rounded(s["seconds"], 3)) for s in scores]


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        return {tuple(row[k] for k in KEY): row for row in csv.DictReader(file)}


def write(path, rows):
    with open(path + ".new", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    os.replace(path + ".new", path)


# What was measured: the commit, with + where sources differ from it; "unknown"
# without git or outside of a repository.
def commit():
    if not shutil.which("git"):
        return "unknown"

    def git(*words):
        return subprocess.run(["git", *words], stdout=subprocess.PIPE, text=True).stdout.strip()

    changed = git("status", "--porcelain", "-uno", "--", "*.[ch]", "*.inc", "*.trees", "data")
    return (git("rev-parse", "--short=9", "HEAD") or "unknown") + ("+" if changed else "")


def wanted(name, patterns):
    return not patterns or any(fnmatch.fnmatch(name, p) for p in patterns)


def tasks(options, done):
    """What is still to be measured: functions that return rows."""
    for scenario in scenarios():
        if not wanted(scenario.name, options.scenarios) or not scenario.pictures:
            continue
        if scenario.command.startswith("compare"):
            if not any(key[0].startswith(scenario.name + "/") for key in done) \
                    and "normal" in options.quality:
                yield lambda s=scenario: report(options, s)
            continue
        for name, true in scenario.pictures:
            missing = [quality for quality in options.quality
                       if (scenario.name, quality, name) not in done]
            if missing and wanted(name, options.pictures):
                yield lambda s=scenario, m=missing, n=name, t=true: restore(options, s, m, n, t)


def measure(options):
    """All rows that belong to this program; those that are missing are measured."""
    with open(options.program, "rb") as file:
        made = hashlib.sha256(file.read()).hexdigest()[:12]
    path = os.path.join(options.folder, made + ".csv")
    rows, at = read(path), commit()
    todo = list(tasks(options, rows))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for n, future in enumerate(concurrent.futures.as_completed(
                [pool.submit(task) for task in todo])):
            for row in future.result():
                rows[tuple(row[k] for k in KEY)] = dict(row, commit=at)
            write(path, rows)
            if sys.stderr.isatty():
                print("\r%d of %d " % (n + 1, len(todo)), end="", file=sys.stderr)
    last = os.path.join(options.folder, "last.csv")
    if os.path.lexists(last):
        os.remove(last)
    os.symlink(made + ".csv", last)
    return {key: row for key, row in rows.items()
            if wanted(key[0].partition("/")[0], options.scenarios)
            and wanted(key[2], options.pictures) and key[1] in options.quality}


def half_width(values):
    """Of the 95 % interval of a mean, by Student's distribution (Cornish and Fisher)."""
    v, z = len(values) - 1, 1.959964
    if v < 1:
        return math.inf
    t = z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v * v)
    return t * statistics.stdev(values) / math.sqrt(v + 1)


class Change:
    """Of one measure of a scenario at one quality, on the pictures that both have."""

    def __init__(self, measure, pairs):
        self.measure = measure
        sign = -1 if measure == "changed" else 1
        both = [(sign * (float(new[measure]) - float(old[measure])), new["picture"])
                for old, new in pairs if old[measure] and new[measure]]
        self.count = len(both)
        if both:
            gains = [gain for gain, _ in both]
            self.new = statistics.mean(float(new[measure]) for _, new in pairs if new[measure])
            self.gain, self.interval = statistics.mean(gains), half_width(gains)
            self.worst = min(both)

    def mark(self):
        if abs(self.gain) <= self.interval:
            return ""
        return "better" if self.gain > 0 else "WORSE"


def work(row):
    """Core seconds, in products of sgemm that they are worth."""
    return float(row["seconds"] or 0) * float(row["gflops"] or 0)


def changes(rows, figures):
    """Scenario, quality, changes of its measures, and the ratio of times."""
    for scenario, quality in sorted({key[:2] for key in rows}):
        pairs = [(figures[key], rows[key]) for key in sorted(rows)
                 if key[:2] == (scenario, quality) and key in figures]
        before = sum(work(old) for old, _ in pairs)
        found = [Change(m, pairs) for m in measured_by(scenario)]
        if pairs:
            yield (scenario, quality, [c for c in found if c.count],
                   sum(work(new) for _, new in pairs) / before if before else 1)


def compare(rows, figures):
    print("%-34s %-7s %9s %8s %17s  %-26s %5s" % (
        "scenario", "quality", "now", "change", "interval", "worst picture", "time"))
    for scenario, quality, found, ratio in changes(rows, figures):
        for c in found:
            print("%-34s %-7s %9.3f %+8.3f %+8.3f to %+.3f  %-18s %+7.3f %5.2f  %s" % (
                "%s (%s)" % (scenario, c.measure), quality, c.new, c.gain, c.gain - c.interval,
                c.gain + c.interval, c.worst[1], c.worst[0], ratio, c.mark()))
    alone = len(set(rows) - set(figures))
    if alone:
        print("%d of %d rows are not in figures.csv" % (alone, len(rows)))


def check(rows, figures):
    """A test for prove: a line for each measure, and for the tables of the pages."""
    count, failed = 0, False

    def report(good, text):
        nonlocal count, failed
        count, failed = count + 1, failed or not good
        print("%sok %d - %s" % ("" if good else "not ", count, text))

    report(rows and set(rows) <= set(figures), "all of it has committed figures")
    for page, old, new in pages(figures):
        report(old == new, "%s has the tables of figures.csv" % page)
    for scenario, quality, found, ratio in changes(rows, figures):
        for c in found:
            report(c.gain >= -BOUNDS[c.measure], "%s, %s: %.3f %s, %+.3f" % (
                scenario, quality, c.new, UNITS[c.measure], c.gain))
        if ratio > SLOWER:
            print("# slow: %s, %s: %.2f times the core seconds, relative to sgemm" % (
                scenario, quality, ratio))
    print("1..%d" % count)
    return 1 if failed else 0


def peer_rows():
    """What others reach, as rows; none where the tables are missing."""
    rows = {}
    if os.path.isdir(PEERS):
        for scenario, picture, program, measures in peers.figures(PEERS):
            row = dict(dict.fromkeys(COLUMNS, ""), commit="peer", scenario=scenario,
                       picture=picture, quality=program, **measures)
            rows[tuple(row[k] for k in KEY)] = row
    return rows


# Tables in pages, between <!-- quality NAME... --> and <!-- end of quality -->.

def average(rows, column, digits):
    values = [float(row[column]) for row in rows if row[column]]
    return "%.*f" % (digits, statistics.mean(values)) if values else ""


def best_peer(by, measure, count):
    """The program of others with the highest mean on all pictures, and that mean."""
    others = [(average(rows, measure, 2), name) for name, rows in by.items()
              if name not in OURS and len(rows) == count and rows[0][measure]]
    return "%s: %s" % max(others, key=lambda o: float(o[0]))[::-1] if others else ""


def means(chosen):
    """Lines of a table: means over the pictures, qualities beside each other, and the
    best program of others where there are some."""
    have = {row["quality"] for row in chosen}
    ours, others = [q for q in OURS if q in have], bool(have - set(OURS))
    head = ["", "pictures", "scored", *ours, *["best of others"] * others, "core seconds", "MB"]
    yield "| %s |" % " | ".join(head)
    yield "|%s" % (" --- |" * len(head))
    for name in dict.fromkeys(row["scenario"] for row in chosen):
        by = {}
        for row in chosen:
            if row["scenario"] == name:
                by.setdefault(row["quality"], []).append(row)
        mine, count = [by.get(q, []) for q in ours], len(by.get("normal", []))
        for measure in measured_by(name):
            digits = {"f1": 3, "changed": 0}.get(measure, 2)
            yield "| %s |" % " | ".join([
                name, str(count), UNITS[measure],
                *(average(rows, measure, digits) for rows in mine),
                *[best_peer(by, measure, count)] * others,
                ", ".join(filter(None, (average(rows, "seconds", 2) for rows in mine))),
                average(by.get("normal", []), "megabytes", 0)])


def methods(chosen):
    """The same of reports, with the difference to the cosines on the same pictures."""
    yield "| patches | method | pictures | PSNR in dB | beside `dct` |"
    yield "| --- | --- | --- | --- | --- |"
    for name in dict.fromkeys(row["scenario"] for row in chosen):
        scenario, protocol, method = name.split("/")
        cosines = {r["picture"]: r for r in chosen
                   if r["scenario"] == "/".join((scenario, protocol, "dct"))}
        mine = [r for r in chosen if r["scenario"] == name]
        c = Change("psnr", [(cosines[r["picture"]], r) for r in mine])
        yield "| %s | `%s` | %d | %.2f | %s |" % (
            protocol, method, c.count, c.new, "" if method == "dct" else
            "%+.2f (%+.2f to %+.2f)" % (c.gain, c.gain - c.interval, c.gain + c.interval))


def table(names, figures):
    order = [s.name for s in scenarios()]
    measured = {key[0] for key in figures if key[1] in OURS}
    chosen = [figures[key] for key in sorted(figures)
              if key[0] in measured and wanted(key[0], names)]
    chosen.sort(key=lambda row: order.index(row["scenario"].partition("/")[0]))
    lines = (methods if any("/" in row["scenario"] for row in chosen) else means)(chosen)
    caption = "Measured at commit %s, where sgemm makes %s GFLOP/s on one core." % (
        ", ".join(sorted({row["commit"] for row in chosen} - {"peer"})),
        average(chosen, "gflops", 0))
    return "\n".join([*lines, "", caption, ""])


def pages(figures):
    """Name, text, and what the text ought to be, of pages that have tables."""
    for page in sorted(glob.glob("docs/*.md")):
        with open(page) as file:
            old = file.read()
        new, count = re.subn(
            r"(<!-- quality (.*) -->\n)(?:(?!<!-- ).|\n)*?(<!-- end of quality -->)",
            lambda m: m[1] + table(m[2].split(), figures) + m[3], old)
        if not count == old.count("<!-- quality ") == old.count("<!-- end of quality "):
            sys.exit("quality: %s: a table has no beginning or no end" % page)
        if count:
            yield page, old, new


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", choices=("measure", "accept", "check", "tables"))
    parser.add_argument("--scenarios", type=str.split)
    parser.add_argument("--pictures", type=str.split)
    parser.add_argument("--quality", type=str.split)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--program", default="build/tessera")
    parser.add_argument("--sgemm", default="build/tests/bench/sgemm")
    parser.add_argument("--folder", default="build/quality")
    options = parser.parse_args()
    options.quality = options.quality or ["fast", "normal"]
    figures = read(FIGURES)
    if options.command == "tables":
        edited = [page for page, old, new in pages(figures) if old != new]
        for page in edited:
            print("# %s does not have the tables of figures.csv" % page)
        return 1 if edited else 0
    os.makedirs(options.folder, exist_ok=True)
    if options.command == "accept":
        figures.update(read(os.path.join(options.folder, "last.csv")))
        figures.update(peer_rows())
        write(FIGURES, figures)
        for page, _, new in pages(figures):
            with open(page, "w") as file:
                file.write(new)
        return 0
    rows = measure(options)
    return (check if options.command == "check" else compare)(rows, figures)


if __name__ == "__main__":
    sys.exit(main())
