// ui.js - small things that all parts of the page need

export const $ = id => document.getElementById(id);

// A line at the bottom, read aloud too.  Errors stay until they are dismissed.
let hiding = 0;

export function say(text, kind = 'note') {
  const line = $('message');

  clearTimeout(hiding);
  $('message-text').textContent = text;
  line.dataset.kind = kind;
  line.hidden = text === '';
  if (kind === 'note' && text)
    hiding = setTimeout(() => line.hidden = true, 6000);
}

// Runs what a button asks for and tells of what goes wrong.
export function attempt(action) {
  return async (...values) => {
    try {
      return await action(...values);
    } catch (error) {
      if (error.name !== 'AbortError')
        say(sentence(error.message), 'error');
      return undefined;
    }
  };
}

export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

export function duration(seconds) {
  if (seconds < 60)
    return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);

  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// What a job's state is in words.
export function progressText(state) {
  if (state.state === 'waiting')
    return state.ahead === 1 ? 'Waiting: one is in front' : `Waiting: ${state.ahead} are in front`;
  if (state.seconds_left !== null)
    return `${Math.round(state.done * 100)} % · ${duration(state.seconds_left)} left`;
  return state.done > 0.02 ? `${Math.round(state.done * 100)} %` : `${duration(state.seconds)} so far`;
}

export function saveBlob(blob, name) {
  const link = document.createElement('a');

  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A file that the user chooses, or null.
export function chooseFiles(input) {
  return new Promise(resolve => {
    input.value = '';
    input.onchange = () => resolve([...input.files]);
    input.oncancel = () => resolve([]);
    input.click();
  });
}

// The value of the chosen button in a group.
export function chosen(name) {
  return document.querySelector(`input[name="${name}"]:checked`).value;
}
