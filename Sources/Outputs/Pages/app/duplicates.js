// Files of the same recordings: which to keep and why. Nothing is deleted here.

import { clock, element, plural } from './shared.js';
import { address, button, heading, link, none, say, title } from './parts.js';
import { ask, query } from './server.js';

const WORDS = { keep: 'Keep', spare: 'Spare', review: 'Listen first' };
const PAGE = 20;

export async function showDuplicates(_, __, { signal, reload }) {
  const found = await ask('duplicates', { signal });
  const list = element('ol', { class: 'groups' }, found.items.map(group => groupItem(group, reload)));
  let shown = found.items.length;
  const more = button('Show more', { hidden: shown >= found.count }, async () => {
    const next = await ask(`duplicates${query({ offset: shown, limit: PAGE })}`);
    shown += next.items.length;
    list.append(...next.items.map(group => groupItem(group, reload)));
    more.hidden = !next.items.length || shown >= next.count;
  });
  return { name: 'Duplicates', nodes: [
    title('Duplicates'),
    element('p', { class: 'report-sub', text: found.count
      ? `${plural(found.count, 'group')}: ${spare(found)}. Found by sound; tags do not decide.`
      : 'No file of the same recording as another one is known.' }),
    found.waiting > 0 && element('p', { class: 'none' },
      `${plural(found.waiting, 'recording')} not compared yet: run `, element('code', { text: 'analyze duplicates' }), '.'),
    found.count > 0 && element('p', { class: 'none' }, 'Nocturne deletes nothing. For a list to edit: ',
      element('code', { text: 'analyze duplicates --plan FILE' })),
    list, more,
    found.longer_files.length > 0 && element('section', { class: 'block' },
      heading('Longer files', plural(found.longer_files.length, 'file')),
      none('They hold other tracks of the library, such as an album in one file.'),
      element('ul', { class: 'groups' }, found.longer_files.map(longerItem))),
    found.other_versions.length > 0 && element('section', { class: 'block' },
      heading('Other mixes', plural(found.other_versions.length, 'pair')),
      none('The same performance with another voice, instrument or effect. These are no duplicates.'),
      element('ul', { class: 'groups' }, found.other_versions.map(versionItem)))
  ].filter(Boolean) };
}

function spare(found) {
  return found.spare_files ? `${plural(found.spare_files, 'file')} to spare, ${found.spare_text}` : 'nothing to spare';
}

function groupItem(group, reload) {
  const decide = (decision, tracks, sentence) => async () => {
    await ask('duplicates/decisions', { method: 'POST', body: { decision, tracks } });
    say(sentence);
    reload();
  };
  const tracks = group.files.map(file => file.track);
  return element('li', { class: 'group' },
    element('div', { class: 'sec-head' }, element('h2', { class: 'tag', text: group.name }),
      group.spare_bytes > 0 && element('span', { text: `${group.spare_text} to spare` })),
    element('ul', {}, group.files.map(file => element('li', { class: `same-file ${file.advice}` },
      element('span', { class: 'advice', text: WORDS[file.advice] }),
      element('span', { class: 'what' }, link(file.path, address('track', file.track), { class: 'quiet tag' }),
        element('span', { class: 'dim', text: file.text })),
      file.advice !== 'keep' && button('Keep this', { class: 'btn', 'aria-label': `Keep ${file.path}` },
        decide('keep', [file.track], 'This file is kept from now on.'))))),
    !group.files.every(file => file.advice === 'keep' || file.relation === 'audio')
      && button('No duplicates', { class: 'btn' }, decide('distinct', tracks, 'These are no duplicates.')));
}

const longerItem = file => element('li', { class: 'group' },
  element('div', { class: 'sec-head' }, element('h2', {}, link(file.path, address('track', file.track), { class: 'quiet tag' }))),
  element('ul', {}, file.parts.map(part => element('li', { class: 'same-file' },
    element('span', { class: 'advice', text: clock(part.start_s) }),
    element('span', { class: 'what' }, link(part.path, address('track', part.track), { class: 'quiet tag' }))))));

const versionItem = version => element('li', { class: 'group' },
  element('ul', {}, version.files.map(file => element('li', { class: 'same-file' },
    element('span', { class: 'what' }, link(file.path, address('track', file.track), { class: 'quiet tag' }))))));
