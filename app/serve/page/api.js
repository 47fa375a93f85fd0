// api.js - talks to the server
//
// The address in the terminal ends in a token, which is good for one exchange
// against the key.  The key is kept for this browser, so that the page can be
// loaded again, and goes along with every request as a header: unlike a
// cookie, no other page can send it.

const KEPT = 'tessera-key';
let key = localStorage.getItem(KEPT);

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function refusal(response) {
  try {
    return (await response.json()).error;
  } catch {
    return `The server responded with status ${response.status}.`;
  }
}

async function send(method, path, options = {}) {
  const { query, ...rest } = options;
  const address = query ? `${path}?${new URLSearchParams(query)}` : path;
  let response;

  try {
    response = await fetch(address, {
      method,
      headers: key ? { 'X-Tessera-Key': key } : {},
      ...rest
    });
  } catch (error) {
    if (error.name === 'AbortError')
      throw error;
    throw new ApiError('The server does not respond. Is "tessera serve" still running?', 0);
  }
  if (!response.ok)
    throw new ApiError(await refusal(response), response.status);
  return response;
}

export async function getJson(path, options) {
  return (await send('GET', path, options)).json();
}

export async function getBlob(path, options) {
  return (await send('GET', path, options)).blob();
}

export async function getBytes(path, options) {
  return new Uint8Array(await (await send('GET', path, options)).arrayBuffer());
}

export async function post(path, body, options) {
  return send('POST', path, { body, ...options });
}

export async function postForJson(path, body, options) {
  return (await post(path, body, options)).json();
}

export async function remove(path, options) {
  return send('DELETE', path, options);
}

// Says what the server is; throws when we may not talk to it.
export async function connect() {
  const token = location.hash.slice(1);

  history.replaceState(null, '', location.pathname);
  if (/^[0-9a-f]{32}$/.test(token)) {
    try {
      key = (await postForJson('/api/session', token)).key;
      localStorage.setItem(KEPT, key);
    } catch (error) {
      // Used before, by this browser it may be: then we have the key.
      if (error.status !== 403)
        throw error;
    }
  }
  try {
    return await getJson('/api/about');
  } catch (error) {
    error.spent = token !== '';
    throw error;
  }
}

// Watches a job until it ends; calls report with each state on the way.
export async function watch(job, report) {
  for (;;) {
    const state = await getJson(`/api/jobs/${job}`);

    if (state.state !== 'waiting' && state.state !== 'running')
      return state;
    report(state);
    await new Promise(resolve => setTimeout(resolve, 150));
  }
}
