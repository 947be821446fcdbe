// Rows that are dragged into another order, or moved with ↑ and ↓ on their handle.

import { element } from './shared.js';
import { say } from './parts.js';

/** A handle for a row. */
export const handle = name => element('button', { type: 'button', class: 'handle', 'aria-label': `Move ${name}`, text: '⠿',
  title: 'Drag, or press ↑ and ↓' });

/** `moved(from, to)`: the row that stood at `from` stands at `to` now. */
export function reorderable(list, moved) {
  const indexOf = row => [...list.children].indexOf(row);
  let row = null, from = 0;
  list.addEventListener('pointerdown', event => {
    if (event.button || !event.target.matches('.handle')) return;
    row = event.target.closest('.row');
    from = indexOf(row);
    event.target.setPointerCapture(event.pointerId);
    row.classList.add('lifted');
  });
  list.addEventListener('pointermove', event => {
    if (!row) return;
    for (const other of list.children) {
      if (other === row) continue;
      const box = other.getBoundingClientRect(), middle = box.top + box.height / 2;
      const isAbove = row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
      if (isAbove && event.clientY < middle) { other.before(row); return; }
      if (!isAbove && event.clientY > middle && event.clientY < box.bottom) { other.after(row); return; }
    }
    if (event.clientY < 70) scrollBy(0, -12);
      else if (event.clientY > innerHeight - 130) scrollBy(0, 12);
  });
  const drop = () => {
    if (!row) return;
    row.classList.remove('lifted');
    const to = indexOf(row);
    row = null;
    if (to !== from) moved(from, to);
  };
  list.addEventListener('pointerup', drop);
  list.addEventListener('pointercancel', drop);
  list.addEventListener('keydown', event => {
    if (!event.target.matches('.handle')) return;
    const up = event.key === 'ArrowUp', mine = event.target.closest('.row');
    const other = up ? mine.previousElementSibling : event.key === 'ArrowDown' ? mine.nextElementSibling : null;
    if (!other) return;
    event.preventDefault();
    event.stopPropagation();
    const start = indexOf(mine);
    if (up) other.before(mine);
      else other.after(mine);
    event.target.focus();
    say(`Place ${indexOf(mine) + 1} of ${list.children.length}`);
    moved(start, indexOf(mine));
  });
}
