// Covers, and prints where there are none.

import { element, print } from './shared.js';
import { ask } from './server.js';

const prints = new Map(), coverless = new Set();
let waiting = [];

/** The onset strength of tracks; those asked for in one frame are asked for together. */
function envelope(id, points) {
  const name = `${id} ${points}`;
  if (!prints.has(name)) {
    prints.set(name, new Promise(done => {
      if (!waiting.length) requestAnimationFrame(fetchPrints);
      waiting.push({ id, points, done });
    }));
  }
  return prints.get(name);
}

async function fetchPrints() {
  const wanted = waiting;
  waiting = [];
  for (const points of new Set(wanted.map(item => item.points))) {
    const items = wanted.filter(item => item.points === points);
    for (let from = 0; from < items.length; from += 100) {
      const part = items.slice(from, from + 100);
      let found = {};
      try {
        found = (await ask(`prints?ids=${part.map(item => item.id).join()}&points=${points}`)).prints;
      } catch { /* a list without prints is still a list */ }
      for (const item of part) item.done(found[item.id] || null);
    }
  }
}

/** The cover of a track or album, or the print of the track. `cover` is the id to ask for covers with. */
export function art(id, pixels, cover = id) {
  const host = element('span', { class: 'cover' });
  host.style.width = host.style.height = `${pixels}px`;
  const drawPrint = async () => {
    const found = await envelope(id, pixels > 60 ? 120 : 36);
    if (found) host.replaceChildren(print(found, pixels));
      else host.classList.add('blank');
  };
  if (coverless.has(cover)) {
    drawPrint();
  } else {
    const wanted = pixels * (devicePixelRatio || 1), size = [64, 160, 300, 640].find(each => each >= wanted) || 640;
    const image = element('img', { alt: '', width: pixels, height: pixels, src: `/media/covers/${cover}?size=${size}&missing=empty` });
    image.addEventListener('error', () => { coverless.add(cover); image.remove(); drawPrint(); }, { once: true });
    host.append(image);
  }
  return host;
}
