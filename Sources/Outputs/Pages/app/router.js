// Which screen is shown: the fragment of the address says, as in #/track/3k…?tab=tags.

import { find } from './shared.js';
import { none, title } from './parts.js';
import { isLocked, server } from './server.js';

const screens = new Map(), places = new Map();
let leave = null, shown = '', aborter = new AbortController(), step = 0;

/** A screen is `async (parts, parameters, { signal, update }) => ({ name, nodes, leave, shown })`; `tab` is its tab. */
export const screen = (name, tab, show) => screens.set(name, { tab, show });

/** The parts and parameters of the fragment. */
export function route() {
  const [path, parameters = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter(Boolean).map(part => { try { return decodeURIComponent(part); } catch { return part; } }),
    parameters: new URLSearchParams(parameters) };
}

/** Writes parameters into the address without showing the screen again. */
export function setParameters(values) {
  const path = location.hash.split('?')[0] || '#/search', parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value != null && value !== '') parameters.set(name, value);
  const text = parameters.toString(), next = text ? `${path}?${text}` : path;
  if (next === location.hash) return;
  history.replaceState(history.state, '', next);
  shown = next;
}

/** Shows what the address says. The old screen stays until the new one is there. */
export async function show({ isNew = true } = {}) {
  const { parts: [name = 'search', ...parts], parameters } = route(), found = screens.get(name) || screens.get('search');
  if (shown) places.set(shown, scrollY);
  aborter.abort();
  aborter = new AbortController();
  const { signal } = aborter, mine = ++step, address = location.hash;
  const line = setTimeout(() => { find('#loading').hidden = false; }, 300);
  for (const tab of document.querySelectorAll('[data-tab]')) {
    if (tab.dataset.tab === found.tab) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
  }
  let page;
  try {
    page = await found.show(parts, parameters, { signal, reload: () => show({ isNew: false }) });
  } catch (error) {
    // A banner or the question for a token tells what is wrong; the old screen stays.
    if (error.name === 'AbortError' || error.status === 401 || (error.status === 0 && shown)) return;
    page = { name: 'Nocturne', nodes: [title(error.status === 404 ? 'Not found' : 'This did not work'), none(error.message)] };
    if (!error.status && error.status !== 0) console.error(error);
  } finally {
    clearTimeout(line);
    if (mine === step) find('#loading').hidden = true;
  }
  if (mine !== step || isLocked) return;
  if (leave) leave();
  leave = page.leave || null;
  const isFirst = !shown, main = find('#main'), heldFocus = main.contains(document.activeElement);
  shown = address;
  main.replaceChildren(...page.nodes);
  document.title = page.name === 'Nocturne' ? page.name : `${page.name} · Nocturne`;
  if (page.shown) page.shown();
  if (isNew) {
    scrollTo(0, cameBack ? places.get(address) || 0 : 0);
    // So that keys and screen readers go on at the new screen.
    if (!isFirst && !main.contains(document.activeElement)) (main.querySelector('h1') || main).focus({ preventScroll: true });
  } else if (heldFocus && !main.contains(document.activeElement)) {
    main.focus({ preventScroll: true });
  }
  cameBack = false;
}

let cameBack = false;
export function startRouter() {
  addEventListener('popstate', () => { cameBack = true; });
  document.addEventListener('click', event => { if (event.target.closest('a')) queueMicrotask(() => { cameBack = false; }); });
  addEventListener('hashchange', () => show());
  server.addEventListener('back', () => show({ isNew: false }));
  if ('scrollRestoration' in history) history.scrollRestoration = 'manual';
  return show();
}
