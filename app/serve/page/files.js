// files.js - masks from and to files, and pictures that are saved

import { getBlob, post } from './api.js';
import { cropQuery } from './crop.js';
import { desk } from './desk.js';
import { changeMask } from './painting.js';
import { exclusive, occupy } from './state.js';
import { $, ask, attempt, chooseFiles, count, saveBlob, showMessage } from './ui.js';
import { showNear } from './work.js';

// Whose marks are in the mask: the server knows which of them are see-through.
export function maskQuery(picture) {
  return { found: Number(Boolean(picture.found?.runs)), loaded: Number(picture.loaded) };
}

// What to do with what is painted over already: '' for nothing at all.
async function askForMask() {
  if (desk.current.mask.empty)
    return 'add';
  return ask('Load a mask', 'Part of the picture is painted over already. Replace that, or add to it?',
             [['', 'Cancel'], ['replace', 'Replace'], ['add', 'Add']]);
}

export const loadMask = attempt(async () => {
  const [file] = await chooseFiles($('choose-mask'));

  if (!file || desk.busy)
    return;
  const runs = await occupy(async () => {
    const response = await post(`${desk.current.address}/mask/picture`, file);

    return new Uint8Array(await response.arrayBuffer());
  });
  const how = await askForMask();

  if (how === '' || desk.busy)
    return;
  changeMask(mask => {
    desk.current.loaded = true;
    if (how === 'replace')
      mask.clear();
    return mask.addRuns(runs);
  });
  showMessage(how === 'replace' ? 'The mask was replaced.' : 'The mask was added.');
});

export const saveMask = exclusive(async () => {
  const { address, info, mask } = desk.current;
  const response = await post(`${address}/mask/runs`, mask.toRuns(), { query: maskQuery(desk.current) });

  saveBlob(await response.blob(), info.name.replace(/\.[^.]*$/, '') + '-mask.png');
});

export function clearMask() {
  changeMask(mask => {
    desk.current.found = null;
    desk.current.loaded = false;
    return mask.clear();
  });
}

async function save(picture) {
  saveBlob(await getBlob(`${picture.address}/picture`, {
    query: { version: picture.version, ...cropQuery(picture) }
  }),
           picture.info.mended_name);
  picture.saved = picture.version;
  picture.savedCrop = picture.crop;
}

export const download = exclusive(() => save(desk.current));

export const downloadAll = exclusive(async () => {
  const restored = desk.pictures.filter(({ isChanged }) => isChanged);

  for (const [i, picture] of restored.entries()) {
    showNear(i / restored.length, `Saving ${picture.info.mended_name}`);
    await save(picture);
  }
  showMessage(`Saved ${count(restored.length, 'picture')}.`);
});
