// What plays next.

import { element, grouped, plural, shortened } from './shared.js';
import { addToPlaylist, button, none, showPlaying, title, trackRow } from './parts.js';
import { player } from './player.js';
import { handle, reorderable } from './reorder.js';

export async function showQueue() {
  const host = element('div');
  let isMoving = false;
  const hint = element('p', { class: 'hint' });
  const buttons = element('div', { class: 'btns' }, button('Clear what follows', {}, () => player.clearAfter()),
    button('Keep as a playlist', {}, () => addToPlaylist(player.queue)));
  const paint = () => {
    if (isMoving) return;
    const { length } = player.queue, rest = player.total - length;
    hint.textContent = length ? [`${plural(player.total, 'track')}.`, 'Drag to reorder.', rest > 0
      && `The first ${grouped.format(length)} are listed; the others follow as these play.`].filter(Boolean).join(' ') : '';
    buttons.hidden = !player.queue.length;
    const list = element('ol', { class: 'list', id: 'queue' });
    list.append(...player.queue.map((track, index) => {
      // Rows that are moved are not made again, so each asks where it stands.
      const place = () => [...list.children].indexOf(row);
      const row = trackRow(track, { handle: handle(shortened(track.title || track.file, 100)), play: () => player.jump(place()),
        menu: [['Remove from the queue', () => player.remove(place())]] });
      // A track may stand in it twice.
      showPlaying(row, index === player.at);
      return row;
    }));
    reorderable(list, (from, to) => {
      isMoving = true;
      player.move(from, to);
      isMoving = false;
    });
    host.replaceChildren(player.queue.length ? list : none('Nothing yet. Play a track, an album or a playlist.'));
  };
  paint();
  return {
    name: 'Queue',
    nodes: [title('Queue'), hint, buttons, host],
    shown: () => { for (const event of ['track', 'queue']) player.addEventListener(event, paint); },
    leave: () => { for (const event of ['track', 'queue']) player.removeEventListener(event, paint); }
  };
}
