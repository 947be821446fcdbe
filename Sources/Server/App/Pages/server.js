// Asking the server, and hearing from it.

/** Sends 'gone' and 'back' (whether the server answers), 'locked' (a token is needed), and the server's own events. */
export const server = new EventTarget();

export class ServerError extends Error {
  constructor(status, message, details = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

let isGone = false;
/** Whether the server has refused a request for want of a token, until `unlock` is called. */
export let isLocked = false;
export function unlock() { isLocked = false; }

const tell = (name, detail) => server.dispatchEvent(new CustomEvent(name, { detail }));

function setGone(gone) {
  if (gone === isGone) return;
  isGone = gone;
  tell(gone ? 'gone' : 'back');
  if (gone) knock();
}

/** Asks every two seconds until the server answers again. */
function knock() {
  setTimeout(async () => {
    try {
      await fetch('/app/api/status', { cache: 'no-store' });
      setGone(false);
      connect();
    } catch {
      knock();
    }
  }, 2000);
}

/** The JSON at a path below /app/api; `body` is sent as JSON. Throws a ServerError with a sentence for people. */
export async function ask(path, { method = 'GET', body, signal } = {}) {
  return (await request(path.startsWith('/') ? path : `/app/api/${path}`, {
    method, signal, body: body === undefined ? undefined : JSON.stringify(body),
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' }
  })).json();
}

/** A response with a status of success, or nothing but a ServerError. */
export async function request(address, options = {}) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    setGone(true);
    throw new ServerError(0, 'The server does not answer.');
  }
  setGone(false);
  if (response.ok) return response.status === 204 ? new Response('null') : response;
  if (response.status === 401 && !isLocked) {
    isLocked = true;
    tell('locked');
  }
  let details = {};
  try { details = (await response.json()).error || {}; } catch { /* no JSON: a proxy's page */ }
  throw new ServerError(response.status, details.message || `The server answered ${response.status}.`, details);
}

/** `key=value&…` of what is there. */
export function query(values) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value != null && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

let source = null;
/** Hears the server's events; the browser connects again by itself unless the server refuses. */
export function connect() {
  if (source) source.close();
  source = new EventSource('/app/api/events');
  for (const name of ['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo']) {
    source.addEventListener(name, event => tell(name, JSON.parse(event.data)));
  }
  source.addEventListener('open', () => setGone(false));
  source.addEventListener('error', async () => {
    // Whether the server is gone or only this connection, a request tells.
    try { await request('/app/api/status'); } catch { /* told by setGone and 'locked' */ }
  });
}
export function disconnect() {
  if (source) source.close();
  source = null;
}
