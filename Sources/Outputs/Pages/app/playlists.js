// One playlist: play, rename, reorder, remove, export.

import { element, find, plural, shortened, span } from './shared.js';
import { address, askFor, button, none, round, title, toast, trackRow } from './parts.js';
import { player } from './player.js';
import { handle, reorderable } from './reorder.js';
import { ask } from './server.js';

export async function newPlaylist(done) {
  const answer = await askFor({ heading: 'New playlist', label: 'Name', confirm: 'Make playlist' });
  if (!answer) return;
  try {
    const made = await ask('playlists', { method: 'POST', body: { name: answer.text, tracks: [] } });
    location.hash = address('playlist', (made.playlist || made).id);
  } catch (error) {
    toast(error.message);
    done();
  }
}

export async function showPlaylist([id], _, { signal, reload }) {
  const path = `playlists/${encodeURIComponent(id)}`, found = await ask(path, { signal });
  let { playlist } = found;
  const tracks = found.entries.map(entry => entry.track).filter(Boolean);
  const change = async (address, options) => {
    try {
      const answer = await ask(address, options);
      if (answer?.playlist) playlist = answer.playlist;
      return true;
    } catch (error) {
      toast(error.status === 409 ? 'This list has changed elsewhere; here it is again.' : error.message);
      reload();
      return false;
    }
  };
  // Changes follow one another: each needs the snapshot of the one before.
  let last = Promise.resolve();
  const inTurn = act => { last = last.then(act); };
  const list = element('ol', { class: 'list', id: 'entries' }, found.entries.map((entry, index) => {
    const name = entry.track ? entry.track.title || entry.track.file : entry.text || 'A file that is gone';
    const remove = () => inTurn(async () => {
      if (await change(`${path}/entries`, { method: 'DELETE',
        body: { positions: [[...list.children].indexOf(row)], snapshot: playlist.snapshot } })) reload();
    });
    const row = entry.track ? trackRow(entry.track, { handle: handle(shortened(name, 100)), menu: [['Remove from this playlist', remove]],
      play: () => player.play(tracks, tracks.indexOf(entry.track)) })
      : element('li', { class: 'row gone' }, handle(shortened(name, 100)), element('span', { class: 'art' }, round('–')),
        element('span', { class: 'name' }, element('span', { class: 'nm tag', text: name }),
          element('span', { class: 'sub', text: 'The file is gone.' })),
        element('span'), element('span'), element('span'),
        button('×', { class: 'more', 'aria-label': `Remove ${shortened(name, 100)}` }, remove));
    row.dataset.place = index;
    return row;
  }));
  reorderable(list, (from, to) => inTurn(() => change(`${path}/order`, { method: 'PUT',
    body: { start: from, length: 1, before: to > from ? to + 1 : to, snapshot: playlist.snapshot } })));
  const rename = async () => {
    const answer = await askFor({ heading: 'Rename the playlist', label: 'Name', value: playlist.name, confirm: 'Rename' });
    if (answer && await change(path, { method: 'PUT', body: { name: answer.text } })) reload();
  };
  const remove = async () => {
    const answer = await askFor({ heading: `Delete ${shortened(playlist.name, 60)}?`, confirm: 'Delete' });
    if (answer && await change(path, { method: 'DELETE' })) location.hash = '#/library/playlists';
  };
  return {
    name: playlist.name,
    nodes: [
      element('header', { class: 'page-head' }, round(playlist.name), element('div', {}, title(playlist.name, { class: 'tag' }),
        element('p', { class: 'by', text: [plural(playlist.tracks, 'track'), playlist.duration_s && span(playlist.duration_s)].filter(Boolean).join(', ') }),
        element('div', { class: 'btns' },
          button('Play', { class: 'btn primary', id: 'play-all', disabled: !tracks.length }, () => player.play(tracks)),
          button('Rename', { id: 'rename' }, rename),
          element('a', { class: 'btn', id: 'export', href: `/app/api/${path}.m3u8`, download: '', text: 'Export M3U8' }),
          button('Delete', { id: 'delete' }, remove)))),
      found.entries.length ? list : none('Empty. “Add to a playlist” at any track fills it.')
    ],
    shown: () => { if (find('#dialog').open) find('#dialog').close(); }
  };
}
