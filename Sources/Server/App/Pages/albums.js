// Pages of one album, artist and genre.

import { element, plural, span } from './shared.js';
import { art } from './art.js';
import { address, addToPlaylist, button, heading, link, round, title, trackList } from './parts.js';
import { player } from './player.js';
import { ask, query } from './server.js';

export const names = album => (album.artists || []).map(artist => artist.name).join(', ') || 'Various artists';

export function albumTile(album) {
  return element('li', { class: 'tile' }, element('div', { class: 'frame' }, art(album.cover || album.id, 240)),
    element('a', { href: address('album', album.id) }, element('span', { class: 'nm tag', text: album.name })),
    element('span', { class: 'sub tag', text: [names(album), album.year].filter(Boolean).join(' · ') }));
}

function head(picture, name, by, tracks) {
  return element('header', { class: 'page-head' }, picture, element('div', {}, title(name, { class: 'tag' }),
    element('p', { class: 'by' }, by),
    element('div', { class: 'btns' },
      button('Play', { class: 'btn primary', id: 'play-all', disabled: !tracks.length }, () => player.play(tracks)),
      button('Add to the queue', { disabled: !tracks.length }, () => player.add(tracks)),
      button('Add to a playlist', { disabled: !tracks.length }, () => addToPlaylist(tracks)))));
}

export async function showAlbum([id], _, { signal }) {
  const { album, tracks } = await ask(`albums/${encodeURIComponent(id)}`, { signal });
  const by = [album.artists?.length ? album.artists.flatMap((artist, index) =>
    [index ? ', ' : '', link(artist.name, address('artist', artist.id), { class: 'quiet tag' })]) : 'Various artists',
  [album.year && ` · ${album.year}`, ` · ${plural(album.tracks, 'track')}, ${span(album.duration_s)}`].filter(Boolean)].flat();
  const discs = [...new Set(tracks.map(track => track.disc))];
  return { name: album.name, nodes: [head(art(album.cover || album.id, 112), album.name, by, tracks),
    ...discs.length > 1 ? discs.map(disc => element('section', { class: 'block' }, heading(disc ? `Disc ${disc}` : 'No disc'),
      numbered(tracks, track => track.disc === disc))) : [numbered(tracks, () => true)]] };
}
/** The tracks of one disc; playing one plays on through the album. */
function numbered(tracks, isHere) {
  const list = trackList(tracks, { player, numbers: true });
  [...list.children].forEach((row, index) => {
    row.querySelector('.number').textContent = tracks[index].track ?? '–';
    if (!isHere(tracks[index])) row.remove();
  });
  return list;
}

export async function showArtist([id], _, { signal }) {
  const { artist, albums, tracks } = await ask(`artists/${encodeURIComponent(id)}`, { signal });
  return { name: artist.name, nodes: [
    head(round(artist.name), artist.name, [plural(artist.tracks, 'track'), artist.albums ? `, ${plural(artist.albums, 'album')}` : ''],
      tracks.items),
    albums.length > 0 && element('section', { class: 'block' }, heading('Albums'),
      element('ul', { class: 'grid' }, albums.map(albumTile))),
    element('section', { class: 'block' }, heading('Tracks', tracks.count > tracks.items.length
      ? `${tracks.items.length} of ${tracks.count}` : undefined), trackList(tracks.items, { player }))
  ].filter(Boolean) };
}

export async function showGenre([name], _, { signal }) {
  const where = `genre:"${name.replaceAll('"', ' ')}"`;
  const [tracks, albums] = await Promise.all([ask(`tracks${query({ where, limit: 200 })}`, { signal }),
    ask(`albums${query({ genre: name, limit: 12 })}`, { signal }).catch(() => ({ items: [] }))]);
  return { name, nodes: [
    head(round(name), name, [plural(tracks.count, 'track')], tracks.items),
    albums.items.length > 0 && element('section', { class: 'block' }, heading('Albums'),
      element('ul', { class: 'grid' }, albums.items.map(albumTile))),
    element('section', { class: 'block' }, heading('Tracks', tracks.count > tracks.items.length
      ? link(`all ${tracks.count}`, `#/library${query({ genre: name })}`) : undefined), trackList(tracks.items, { player }))
  ].filter(Boolean) };
}
