// desk.js - the pictures that are open, and the one that is on the screen

import { History } from './history.js';
import { Mask } from './mask.js';
import { $ } from './ui.js';
import { View } from './view.js';

export class Picture {
  constructor(info) {
    this.info = info;         // what the server said
    this.mask = new Mask(info.width, info.height);
    this.history = new History(this.mask);
    this.version = 0;         // on the screen
    this.saved = 0;           // the version that was downloaded last
    this.crop = null;         // the area that is kept, { x0, y0, x1, y1 }, or null
    this.savedCrop = null;
    this.loaded = false;      // a mask was loaded into this one
    this.compared = false;    // before and after are side by side
    this.lastPoint = null;    // where the last stroke ended
    this.brush = Math.max(8, Math.max(info.width, info.height) / 50);
    this.noiseSettings = { strength: '0', sigma: '' };  // as the controls have them
    this.noise = null;        // { version, found }: what the server found
    this.thumb = { version: -1, address: '' };
  }

  // Damage that was found, { runs, query, words }: what of it is in the mask,
  // how it was looked for, and how much there was; or null.
  get found() {
    return this.history.known;
  }

  set found(found) {
    this.history.known = found;
  }

  get unsaved() {
    return this.version !== this.saved || this.crop !== this.savedCrop;
  }

  // Whether there is something to download.
  get isChanged() {
    return this.version !== 0 || this.crop !== null;
  }

  // Whether something is lost when it is closed.
  get hasWork() {
    return this.unsaved || !this.mask.empty;
  }

  get address() {
    return `/api/photos/${this.info.id}`;
  }
}

export const desk = {
  pictures: [],
  current: null,              // one of them, or null
  job: 0,                     // number of the one that runs, or 0
  waiting: 0,                 // actions whose result is on its way

  // Whether the picture on the screen will be another one soon: nobody may
  // change or save it meanwhile.
  get busy() {
    return desk.job !== 0 || desk.waiting > 0;
  }
};

export const view = new View($('stage'), $('below'), $('above'));
