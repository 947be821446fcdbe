// What plays next.

import { element, plural, shortened } from './shared.js';
import { addToPlaylist, button, none, title, trackRow } from './parts.js';
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
    hint.textContent = player.queue.length ? `${plural(player.queue.length, 'track')}. Drag to reorder.` : '';
    buttons.hidden = !player.queue.length;
    const list = element('ol', { class: 'list', id: 'queue' }, player.queue.map((track, index) => {
      const row = trackRow(track, { handle: handle(shortened(track.title || track.file, 100)), play: () => player.jump(index),
        menu: [['Remove from the queue', () => player.remove(index)]] });
      row.classList.toggle('playing', index === player.at);
      if (index === player.at) row.setAttribute('aria-current', 'true');
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
