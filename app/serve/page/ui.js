// ui.js - small things that all parts of the page need

export const $ = id => document.getElementById(id);

// A line at the bottom, also read aloud.  Errors stay until they are dismissed.
let hiding = 0;

export function showMessage(text, kind = 'note') {
  const line = $('message');

  clearTimeout(hiding);
  $('message-text').textContent = text;
  line.dataset.kind = kind;
  line.hidden = text === '';
  if (kind === 'note' && text)
    hiding = setTimeout(() => line.hidden = true, 6000);
}

// Asks in a window of its own.  Choices are [value, label] pairs, the safe one
// last; resolves to a value, or '' if the window was closed.
export function ask(title, text, choices) {
  const dialog = $('ask');

  $('ask-title').textContent = title;
  $('ask-text').textContent = text;
  $('ask-choices').replaceChildren(...choices.map(([value, label], i) => {
    const button = document.createElement('button');

    button.value = value;
    button.textContent = label;
    button.className = i === choices.length - 1 ? 'primary' : '';
    button.addEventListener('click', () => dialog.close(value));
    return button;
  }));
  dialog.returnValue = '';
  dialog.showModal();
  $('ask-choices').lastElementChild.focus();
  return new Promise(resolve => {
    dialog.onclose = () => resolve(dialog.returnValue);
  });
}

// Runs the action of a button and shows its error, if any.
export function attempt(action) {
  return async (...values) => {
    try {
      return await action(...values);
    } catch (error) {
      if (error.name !== 'AbortError')
        showMessage(sentence(error.message), 'error');
      return undefined;
    }
  };
}

// A message of the server as a sentence.  The name of a file at its beginning,
// as in "scan.png: the PNG is truncated", stays as it is.
export function sentence(text) {
  const first = /^[^:]*\.\w+: /.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();

  return first + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

export function duration(seconds) {
  if (seconds < 60)
    return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);

  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// "1 pixel", "2,000 pixels"
export function count(number, noun) {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

// A job's state in words.
export function progressText(state) {
  if (state.state === 'waiting')
    return state.ahead > 0 ? `Waiting for ${count(state.ahead, 'other job')}` : 'Waiting';
  if (state.seconds_left !== null)
    return `${Math.round(state.done * 100)} % · ${duration(state.seconds_left)} left`;
  return state.done > 0.02 ? `${Math.round(state.done * 100)} %` : `${duration(state.seconds)} so far`;
}

// Says how far work is to those who do not see it: at its start and at each
// quarter.
export function announce(label, done) {
  const quarter = Math.floor(done * 4) * 25;
  const text = quarter > 0 ? `${label}, ${quarter} %` : label;

  if (done < 1 && $('announcement').textContent !== text)
    $('announcement').textContent = text;
}

// So that the same work is read aloud again when it is begun again.
export function announceNothing() {
  $('announcement').textContent = '';
}

// A job's state as a bar, which only moves to and fro while little is done.
export function showShare(bar, state) {
  if (state.done > 0.02)
    bar.value = state.done;
  else
    bar.removeAttribute('value');
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
