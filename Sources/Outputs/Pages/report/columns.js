/* Columns of the table */

/** A column of numbers, one of texts from a dictionary, and one of shares. */
const number = (name, show, extra) => ({
  id: name, values: () => column(name), has: () => hasColumn(name), class: 'num',
    text: track => measured(name, track, show), ...extra
});
const named = (name, extra) => ({
  id: name, values: () => column(name), has: () => hasColumn(name), class: 'quiet tag',
    text: track => entry(name, track), ...extra
});
const share = (name, title) => number(name, percent, { label: title, width: 64 });

/**
 * All columns. `width` in pixels; with `share`, the least width, and the part of what is left. `rank`: where there is no room,
 * the highest goes first. `chosen`: shown unless somebody chooses otherwise. `values`: numbers to sort by.
 */
const tableColumns = [
  { id: 'title', label: 'Title', share: 2.5, width: 170, rank: 0, has: () => true, values: () => column('title_rank'),
    cell: titleCell },
  named('artist', { label: 'Artist', share: 1.3, width: 110, rank: 2, chosen: true, cell: artistCell }),
  named('album', { label: 'Album', share: 1.2, width: 110, rank: 8, chosen: true }),
  { id: 'bpm', label: 'BPM', width: 132, rank: 1, chosen: true, class: 'num', has: () => hasColumn('bpm'),
    values: () => column('bpm'), cell: tempoCell },
  number('key', camelot, { label: 'Key', width: 48, rank: 4, chosen: true }),
  number('loudness', value => signed(oneDecimal(value)), { label: 'LUFS', width: 56, rank: 6, chosen: true }),
  number('duration', clock, { id: 'length', label: 'Length', width: 64, rank: 3, chosen: true, class: 'num length' }),
  { id: 'format', label: 'Format', width: 92, rank: 5, chosen: true, has: () => hasColumn('codec'),
    values: () => column('codec'), text: formatText },
  number('year', String, { label: 'Year', width: 44, rank: 7, chosen: true }),
  named('genre', { label: 'Genre', share: .8, width: 90 }),
  named('folder', { label: 'Folder', share: 1, width: 110 }),
  number('bit_rate', value => grouped.format(value), { label: 'kb/s', name: 'Bit rate', width: 56 }),
  number('sample_rate', value => String(value / 1000), { label: 'kHz', name: 'Sample rate', width: 52 }),
  number('size', size, { label: 'Size', width: 76 }),
  number('true_peak', value => signed(oneDecimal(value)), { label: 'dBTP', name: 'True peak', width: 52 }),
  number('range', oneDecimal, { label: 'LU', name: 'Loudness range', width: 48 }),
  share('energy', 'Energy'),
  share('danceability', 'Dance'),
  share('speechiness', 'Speech'),
  number('confidence', percent, { label: 'Sure', name: 'Tempo confidence', width: 52 }),
  number('key_confidence', percent, { label: 'Key sure', name: 'Key confidence', width: 68 }),
  number('added', date, { label: 'Added', width: 96 }),
  number('modified', date, { label: 'Modified', width: 96 })
];
const tableColumn = id => tableColumns.find(item => item.id === id);
const isTableColumn = id => tableColumn(id) !== undefined;

function titleCell(track, cell) {
  const title = tagTitle(track);
  cell.className = title ? 'title tag' : 'title tag untitled';
  cell.textContent = shortened(title || fileName(track), 300);
}
function artistCell(track, cell) {
  const artist = entry('artist', track);
  if (artist) cell.textContent = shortened(artist, 200);
  else cell.append(element('span', { class: 'dim', text: lastFolder(track) }));
}
function formatText(track) {
  const codec = entry('codec', track), rate = column('bit_rate')[track];
  return codec && known(rate) && hasFlag(track, FLAGS.lossy) ? `${codec} ${grouped.format(rate)}` : codec;
}
function tempoCell(track, cell) {
  const bpm = column('bpm')[track], confidence = column('confidence')[track];
  if (!known(bpm)) {
    const words = column('status')[track] < FAILED && noTempoWords(track);
    cell.append(element('div', { class: 'tempo none' }, element('b', { text: words || '–' })));
    return;
  }
  const filled = element('i'), corrected = hasFlag(track, FLAGS.corrected);
  filled.style.width = percent(corrected ? 1 : confidence);
  const words = corrected ? 'Set by you' : `${percent(confidence)} confidence: ${certainty(confidence).toLowerCase()}`;
  cell.append(element('div', { class: !corrected && confidence < .5 ? 'tempo low' : 'tempo' },
    element('span', { class: 'meter', title: words }, filled),
      element('b', {}, oneDecimal(bpm), element('span', { class: 'sr', text: `, ${words}` }))));
}

const noTempoWords = track =>
  ({ no_pulse: 'no beat', silence: 'silent', too_short: 'short' })[entry('tempo_reason', track)];

function statusShape(track) {
  const status = column('status')[track];
  const drawn = (title, attributes, ...parts) =>
    shape('svg', { class: 'dot', viewBox: '0 0 8 8', role: 'img', 'aria-label': title, ...attributes }, ...parts);
  if (status === FAILED) return drawn('Failed', {}, shape('path', { d: 'M4 0l4 7.5H0z' }));
  if (status === DAMAGED || status === 3) {
    return drawn(status === DAMAGED ? 'Damaged' : 'Not analyzed', {},
      status === DAMAGED && shape('path', { d: 'M4 .5a3.5 3.5 0 0 0 0 7z' }),
      shape('circle', { class: 'ring', cx: 4, cy: 4, r: 3.4 }));
  }
  return hasFlag(track, FLAGS.isNew) ? drawn('New', { class: 'dot is-new' }, shape('circle', { cx: 4, cy: 4, r: 2.6 }))
    : null;
}

/** The chosen columns that this report has and that fit into the width. */
let shownColumns = [], hiddenForWidth = 0;
function chooseColumns() {
  const chosen = tableColumns.filter(
    ({ id, has, chosen }) => has() && (id === 'title' || (state.columns ? state.columns.includes(id) : chosen)));
  const room = (isPrinting ? 700 : find('#grid').parentNode.clientWidth) - 16, gap = 16;
  const needed = () => chosen.reduce((sum, { width }) => sum + width + gap, 16);
  hiddenForWidth = 0;
  while (chosen.length > 1 && needed() > room && !isPhone.matches) {
    const rank = item => item.rank ?? 9;
    chosen.splice(chosen.lastIndexOf(chosen.reduce((last, next) => rank(next) >= rank(last) ? next : last)), 1);
    hiddenForWidth++;
  }
  shownColumns = chosen;
  const widths = chosen.map(({ share, width }) => share ? `minmax(0,${share}fr)` : `${width}px`);
  find('#grid').style.setProperty('--columns', ['16px', ...widths].join(' '));
  paintHead();
}

function paintHead() {
  const headings = shownColumns.map(item => {
    const sorted = state.sort !== item.id ? 'none' : state.descending ? 'descending' : 'ascending';
    const button = element('button', { type: 'button', text: item.label, title: item.name });
    button.onclick = () => sortBy(item.id);
    const isNumber = (item.class || '').startsWith('num');
    return element('th',
      { role: 'columnheader', 'aria-sort': sorted, class: isNumber && 'num', 'data-column': item.id }, button);
  });
  const focused = document.activeElement.closest('#head th');
  find('#head').replaceChildren(
    element('th', { role: 'columnheader' }, element('span', { class: 'sr', text: 'Status' })), ...headings);
  find('#grid').setAttribute('aria-colcount', headings.length + 1);
  const again = focused && (find(`#head [data-column="${focused.dataset.column}"] button`) || find('#q'));
  if (again) again.focus({ preventScroll: true });
}

/** Ascending, descending, folder order. */
function sortBy(id) {
  if (state.sort !== id) { state.sort = id; state.descending = false; }
  else if (!state.descending) state.descending = true;
  else { state.sort = ''; state.descending = false; }
  paintHead();
  apply();
  syncControls();
}
