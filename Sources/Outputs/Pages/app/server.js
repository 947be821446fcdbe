// Asking the server, and hearing from it.

/** Sends 'gone' and 'back' (whether the server answers), 'locked' (a token is needed), 'missed' (the library has changed while
 *  the page was out of sight), and the server's own events. */
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

/* Events: one stream for all pages of this browser, and none for pages out of sight. */

const NAMES = ['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo'];
let isConnected = false, lastRevision = null, hasHidden = false;

function heard(name, data) {
  if (name === 'open') return setGone(false);
  // Whether the server is gone or only this connection, a request tells.
  if (name === 'error') return request('/app/api/status').catch(() => { /* told by setGone and 'locked' */ });
  const detail = JSON.parse(data);
  if (detail.revision != null) lastRevision = detail.revision;
  tell(name, detail);
}

/** Where there is no SharedWorker, as on some phones, each page has a stream of its own while it is in sight. */
class OwnStream {
  #source = null;
  postMessage(isWatching) {
    this.#source?.close();
    this.#source = null;
    if (!isWatching) return;
    this.#source = new EventSource('/app/api/events');
    for (const name of NAMES) this.#source.addEventListener(name, event => heard(name, event.data));
    for (const name of ['open', 'error']) this.#source.addEventListener(name, () => heard(name));
  }
}
function shared() {
  const { port } = new SharedWorker('/app/events-worker.js');
  port.onmessage = ({ data: { name, data } }) => heard(name, data);
  return port;
}
let stream = null;

/** Begins to hear the server's events, or ends it; without an argument, as the page is in sight or not. */
async function watch(isWatching = isConnected && !document.hidden) {
  stream ??= 'SharedWorker' in window ? shared() : new OwnStream();
  stream.postMessage(isWatching);
  if (!isWatching) return;
  // A stream that others have opened has said how things are before this page came.
  try {
    const before = lastRevision, status = await ask('status');
    tell('hello', status);
    lastRevision = status.revision ?? lastRevision;
    if (!hasHidden || before === status.revision) return;
    tell('library', { tracks: status.tracks, text: status.text });
    tell('missed');
  } catch { /* told by setGone and 'locked' */ }
}
document.addEventListener('visibilitychange', () => {
  hasHidden ||= document.hidden;
  if (isConnected) watch();
});
addEventListener('pagehide', () => { if (isConnected) stream.postMessage(false); });
addEventListener('pageshow', event => { if (event.persisted && isConnected) watch(); });

/** Hears the server's events; the browser connects again by itself unless the server refuses. */
export function connect() {
  isConnected = true;
  watch();
}
export function disconnect() {
  isConnected = false;
  watch(false);
}
