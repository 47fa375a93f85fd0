// work.js - jobs on the picture on the screen, and how far they are

import { postForJson, remove, watch } from './api.js';
import { desk } from './desk.js';
import { refresh } from './state.js';
import { $, announce, attempt, progressText, showShare } from './ui.js';

export function showProgress(state, label) {
  $('progress').hidden = false;
  $('progress-label').textContent = label;
  $('progress-text').textContent = progressText(state);
  document.title = `${progressText(state)} · Tessera`;
  showShare($('progress-bar'), state);
  announce(label, state.done);
}

// Work whose end is near, or which is too short to be a job.
export function showNear(done, label) {
  showProgress({ state: 'running', done, seconds: 0, seconds_left: null }, label);
}

// Runs a job on the current picture to its end; null if it was cancelled.
// onstate gets each state on the way.
export async function work(query, body, label, onstate = () => {}) {
  const { address, version } = desk.current;
  const started = await postForJson(`${address}/jobs`, body, { query: { version, ...query } });

  desk.job = started.job;
  refresh();
  showNear(0, label);
  // Not away from what somebody who searches is moving to and fro.
  if (!document.activeElement.matches('.finder input'))
    $('cancel').focus({ preventScroll: true });
  try {
    const state = await watch(desk.job, now => {
      showProgress(now, label);
      onstate(now);
    });

    if (state.state === 'failed')
      throw new Error(state.error);
    return state.state === 'done' ? state : null;
  } finally {
    desk.job = 0;
    refresh();
  }
}

export const cancel = attempt(async () => {
  if (desk.job !== 0)
    await remove(`/api/jobs/${desk.job}`);
});
