// Search as you type, in sections.

import { element, grouped, plural, shape, span } from './shared.js';
import { address, counts, heading, isPlayable, later, none, plainRow, round, say, square, title, trackList } from './parts.js';
import { player } from './player.js';
import { setParameters } from './router.js';
import { ask, query } from './server.js';

const SHOWN = 8, BESIDE = 3;

export async function showSearch(_, parameters) {
  let aborter = new AbortController();
  const field = element('input', { id: 'q', type: 'search', 'aria-label': 'Search your library', autocomplete: 'off',
    spellcheck: 'false', enterkeyhint: 'search', placeholder: 'Track, artist, album or path' });
  field.value = parameters.get('q') || '';
  const results = element('div', { class: 'cols', id: 'results' });
  // ↓ right after typing goes to what was typed for, and not to rows that are about to go.
  let isStale = false, wantsRows = false;
  const goToRows = () => {
    if (isStale) wantsRows = true;
      else results.querySelector('.name')?.focus();
  };

  const search = async () => {
    aborter.abort();
    aborter = new AbortController();
    const text = field.value.trim();
    setParameters({ q: text });
    try {
      const found = await ask(`search${query({ q: text, limit: SHOWN })}`, { signal: aborter.signal });
      const hadFocus = results.contains(document.activeElement);
      results.replaceChildren(...sections(found, text));
      isStale = false;
      if (wantsRows || hadFocus) goToRows();
      wantsRows = false;
      if (hadFocus && !results.contains(document.activeElement)) field.focus();
      if (text) say(summary(found));
    } catch (error) {
      if (error.name !== 'AbortError') results.replaceChildren(none(error.message));
    }
  };
  const soon = later(60, search);
  field.addEventListener('input', () => { isStale = true; wantsRows = false; soon(); });
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      if (field.value) { field.value = ''; isStale = true; soon(); } else field.blur();
      event.preventDefault();
    }
    if (event.key === 'ArrowDown' || event.key === 'Enter') { event.preventDefault(); goToRows(); }
  });
  await search();
  return {
    name: 'Search',
    nodes: [
      title('Search', { class: 'sr' }),
      element('form', { class: 'big', role: 'search' },
        shape('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, shape('circle', { cx: 7, cy: 7, r: 4.5 }),
          shape('path', { d: 'M10.5 10.5L14 14' })), field),
      element('p', { class: 'hint' }, 'Finds words by their beginnings, with or without accents. ',
        element('span', { class: 'keys' }, 'Press ', element('kbd', { text: '/' }), ' from anywhere.')),
      results
    ],
    shown: () => {
      document.querySelector('.big').addEventListener('submit', event => event.preventDefault());
      field.focus({ preventScroll: true });
    },
    leave: () => aborter.abort()
  };
}

const counted = ({ count, count_is_exact: isExact }) => `${grouped.format(count)}${isExact === false ? '+' : ''}`;
const summary = found => [['tracks', 'track'], ['albums', 'album'], ['artists', 'artist']]
  .filter(([name]) => found[name]?.count).map(([name, word]) => plural(found[name].count, word)).join(', ') || 'Nothing found';

function sections(found, text) {
  const { tracks, albums, artists, genres, playlists } = found;
  const more = tracks.count > tracks.items.length;
  const aside = !text ? 'newest first' : more
    ? element('a', { class: 'link', href: `#/library${query({ q: text })}`, text: `${tracks.items.length} of ${counted(tracks)}` })
    : counts({ ...tracks, failed: tracks.items.filter(track => !isPlayable(track)).length });
  const main = element('section', {}, heading('Tracks', aside),
    tracks.items.length ? trackList(tracks.items, { player })
      : none(text ? 'No tracks match. Try fewer letters, or part of the file name.'
        : 'No tracks yet. Analyze a folder: analyze run /path/to/music'));
  const list = (name, section, row) => section && section.items.length > 0 && element('section', {},
    heading(name, section.count > BESIDE ? `${BESIDE} of ${counted(section)}` : undefined),
    element('ul', { class: 'list' }, section.items.slice(0, BESIDE).map(row)));
  const side = [
    list('Albums', albums, album => plainRow({ picture: square(album.cover || album.id), name: album.name,
      nameMarks: album.marks?.name, below: [album.artist || 'Various artists', album.year].filter(Boolean).join(' · '),
      belowMarks: album.artist ? album.marks?.artist : [], aside: plural(album.tracks, 'track'),
      href: address('album', album.id) })),
    list('Artists', artists, artist => plainRow({ picture: round(artist.name), name: artist.name,
      nameMarks: artist.marks?.name, below: plural(artist.tracks, 'track'), href: address('artist', artist.id) })),
    list('Genres', genres, genre => plainRow({ picture: round(genre.name), name: genre.name, nameMarks: genre.marks?.name,
      below: plural(genre.tracks, 'track'), href: address('genre', genre.name) })),
    list('Playlists', playlists, playlist => plainRow({ picture: round(playlist.name), name: playlist.name,
      nameMarks: playlist.marks?.name, href: address('playlist', playlist.id),
      below: [plural(playlist.tracks, 'track'), playlist.duration_s && span(playlist.duration_s)].filter(Boolean).join(', ') }))
  ].filter(Boolean);
  if (!side.length) return [element('div', { class: 'wide' }, main)];
  return [main, element('div', { class: 'side' }, side)];
}
