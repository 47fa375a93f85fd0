// history.js - undo and redo
//
// A step is the tiles of the mask that it changed, as they were before, what
// was known of the mask then, and the version of the picture before and after.
// To undo it, the tiles change places with those of the mask; to redo it, they
// do so again.

const MOST_BYTES = 256 << 20;

export class History {
  #mask;
  #steps = [];
  #undone = [];
  #open = null;   // the step that is being made
  #bytes = 0;

  // What is known of the mask; changed between begin() and end() like it.
  known = null;

  constructor(mask) {
    this.#mask = mask;
    mask.beforeTile = tile => {
      if (this.#open && !this.#open.tiles.has(tile))
        this.#open.tiles.set(tile, mask.readTile(tile));
    };
  }

  get canUndo() {
    return this.#steps.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  // What the last step said of versions, or null.
  get lastVersions() {
    return this.#steps.at(-1)?.versions ?? null;
  }

  begin() {
    this.#open = { tiles: new Map(), known: this.known };
  }

  // Ends the step, which may have changed the version too.
  end(versions = null) {
    const step = this.#open;

    this.#open = null;
    if (!step || step.tiles.size === 0 && !versions)
      return;
    step.versions = versions;
    this.#undone = [];
    this.#steps.push(step);
    this.#bytes += size(step);
    while (this.#bytes > MOST_BYTES && this.#steps.length > 1)
      this.#bytes -= size(this.#steps.shift());
  }

  // Takes back what the open step has done so far.
  abandon() {
    if (this.#open)
      this.#swap(this.#open);
    this.#open = null;
  }

  // Both return the version to show, or null if it stays.
  undo() {
    const step = this.#steps.pop();

    this.#swap(step);
    this.#undone.push(step);
    return step.versions ? step.versions.before : null;
  }

  redo() {
    const step = this.#undone.pop();

    this.#swap(step);
    this.#steps.push(step);
    return step.versions ? step.versions.after : null;
  }

  #swap(step) {
    [step.known, this.known] = [this.known, step.known];
    for (const [tile, bits] of step.tiles) {
      step.tiles.set(tile, this.#mask.readTile(tile));
      this.#mask.writeTile(tile, bits);
    }
  }
}

function size(step) {
  let bytes = 64 + (step.known?.runs?.length ?? 0);

  for (const bits of step.tiles.values())
    bytes += bits.length;
  return bytes;
}
