// The library: all tracks with the filters of `analyze search`, albums, artists, genres and playlists.

import { element, grouped, plural, span } from './shared.js';
import { address, button, counts, heading, later, none, plainRow, round, say, title, trackRow } from './parts.js';
import { albumTile } from './albums.js';
import { newPlaylist } from './playlists.js';
import { player } from './player.js';
import { setParameters } from './router.js';
import { ask, query, server } from './server.js';
import { VirtualRows } from './virtual-rows.js';

const TABS = [['', 'Tracks'], ['albums', 'Albums'], ['artists', 'Artists'], ['genres', 'Genres'], ['playlists', 'Playlists']];

export async function showLibrary([tab = ''], parameters, tools) {
  const nav = element('nav', { class: 'subnav', 'aria-label': 'Library' }, TABS.map(([id, text]) =>
    element('a', { href: id ? `#/library/${id}` : '#/library', 'aria-current': id === tab && 'page', text })));
  const show = { albums: showAlbums, artists: showArtists, genres: showGenres, playlists: showPlaylists }[tab] || showTracks;
  const page = await show(parameters, tools);
  return { name: 'Library', ...page, nodes: [title('Library'), nav, ...page.nodes] };
}

/* Tracks */

const words = value => `"${value.replaceAll('"', ' ').trim()}"`;
/** "120-128" means 120..128. */
const range = value => value.replace(/^\s*(-?[\d.:]+)\s*[-–]\s*(-?[\d.:]+)\s*$/, '$1..$2').replaceAll(' ', '').replaceAll('−', '-');
const FIELDS = [
  { name: 'bpm', label: 'Tempo, BPM', example: '120..128', of: range },
  { name: 'confidence', label: 'Confidence', options: [['', 'Any'], ['0.9..', 'Very likely right'], ['0.75..', 'Probably right or better'],
    ['..0.5', 'A guess']] },
  { name: 'key', label: 'Key', example: '8A or 8A~', of: value => value.replaceAll(' ', '') },
  { name: 'lufs', label: 'Loudness, LUFS', example: '-14..-9', of: range },
  { name: 'duration', label: 'Length', example: '3:00..5:00', of: range },
  { name: 'year', label: 'Year', example: '1990..1999', of: range },
  { name: 'genre', label: 'Genre', example: 'trance', of: words },
  { name: 'artist', label: 'Artist', example: 'Wansti', of: words },
  { name: 'album', label: 'Album', example: 'Forest', of: words },
  { name: 'codec', label: 'Codec', example: 'flac', of: value => value.trim() },
  { name: 'lossless', label: 'Lossless', options: [['', 'Any'], ['yes', 'Lossless'], ['no', 'Lossy']] },
  { name: 'locked', label: 'Tempo set by you', options: [['', 'Any'], ['yes', 'Set'], ['no', 'Not set']] },
  { name: 'status', label: 'Status', options: [['', 'Any'], ['ok', 'Fine'], ['partial', 'Damaged'], ['failed', 'Failed']] },
  { name: 'missing', label: 'Missing', example: 'isrc or key', of: value => value.trim() },
  { name: 'added', label: 'Added', example: '7d or 2026-11-01', of: value => value.trim() },
  { name: 'where', label: 'As on the command line', example: 'genre:trance -lossless:yes', raw: true }
];
const SORTS = [['', 'Folder, or best hit'], ['title', 'Title'], ['artist', 'Artist'], ['album', 'Album'], ['year', 'Year, oldest'],
  ['-year', 'Year, newest'], ['bpm', 'Tempo, slowest'], ['-bpm', 'Tempo, fastest'], ['confidence', 'Least sure tempo'],
  ['key', 'Key'], ['lufs', 'Quietest'], ['-lufs', 'Loudest'], ['duration', 'Shortest'], ['-duration', 'Longest'],
  ['-added', 'Added last']];

/** Folders in their order, unless words are looked for: then the best hits first. */
const sortOf = values => values.sort || (values.q ? '' : 'path');
const expression = values => FIELDS.map(({ name, raw, of = value => value }) =>
  values[name] && (raw ? values[name] : `${name}:${of(values[name])}`)).filter(Boolean).join(' ');
function chipText({ label, options, raw }, value) {
  if (raw) return value;
  return `${label}: ${options ? options.find(([each]) => each === value)?.[1] || value : value}`;
}

async function showTracks(parameters) {
  const values = Object.fromEntries(parameters);
  const count = element('span', { id: 'count' }), chips = element('div', { class: 'chips' }, count),
    problem = element('p', { class: 'warning', role: 'alert', hidden: true });
  const rows = new VirtualRows({
    fetch: (offset, limit) => ask(`tracks${query({ q: values.q, where: expression(values), sort: sortOf(values), limit, offset })}`),
    make: (track, index) => trackRow(track, { play: () => playFrom(index) }),
    counted: found => {
      const text = found.count ? counts(found) : 'No tracks match. Remove a filter, or search for fewer words.';
      count.textContent = text;
      say(text);
    }
  });
  const playFrom = async index => {
    const list = { q: values.q, where: expression(values), sort: sortOf(values) };
    const { items, count } = await ask(`tracks${query({ ...list, limit: 200, offset: index })}`);
    player.play(items, 0, 0, { path: 'tracks', values: list, offset: index + items.length, count });
  };

  const inputs = {};
  // ↓ right after typing goes to what was typed for, and not to rows that are about to go.
  let isStale = false, wantsRows = false;
  const goToRows = () => { if (isStale) wantsRows = true; else rows.goTo(0); };
  const load = async () => {
    setParameters(values);
    paintChips();
    try {
      await rows.reload();
      problem.hidden = true;
      isStale = false;
      if (wantsRows) rows.goTo(0);
    } catch (error) {
      if (!error.status) throw error;
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      wantsRows = false;
    }
  };
  const changed = later(150, () => { rows.toTop(); load().catch(() => {}); });
  const set = (name, value) => { values[name] = value; isStale = true; changed(); };
  const paintChips = () => {
    const active = FIELDS.filter(({ name }) => values[name]);
    chips.replaceChildren(count, ...active.map(field => {
      const chip = button(`${chipText(field, values[field.name])} ×`, { class: 'chip', 'data-chip': field.name,
        'aria-label': `Remove the filter ${chipText(field, values[field.name])}` }, () => {
        inputs[field.name].value = '';
        set(field.name, '');
      });
      return chip;
    }), ...active.length > 1 || (active.length && values.q) ? [button('Clear all', { class: 'link', id: 'clear' }, () => {
      for (const name of Object.keys(inputs)) { if (name !== 'sort') { inputs[name].value = ''; values[name] = ''; } }
      changed();
    })] : []);
  };

  const choice = (name, options) => {
    const node = element('select', {}, options.map(([value, text]) => element('option', { value, text })));
    node.value = values[name] || '';
    node.addEventListener('change', () => set(name, node.value));
    inputs[name] = node;
    return node;
  };
  const field = (name, attributes) => {
    const node = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes });
    node.value = values[name] || '';
    node.addEventListener('input', () => set(name, node.value.trim()));
    inputs[name] = node;
    return node;
  };
  const search = field('q', { id: 'q', type: 'search', 'aria-label': 'Words in the library', placeholder: 'Track, artist, album or path' });
  search.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') { event.preventDefault(); goToRows(); }
    if (event.key === 'Escape') { event.preventDefault(); if (search.value) { search.value = ''; set('q', ''); } else search.blur(); }
  });
  const sort = choice('sort', SORTS);
  sort.setAttribute('aria-label', 'Sort by');
  const filters = element('details', { open: innerWidth > 640 && FIELDS.some(({ name }) => values[name]), class: 'help', id: 'filters' },
    element('summary', { text: 'Filters' }),
    element('div', { class: 'filter-set' }, FIELDS.map(each => element('label', {}, each.label,
      each.options ? choice(each.name, each.options) : field(each.name, { placeholder: each.example })))));
  const libraryChanged = later(1500, () => rows.reload().catch(() => {}));
  await load();
  return {
    nodes: [element('div', { class: 'tools' }, element('div', { class: 'field' }, search), sort,
      button('Play all', { id: 'play-all' }, () => playFrom(0))),
    filters, problem, chips, rows.node],
    shown: () => { rows.start(); rows.paint(); server.addEventListener('library', libraryChanged); },
    leave: () => { rows.stop(); server.removeEventListener('library', libraryChanged); }
  };
}

/* Albums, artists, genres, playlists */

/** Items of a long list, a hundred at a time, with a button for more. */
async function paged(path, make, host) {
  let offset = 0;
  const node = element('div');
  const more = button('Show more', { class: 'btn more-rows' }, () => load());
  const load = async () => {
    const found = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${offset}`);
    host.append(...found.items.map(make));
    offset += found.items.length;
    more.hidden = offset >= found.count || !found.items.length;
    return found;
  };
  const first = await load();
  node.append(host, more);
  return { node, count: first.count };
}

async function showAlbums(parameters) {
  const sort = parameters.get('sort') || 'name';
  const choice = element('select', { 'aria-label': 'Sort albums by' }, [['name', 'Name'], ['artist', 'Artist'], ['year', 'Year'],
    ['newest', 'Added last']].map(([value, text]) => element('option', { value, text, selected: value === sort })));
  choice.addEventListener('change', () => { location.hash = `#/library/albums?sort=${choice.value}`; });
  const { node, count } = await paged(`albums?sort=${encodeURIComponent(sort)}`, albumTile, element('ul', { class: 'grid' }));
  return { nodes: [element('div', { class: 'tools' }, choice, element('span', { class: 'dim', text: plural(count, 'album') })),
    count ? node : none('No albums: no track has one in its tags.')] };
}

async function showArtists() {
  const { node, count } = await paged('artists', artist => plainRow({ picture: round(artist.name), name: artist.name,
    below: [plural(artist.tracks, 'track'), artist.albums && plural(artist.albums, 'album')].filter(Boolean).join(', '),
    href: address('artist', artist.id) }), element('ul', { class: 'list letters' }));
  return { nodes: [count ? node : none('No artists: no track has one in its tags.')] };
}

async function showGenres() {
  const { items } = await ask('genres');
  return { nodes: [items.length ? element('ul', { class: 'list letters' }, items.map(genre => plainRow({ picture: round(genre.name),
    name: genre.name, below: plural(genre.tracks, 'track'), href: address('genre', genre.name) })))
    : none('No genres: no track has one in its tags.')] };
}

async function showPlaylists(_, { reload }) {
  const { items } = await ask('playlists');
  const make = button('New playlist', { class: 'link', id: 'new-playlist' }, () => newPlaylist(reload));
  return { nodes: [heading(items.length ? `${grouped.format(items.length)} ${items.length === 1 ? 'playlist' : 'playlists'}` : 'Playlists', make),
    items.length ? element('ul', { class: 'list' }, items.map(playlist => plainRow({ picture: round(playlist.name), name: playlist.name,
      below: [plural(playlist.tracks, 'track'), playlist.duration_s && span(playlist.duration_s)].filter(Boolean).join(', '),
      href: address('playlist', playlist.id) })))
      : none('None yet. Make one here, or with “Add to a playlist” at any track.')] };
}
