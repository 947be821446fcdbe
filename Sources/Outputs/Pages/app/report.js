// The morning report: what the last run found, and how far a run is that goes on.

import { element, plural, shortened } from './shared.js';
import { art } from './art.js';
import { address, heading, later, link, none, title } from './parts.js';
import { ask, query, server } from './server.js';

const SHAPES = { failed: '▲', damaged: '◐', unsure: '◌' };
const library = where => `#/library${query({ where })}`;

export async function showReport(_, __, { signal, reload }) {
  const report = await ask('report', { signal });
  const box = element('section', { class: 'run-box', id: 'run', 'aria-label': 'Run', hidden: true }),
    words = element('p'), bar = element('progress', { max: 1, 'aria-label': 'Progress of the run' });
  box.append(words, bar);
  const paint = run => {
    box.hidden = !run;
    if (!run) return;
    const minutes = run.eta_s && Math.max(1, Math.round(run.eta_s / 60));
    words.textContent = [run.text, minutes && `about ${plural(minutes, 'minute')} left`, run.current && shortened(run.current, 200)]
      .filter(Boolean).join(' · ');
    if (run.total) bar.value = run.done / run.total;
      else bar.removeAttribute('value');
  };
  paint(report.run);
  const going = event => paint(event.detail), ended = () => { paint(null); reload(); };
  const changed = later(2500, () => { if (box.hidden) reload(); });
  const isQuiet = !report.causes.length;
  return {
    name: report.title,
    nodes: [
      element('h1', { class: 'sentence', tabindex: -1 }, report.sentence.map(part => part.link
        ? element('a', { class: part.is_bad && 'bad', text: part.text,
          ...part.link === 'tracks' ? { href: '#/library' } : { href: '#/report', 'data-to': part.link } })
        : part.is_bad ? element('span', { class: 'bad', text: part.text }) : part.text)),
      element('p', { class: 'report-sub', text: report.subtitle || '' }), element('p', { class: 'report-when', text: report.when || '' }),
      element('p', { class: 'report-page' }, element('a', {
        class: 'link', href: '/app/api/report.html', target: '_blank', rel: 'noopener', text: 'Charts and the table of all tracks' }),
        ' as one page, to look at and to keep'),
      element('p', { class: 'report-page' }, link('Duplicates', '#/duplicates'), ': the same recording in several files'),
      box,
      element('div', { class: report.can_have_new ? 'two' : '' },
        element('section', { id: 'attention' }, heading('Needs your attention'),
          isQuiet ? none('Nothing needs your attention.') : report.causes.map(cause)),
        report.can_have_new && element('section', { id: 'new' }, heading('New', report.new_count ? plural(report.new_count, 'track') : undefined),
          report.new?.length ? element('ul', {}, report.new.map(folder)) : none('Nothing new.')))
    ],
    shown: () => {
      for (const part of document.querySelectorAll('[data-to]')) {
        part.addEventListener('click', event => {
          event.preventDefault();
          document.getElementById(part.dataset.to)?.scrollIntoView();
        });
      }
      server.addEventListener('run', going);
      server.addEventListener('run-ended', ended);
      server.addEventListener('library', changed);
    },
    leave: () => {
      server.removeEventListener('run', going);
      server.removeEventListener('run-ended', ended);
      server.removeEventListener('library', changed);
    }
  };
}

/** The report advises a command for doubtful tempos; here the page of a track corrects them. */
const advice = ({ shape, do: remedy, count }) => shape !== 'unsure' ? remedy || ''
  : `Open ${count === 1 ? 'it, listen, and correct it if it is' : 'them, listen, and correct what is'} wrong. Corrections survive every later run.`;

function cause(cause) {
  const { shape, what, count, files, where } = cause;
  return element('details', { class: `cause ${shape}` },
    element('summary', {}, element('span', { class: 'shape', 'aria-hidden': 'true', text: SHAPES[shape] || '▲' }),
      element('span', {}, element('b', { text: what }), element('span', { class: 'say', text: advice(cause) }))),
    element('ul', {}, files.map(file => element('li', {},
      file.id ? link(shortened(file.path, 300), address('track', file.id), { class: 'quiet tag' }) : element('span', { class: 'tag', text: shortened(file.path, 300) }),
      file.text && element('span', { class: 'dim', text: ` ${file.text}` })))),
    where && count > files.length && element('p', { class: 'none' }, link(shape === 'failed' ? 'Show all failed files in the library' : 'Show all in the library', library(where))));
}

function folder({ folder: name, text, tracks, where }) {
  return element('li', { class: 'folder' },
    element('div', {}, where ? link(`${name}/`, library(where), { class: 'quiet tag' }) : element('span', { class: 'tag', text: `${name}/` }),
      element('p', { class: 'dim', text })),
    element('div', { class: 'prints' }, (tracks || []).slice(0, 6).map(id =>
      element('a', { href: address('track', id), 'aria-label': 'Open a new track' }, art(id, 30)))));
}
