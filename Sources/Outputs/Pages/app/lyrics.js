// The words of a song, as its tags have them; those with times follow the player, and a click on one plays from there.

import { element } from './shared.js';
import { heading } from './parts.js';

/** `{ node, follow }`; `seek(seconds)` moves the player, `follow(seconds)` marks the line that is sung then. */
export function lyricsSection({ lyrics = [], has_lyrics: has }, seek) {
  if (!lyrics.length) {
    return { node: has ? element('section', { class: 'lyrics' }, heading('Lyrics'),
      element('p', { class: 'none', text: 'The tags have lyrics that are too long to be kept here.' })) : null, follow() {} };
  }
  const timed = [];
  const parts = lyrics.map(({ description, language, text, lines }) => {
    const about = [description, language && language !== 'und' && language !== 'XXX' ? language : null].filter(Boolean).join(', ');
    if (!lines.length) return [heading('Lyrics', about || undefined), element('p', { class: 'words tag', dir: 'auto', text })];
    const list = element('ol', { class: 'words', tabindex: 0, 'aria-label': 'Lyrics with times' }, lines.map(({ start_s: start, text }) => {
      const line = element('button', { type: 'button', class: 'tag', dir: 'auto', text: text || '…' });
      line.addEventListener('click', () => seek(start));
      timed.push({ start, line, list: () => list });
      return element('li', {}, line);
    }));
    return [heading('Lyrics', about || undefined), list];
  });
  let current = null;
  return {
    node: element('section', { class: 'lyrics' }, parts.flat()),
    follow(seconds) {
      const sung = timed.findLast(({ start }) => start <= seconds + .05);
      if (sung === current) return;
      current?.line.removeAttribute('aria-current');
      current = sung;
      if (!sung) return;
      sung.line.setAttribute('aria-current', 'true');
      // Only the list scrolls: the page stays where it is.
      const list = sung.list();
      list.scrollTop = sung.line.parentNode.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  };
}
