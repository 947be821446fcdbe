// What several screens are made of.

import { certainty, clock, element, find, grouped, oneDecimal, percent, plural, shape, shortened } from './shared.js';
import { art } from './art.js';
import { ask } from './server.js';

/** A button with a text and what it does. */
export function button(text, attributes, act) {
  const node = element('button', { type: 'button', class: 'btn', text, ...attributes });
  node.addEventListener('click', act);
  return node;
}

export const link = (text, address, attributes = {}) => element('a', { class: 'link', href: address, text, ...attributes });

export function heading(text, aside) {
  return element('div', { class: 'sec-head' }, element('h2', { text }),
    aside && (aside.nodeType ? aside : element('span', { text: aside })));
}

export function title(text, attributes = {}) {
  const node = element('h1', { tabindex: -1, text: shortened(text, 400), ...attributes });
  if (text.length > 60) {
    node.classList.add('long');
    node.title = shortened(text, 2000);
  }
  return node;
}

/** A sentence in place of what is not there. */
export const none = text => element('p', { class: 'none', text });

/** A text with some ranges marked; ranges are pairs of UTF-16 positions. */
export function marked(text, ranges = []) {
  const parts = [];
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from || end > text.length) continue;
    parts.push(text.slice(from, start), element('mark', { text: text.slice(start, end) }));
    from = end;
  }
  return [...parts, shortened(text.slice(from), 400)].filter(Boolean);
}

/** "Wansti", or the folder with a slash where no artist is known. */
export const byline = track => track.artist || (track.folder ? `${track.folder}/` : '–');
/** Files that failed are listed, and cannot be played. */
export const isPlayable = track => track.status !== 'failed';
/** "273 tracks, 5 failed"; `count` has the failed ones, which are no tracks, within it. */
export function counts({ count, failed, count_is_exact: isExact }) {
  const tracks = `${isExact === false ? 'more than ' : ''}${plural(count - (failed || 0), 'track')}`;
  if (!failed) return tracks;
  return count === failed ? plural(failed, 'failed file') : `${tracks}, ${grouped.format(failed)} failed`;
}
export const length = seconds => seconds == null ? '–' : clock(seconds);
export const tempo = bpm => bpm == null ? 'no beat' : `${oneDecimal(bpm)} BPM`;
export const address = (kind, id) => `#/${kind}/${encodeURIComponent(id)}`;

/** Beside a tempo: how sure it is. Low confidence is striped. */
export function meter(confidence) {
  const fill = element('i');
  fill.style.width = percent(confidence);
  return element('span', { class: confidence < .5 ? 'meter low' : 'meter', role: 'img', title: certainty(confidence),
    'aria-label': `${certainty(confidence)}, ${percent(confidence)}` }, fill);
}

let playing = null;
/** Marks the rows of the track that plays, now and in lists that come. */
export function markPlaying(id) {
  playing = id;
  for (const row of document.querySelectorAll('.row[data-id]')) showPlaying(row, row.dataset.id === id);
}
export function showPlaying(row, isPlaying) {
  row.classList.toggle('playing', isPlaying);
  if (isPlaying) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
}

/** A row of a list of tracks. `options`: `play` plays the list from here, `handle` is put before, `number` in place of art,
 *  `menu` are further entries for its menu, `byline` another second line. */
export function trackRow(track, options = {}) {
  if (!isPlayable(track)) return failedRow(track, options);
  const { marks = {} } = track, name = track.title || track.file;
  const start = element('button', { type: 'button', class: 'start', 'aria-label': `Play ${shortened(name, 100)}` },
    shape('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, shape('path', { d: 'M5 2.5v11l8-5.5z' })));
  start.addEventListener('click', () => options.play());
  const more = element('button', { type: 'button', class: 'more', 'aria-haspopup': 'menu', text: '⋯',
    'aria-label': `More for ${shortened(name, 100)}` });
  more.addEventListener('click', () => trackMenu(more, track, options.menu));
  const second = options.byline ? [options.byline] : marked(byline(track), track.artist ? marks.artist : []);
  const state = { failed: '▲', partial: '◐' }[track.status];
  const row = element('li', { class: options.number != null ? 'row numbered' : 'row', 'data-id': track.id },
    options.handle,
    element('span', { class: 'art' },
      options.number != null ? element('span', { class: 'number', text: options.number }) : art(track.id, 40), start),
    element('a', { class: 'name', href: address('track', track.id) },
      element('span', { class: track.is_untitled ? 'nm tag untitled' : 'nm tag' },
        ...marked(name, track.is_untitled ? marks.title || marks.file : marks.title)),
      element('span', { class: 'sub tag' }, ...second)),
    state ? element('span', { class: 'bpm bad', text: `${state} ${track.status === 'failed' ? 'failed' : 'damaged'}` })
      : element('span', { class: track.tempo_bpm == null ? 'bpm none-found' : 'bpm' },
        track.tempo_bpm != null && track.tempo_confidence != null && meter(track.tempo_confidence),
        element('span', { text: tempo(track.tempo_bpm) })),
    element('span', { class: 'key dim', text: track.key_camelot || '–' }),
    element('span', { class: 'length dim', text: length(track.duration_s) }),
    more);
  if (track.problem) row.querySelector('.bpm').title = `${track.problem.what} ${track.problem.do}`;
  showPlaying(row, track.id === playing);
  return row;
}

/** A row of a file that failed: why, and what to do. */
function failedRow(track, { handle, menu = [] }) {
  const { marks = {}, problem } = track, name = track.title || track.file;
  const more = menu.length > 0 && element('button', { type: 'button', class: 'more', 'aria-haspopup': 'menu', text: '⋯',
    'aria-label': `More for ${shortened(name, 100)}` });
  if (more) more.addEventListener('click', () => openMenu(more, menu));
  return element('li', { class: 'row failed', 'data-id': track.id }, handle,
    element('span', { class: 'art bad', 'aria-hidden': 'true', text: '▲' }),
    element('a', { class: 'name', href: address('track', track.id) },
      element('span', { class: 'nm tag untitled' }, ...marked(track.file, marks.file)),
      element('span', { class: 'sub', title: problem && `${problem.what} ${problem.do}`, text: problem ? `${problem.what} ${problem.do}` : 'It was not analyzed.' })),
    element('span', { class: 'bpm bad', text: problem ? problem.name : 'Failed' }), more || element('span'));
}

/** A list of tracks; playing one plays on from there: through `among`, which may have more tracks than the list, and then
 *  through what a server has after these (`source`, as the player takes it). With `numbers`, these stand in place of art. */
export function trackList(tracks, { player, among = tracks, source, numbers, ...options }) {
  const list = element('ol', { class: 'list' }, tracks.map(track => trackRow(track, { ...options,
    play: () => player.play(among, among.indexOf(track), 0, source), number: numbers ? track.track ?? '–' : null })));
  arrows(list, '.row', '.name');
  list.addEventListener('keydown', event => {
    const row = event.target.closest('.row');
    if (event.key !== ' ' || !row || !event.target.matches('.name')) return;
    event.preventDefault();
    event.stopPropagation();
    row.querySelector('.start').click();
  });
  return list;
}

/** ↑ and ↓ step through the rows of a list, Home and End to its ends. */
export function arrows(list, rows, target) {
  list.addEventListener('keydown', event => {
    const row = event.target.closest(rows);
    if (!row || event.altKey || event.target.matches('.handle, input')) return;
    const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling,
      Home: list.firstElementChild, End: list.lastElementChild }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to) to.querySelector(target).focus();
  });
}

/** A row with an album, artist, genre or playlist. */
export function plainRow({ picture, name, nameMarks, below, belowMarks, aside, href }) {
  return element('li', { class: 'row plain' }, element('span', { class: 'art' }, picture),
    element('a', { class: 'name', href }, element('span', { class: 'nm tag' }, ...marked(name, nameMarks)),
      element('span', { class: 'sub tag' }, ...marked(below || '', belowMarks))),
    aside && element('span', { class: 'dim', text: aside }));
}
export const round = name =>
  element('span', { class: 'round', 'aria-hidden': 'true', text: [...name.trim()][0]?.toUpperCase() || '–' });
export const square = id => element('span', { class: 'square' }, art(id, 40));

/** Opens the one menu beside a button. Entries: [text, act]. */
export function openMenu(anchor, entries) {
  const menu = find('#menu');
  menu.replaceChildren(...entries.filter(Boolean).map(([text, act]) => {
    const item = element('button', { type: 'button', role: 'menuitem', text });
    item.addEventListener('click', () => { menu.hidePopover(); act(); });
    return item;
  }));
  menu.onkeydown = event => {
    const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = document.activeElement[step];
    if (next) next.focus();
  };
  menu.showPopover();
  const box = anchor.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = menu;
  menu.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, box.right - width))}px`;
  menu.style.top = `${box.bottom + height + 8 > innerHeight ? Math.max(8, box.top - height - 4) : box.bottom + 4}px`;
  menu.firstElementChild.focus();
}

async function trackMenu(anchor, track, entries = []) {
  const { player } = await import('./player.js');
  openMenu(anchor, [
    ['Play next', () => { player.add([track], true); toast('Plays next'); }],
    ['Add to the queue', () => { player.add([track]); toast('Added to the queue'); }],
    ['Add to a playlist…', () => addToPlaylist([track])],
    track.album && track.album.id && ['Open the album', () => { location.hash = address('album', track.album.id); }],
    track.artists && track.artists[0] && ['Open the artist', () => { location.hash = address('artist', track.artists[0].id); }],
    ...entries
  ]);
}

let toastTimer = 0;
export function toast(words) {
  const node = find('#toast');
  node.textContent = words;
  node.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => node.classList.remove('on'), 2600);
}

/** For screen readers. */
export const say = words => { find('#live').textContent = words; };

/** Asks for a text in a dialog, or only whether if there is no `label`; null if it was closed.
 *  `choices`: buttons [text, value] above the field. */
export function askFor({ heading: words, label, value = '', confirm, choices = [] }) {
  const dialog = find('#dialog');
  return new Promise(done => {
    let answer = null;
    const close = given => { answer = given; dialog.close(); };
    const field = element('input', { type: 'text', 'aria-label': label, placeholder: label || '', maxlength: 200, value });
    const form = element('form', { method: 'dialog' }, element('h2', { id: 'dialog-title', text: words }),
      choices.length > 0 && element('ul', { class: 'choices' }, choices.map(([text, choice]) =>
        element('li', {}, button(shortened(text, 120), { class: 'choice tag' }, () => close({ choice }))))),
      label && field,
      element('div', { class: 'btns' }, button(confirm, { class: 'btn primary', type: 'submit' }, () => {}),
        button('Cancel', {}, () => close(null))));
    form.addEventListener('submit', event => {
      event.preventDefault();
      if (field.value.trim() || !label) close({ text: field.value.trim() });
    });
    dialog.replaceChildren(form);
    dialog.addEventListener('close', () => done(answer), { once: true });
    dialog.showModal();
    field.select();
    (choices.length ? dialog.querySelector('.choice') : label ? field : dialog.querySelector('.primary')).focus();
  });
}

export async function addToPlaylist(tracks) {
  try {
    const { items } = await ask('playlists'), ids = tracks.filter(isPlayable).map(track => track.id);
    const answer = await askFor({ heading: `Add ${plural(ids.length, 'track')} to`, label: 'Name of a new playlist',
      confirm: 'Make playlist', choices: items.map(item => [item.name, item]) });
    if (!answer) return;
    const list = answer.choice || (await ask('playlists', { method: 'POST', body: { name: answer.text, tracks: [] } })).playlist;
    for (let from = 0; from < ids.length; from += 1000) {
      await ask(`playlists/${list.id}/entries`, { method: 'POST', body: { tracks: ids.slice(from, from + 1000) } });
    }
    toast(`Added to ${shortened(answer.choice ? answer.choice.name : answer.text, 60)}`);
  } catch (error) {
    toast(error.message);
  }
}

/** Calls `act` once nothing has come for some milliseconds. */
export function later(milliseconds, act) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), milliseconds);
  };
}

/** What is kept in this browser. */
export const kept = {
  read(name, otherwise) {
    try { return JSON.parse(localStorage.getItem(`nocturne-${name}`)) ?? otherwise; } catch { return otherwise; }
  },
  write(name, value) {
    try { localStorage.setItem(`nocturne-${name}`, JSON.stringify(value)); } catch { /* private windows keep nothing */ }
  }
};
