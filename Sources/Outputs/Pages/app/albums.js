// Pages of one album, artist and genre.

import { element, plural, span } from './shared.js';
import { art } from './art.js';
import { address, addToPlaylist, button, counts, heading, link, round, title, trackList } from './parts.js';
import { player } from './player.js';
import { ask, query } from './server.js';

export const names = album => (album.artists || []).map(artist => artist.name).join(', ') || 'Various artists';

export function albumTile(album) {
  return element('li', { class: 'tile' }, element('div', { class: 'frame' }, art(album.cover || album.id, 240)),
    element('a', { href: address('album', album.id) }, element('span', { class: 'nm tag', text: album.name })),
    element('span', { class: 'sub tag', text: [names(album), album.year].filter(Boolean).join(' · ') }));
}

function head(picture, name, by, tracks, source) {
  return element('header', { class: 'page-head' }, picture, element('div', {}, title(name, { class: 'tag' }),
    element('p', { class: 'by' }, by),
    element('div', { class: 'btns' },
      button('Play', { class: 'btn primary', id: 'play-all', disabled: !tracks.length }, () => player.play(tracks, 0, 0, source)),
      button('Add to the queue', { disabled: !tracks.length }, () => player.add(tracks)),
      button('Add to a playlist', { disabled: !tracks.length }, () => addToPlaylist(tracks)))));
}

export async function showAlbum([id], _, { signal }) {
  const { album, tracks } = await ask(`albums/${encodeURIComponent(id)}`, { signal });
  const by = [album.artists?.length ? album.artists.flatMap((artist, index) =>
    [index ? ', ' : '', link(artist.name, address('artist', artist.id), { class: 'quiet tag' })]) : 'Various artists',
  [album.year && ` · ${album.year}`, ` · ${plural(album.tracks, 'track')}, ${span(album.duration_s)}`].filter(Boolean)].flat();
  // Without a tag, a track stands on the first disc, as the catalog sorts and counts it.
  const discs = Map.groupBy(tracks, track => track.disc ?? 1);
  // Playing a track of one disc plays on through the album.
  const numbered = some => trackList(some, { player, numbers: true, among: tracks });
  return { name: album.name, nodes: [head(art(album.cover || album.id, 112), album.name, by, tracks),
    ...discs.size > 1 ? [...discs].map(([disc, some]) =>
      element('section', { class: 'block' }, heading(`Disc ${disc}`), numbered(some))) : [numbered(tracks)]] };
}

export async function showArtist([id], _, { signal }) {
  const path = `artists/${encodeURIComponent(id)}`, { artist, albums, tracks } = await ask(path, { signal });
  const source = { path, values: {}, offset: tracks.items.length, count: tracks.count };
  return { name: artist.name, nodes: [
    head(round(artist.name), artist.name, [plural(artist.tracks, 'track'), artist.albums ? `, ${plural(artist.albums, 'album')}` : ''],
      tracks.items, source),
    albums.length > 0 && element('section', { class: 'block' }, heading('Albums'),
      element('ul', { class: 'grid' }, albums.map(albumTile))),
    element('section', { class: 'block' }, heading('Tracks', tracks.count > tracks.items.length
      ? `${tracks.items.length} of ${tracks.count}` : undefined), trackList(tracks.items, { player, source }))
  ].filter(Boolean) };
}

const LONG = 200;
export async function showGenre([name], _, { signal }) {
  // An address has limits, and tags have none: so many letters of a name are enough.
  const isLong = name.length > LONG, start = name.slice(0, LONG).replaceAll('"', ' '), where = `genre:"${start}"${isLong ? '*' : ''}`;
  const [tracks, albums] = await Promise.all([ask(`tracks${query({ where, limit: 200 })}`, { signal }),
    isLong ? { items: [] } : ask(`albums${query({ genre: name, limit: 12 })}`, { signal }).catch(() => ({ items: [] }))]);
  const source = { path: 'tracks', values: { where }, offset: tracks.items.length, count: tracks.count };
  return { name, nodes: [
    head(round(name), name, [counts(tracks)], tracks.items, source),
    albums.items.length > 0 && element('section', { class: 'block' }, heading('Albums'),
      element('ul', { class: 'grid' }, albums.items.map(albumTile))),
    element('section', { class: 'block' }, heading('Tracks', tracks.count > tracks.items.length
      ? link(`all ${tracks.count}`, `#/library${query({ genre: start })}`) : undefined), trackList(tracks.items, { player, source }))
  ].filter(Boolean) };
}
