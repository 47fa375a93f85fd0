// run.js - the dictionaries, and how the comparison was made

function learnedLine(contender) {
  if (contender.kind === "cosines")
    return "cosines, not learned";
  if (contender.kind === "file")
    return "from a file";
  if (contender.kind === "outside-learner")
    return `outside program, ${number(contender.seconds, 1)} s`;
  return `${plural(contender.iterations, "iteration")} in `
         + `${number(contender.seconds, 1)} s, from ${contender.start}`
         + (contender.out_of_time ? ", out of time" : "")
         + (seeds.length > 1 ? `, the first of ${seeds.length} seeds` : "");
}

function setUpDictionaries() {
  $("mosaics").append(...data.mosaics.map(mosaic => {
    const contender = data.contenders.find(c => c.name === mosaic.name);
    return make("figure", {},
      make("img", { src: mosaic.src, width: mosaic.width,
                    height: mosaic.height,
                    alt: `All atoms of ${mosaic.name}` }),
      make("figcaption", {}, dot(mosaic.name), mosaic.name,
        make("span", { class: "numbers" }, `${contender.atoms} atoms; `
                         + learnedLine(contender))));
  }));
  $("dictionaries").hidden = data.mosaics.length === 0;
}

function setUpRun() {
  const run = data.run, machine = run.machine, o = run.options;
  const facts = [
    ["Version", `Tessera ${machine.version}`],
    ["When", new Date(run.began).toLocaleString()],
    ["Duration", `${number(run.seconds, 0)} s in total`],
    ["Seed", String(run.seed)
      + (seeds.length > 1 || seeds[0] !== run.seed
         ? `, of learning ${seeds.join(", ")}` : "")],
    ["Pictures", `${data.data.training_pictures} for training, `
      + `${data.data.probes.length} for learning curves, `
      + `${data.data.tests.length} for testing, ${data.data.left_out} skipped`],
    ["Patches", `${data.data.training_patches} of ${o.patch} \u00d7 `
      + `${o.patch} \u00d7 3 to learn from`],
    ["Atoms per patch", `${o.atoms_per_patch} where patches are separate; `
      + `${o.train_atoms} while ksvd and mod learn`],
    ["Budget", (o.time_limit ? `${o.time_limit} s of learning each`
                : o.iterations ? `${o.iterations} iterations each`
                : "as many iterations as are usual for each")],
    ...data.contenders.filter(c => c.command)
      .map(c => [c.name, c.command + (c.error ? ` (failed: ${c.error})` : "")]),
    ["Machine", `${machine.processor ?? "?"}, ${plural(machine.cores, "core")}, `
      + plural(machine.threads, "thread")],
    ["System", machine.system ?? "?"],
    ["BLAS", machine.blas]
  ];
  $("command").textContent = run.command;
  $("facts").replaceChildren(make("dl", {}, ...facts.flatMap(
    ([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  const starts = learners.map(c => `${c.name} from ${c.start}`).join(", ");
  $("repeatable").textContent =
    (starts ? `Starts: ${starts}. ` : "")
    + (run.repeatable
       ? "The same command gives the same scores, with any number of threads."
       : "Learning was stopped by the clock, so another machine, or another "
         + "day, gives other dictionaries.");
  $("lead").textContent =
    `${data.contenders.map(c => c.name).join(", ")}: learned from `
    + `${data.data.training_patches.toLocaleString("en")} patches of `
    + `${o.patch} \u00d7 ${o.patch} pixels, tested on `
    + `${plural(data.data.tests.length, "picture")}.`;
  $("stopped").hidden = !run.interrupted;
}
