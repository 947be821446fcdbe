// A list of any length, of which only the rows in the window exist. They are asked for a hundred at a time.

import { element } from './shared.js';

const PAGE = 100, SPARE = 10;

export class VirtualRows {
  #pages = new Map();
  #nodes = new Map();
  #current = 0;
  #count = 0;

  /** `fetch(offset, limit)` gives `{count, items}`; `make(item, index)` a row. */
  constructor({ fetch, make, counted }) {
    Object.assign(this, { fetch, make, counted });
    this.node = element('ol', { class: 'rows', 'aria-label': 'Tracks' });
    this.node.addEventListener('keydown', event => this.#key(event));
    this.node.addEventListener('focusin', event => {
      const row = event.target.closest('.row');
      if (row) this.#current = +row.dataset.index;
    });
    this.onScroll = () => this.paint();
  }
  get count() { return this.#count; }
  start() {
    addEventListener('scroll', this.onScroll, { passive: true });
    addEventListener('resize', this.onScroll);
  }
  stop() {
    removeEventListener('scroll', this.onScroll);
    removeEventListener('resize', this.onScroll);
  }

  /** Asks for everything again; the old rows stay until then. */
  async reload() {
    const first = await this.fetch(0, PAGE);
    this.#pages = new Map([[0, first.items]]);
    this.#count = first.count;
    const hadFocus = this.node.contains(document.activeElement);
    for (const node of this.#nodes.values()) node.remove();
    this.#nodes.clear();
    this.#current = Math.min(this.#current, Math.max(0, this.#count - 1));
    this.counted(first);
    this.paint();
    if (hadFocus) this.goTo(this.#current);
  }
  /** From the first row on. */
  toTop() {
    this.#current = 0;
    const top = this.node.getBoundingClientRect().top - 120;
    if (top < 0) scrollBy(0, top);
  }

  get #height() { return innerWidth <= 640 ? 60 : 56; }

  paint() {
    const height = this.#height, top = -this.node.getBoundingClientRect().top;
    this.node.style.height = `${this.#count * height}px`;
    const from = Math.max(0, Math.floor(top / height) - SPARE);
    const to = Math.min(this.#count, Math.ceil((top + innerHeight) / height) + SPARE);
    for (const [index, node] of this.#nodes) {
      if ((index < from || index >= to) && !node.contains(document.activeElement)) {
        node.remove();
        this.#nodes.delete(index);
      }
    }
    for (let index = from; index < to; index++) {
      const item = this.#item(index), old = this.#nodes.get(index);
      if (!old || (item && old.classList.contains('waiting'))) {
        const hadFocus = old && old.contains(document.activeElement);
        const row = item ? this.make(item, index) : element('li', { class: 'row waiting' },
          element('span'), element('a', { class: 'name', tabindex: -1, text: '…' }));
        row.dataset.index = index;
        row.setAttribute('aria-posinset', index + 1);
        row.setAttribute('aria-setsize', this.#count);
        if (old) old.remove();
        this.#insert(row, index);
        this.#nodes.set(index, row);
        if (hadFocus) row.querySelector('.name').focus({ preventScroll: true });
      }
      this.#nodes.get(index).style.top = `${index * height}px`;
    }
  }
  /** Rows stand in their order, which Tab follows. */
  #insert(row, index) {
    for (const other of this.node.children) {
      if (+other.dataset.index > index) return other.before(row);
    }
    this.node.append(row);
  }

  #item(index) {
    const page = Math.floor(index / PAGE), items = this.#pages.get(page);
    if (items === undefined) {
      this.#pages.set(page, null);
      const pages = this.#pages;
      this.fetch(page * PAGE, PAGE).then(found => { pages.set(page, found.items); if (pages === this.#pages) this.paint(); },
        () => pages.delete(page));
    }
    return items ? items[index % PAGE] : null;
  }

  /** Moves the focus to a row and the row into sight. */
  goTo(index) {
    if (!this.#count) return;
    this.#current = Math.max(0, Math.min(this.#count - 1, index));
    const height = this.#height, y = this.node.getBoundingClientRect().top + this.#current * height;
    if (y < 70) scrollBy(0, y - 70);
      else if (y + height > innerHeight - 150) scrollBy(0, y + height - innerHeight + 150);
    this.paint();
    this.#nodes.get(this.#current)?.querySelector('.name').focus({ preventScroll: true });
  }
  #key(event) {
    const page = Math.max(1, Math.floor(innerHeight / this.#height) - 4);
    const to = { ArrowDown: this.#current + 1, ArrowUp: this.#current - 1, PageDown: this.#current + page,
      PageUp: this.#current - page, Home: 0, End: this.#count - 1 }[event.key];
    if (event.key === ' ' && event.target.matches('.name')) {
      event.preventDefault();
      event.stopPropagation();
      event.target.closest('.row').querySelector('.start')?.click();
    }
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.goTo(to);
  }
}
