'use strict';
// The report's script: charts, table and panel. The headline, causes and new folders are HTML and are painted before.
// Texts come from tags and file names, so they only ever go through textContent and setAttribute.

/* Markup */

const find = selector => document.querySelector(selector);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') node.textContent = value;
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter(child => child != null && child !== false));
  return node;
}
const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const shape = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const label = (x, y, text, attributes = {}) => shape('text', { x, y, text, ...attributes });

/* Words and numbers */

const grouped = new Intl.NumberFormat('en-US');
const plural = (count, word) => `${grouped.format(count)} ${word}${count === 1 ? '' : 's'}`;
const oneDecimal = number => number.toFixed(1);
/** A true minus sign, as in "−14.2". */
const signed = text => String(text).replace('-', '−');
const percent = share => `${Math.round(share * 100)}%`;
const known = number => number === number;
const shortened = (text, length) => text.length > length ? `${text.slice(0, length)}…` : text;
const firstUpper = text => text.charAt(0).toUpperCase() + text.slice(1);

/** "3:07" or "1:02:03". */
function clock(seconds) {
  if (!known(seconds)) return '–';
  const whole = Math.round(seconds), hours = Math.floor(whole / 3600), minutes = Math.floor(whole % 3600 / 60);
  const two = number => String(number).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "6 h 30 min"; long times have no seconds. */
function span(seconds) {
  const minutes = Math.round(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours >= 100) return `${grouped.format(Math.round(minutes / 60))} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min` : 'under 1 min';
}

function size(kilobytes) {
  if (kilobytes >= 1e6) return `${oneDecimal(kilobytes / 1e6)} GB`;
  return kilobytes >= 1000 ? `${oneDecimal(kilobytes / 1000)} MB` : `${kilobytes} kB`;
}

const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const date = days => day.format(days * 864e5);

/** A share in words: "one in three", or "41%". */
function fraction(share) {
  const words = [[.1, 'one in ten'], [.2, 'one in five'], [.25, 'one in four'], [1 / 3, 'one in three'], [.5, 'half'],
    [2 / 3, 'two in three'], [.75, 'three in four'], [.9, 'nine in ten']];
  const word = words.find(([value]) => Math.abs(share - value) < .015);
  return word ? word[1] : share < .005 ? 'fewer than 1%' : share > .995 ? 'more than 99%' : percent(share);
}
/** "one in three tracks is", "half of the tracks are". */
function fractionOf(share, noun) {
  const words = fraction(share);
  if (words.startsWith('one in')) return `${words} ${noun}s is`;
  return words.includes(' in ') ? `${words} ${noun}s are` : `${words} of the ${noun}s are`;
}

const MINOR = 'A♭ E♭ B♭ F C G D A E B F♯ D♭'.split(' '), MAJOR = 'B F♯ D♭ A♭ E♭ B♭ F C G D A E'.split(' ');
const camelot = key => `${(key >> 1) + 1}${key & 1 ? 'B' : 'A'}`;
const keyName = key => key & 1 ? `${MAJOR[key >> 1]} major` : `${MINOR[key >> 1]} minor`;
const keyOf = text => {
  const parts = /^(1[0-2]|[1-9])([AB])$/i.exec(text);
  return parts ? (parts[1] - 1) * 2 + (parts[2].toUpperCase() === 'B' ? 1 : 0) : null;
};
const certainty = confidence =>
  confidence >= .9 ? 'Very likely right' : confidence >= .75 ? 'Probably right' : confidence >= .5 ? 'Worth a listen' : 'A guess';

/** Text as search compares it: without accents and upper case. */
function folded(text) {
  // Most names are plain ASCII, where normalizing would only cost time.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase();
}

/* Data. Columns arrive packed; one is unpacked when it is first asked for. */

function takeJSON(id) {
  const node = document.getElementById(id), value = JSON.parse(node.textContent);
  node.remove(); // its text would otherwise stay in memory
  return value;
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Little-endian integers; all bits one is NaN, for "not known". */
function unpacked({ bytes: width, scale = 1, offset = 0, data }) {
  const bytes = bytesOf(data), count = bytes.length / width, missing = 256 ** width - 1, values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let raw = 0;
    for (let k = width - 1; k >= 0; k--) raw = raw * 256 + bytes[i * width + k];
    values[i] = raw === missing ? NaN : (raw + offset) / scale;
  }
  return values;
}

let library, table, trackCount = 0;
const unpackedColumns = new Map();

const hasColumn = name => name in table.columns;
/** Numbers of all tracks; all NaN if the report does not have the column. */
function column(name) {
  if (!unpackedColumns.has(name)) {
    unpackedColumns.set(name, hasColumn(name) ? unpacked(table.columns[name]) : new Float64Array(trackCount).fill(NaN));
    if (hasColumn(name)) table.columns[name] = null;
  }
  return unpackedColumns.get(name);
}
const dictionary = name => table.dictionaries[name] || [];
/** The text of a dictionary column, or null. */
const entry = (name, track) => { const index = column(name)[track]; return known(index) ? dictionary(name)[index] : null; };

const FLAGS = { isNew: 1, corrected: 2, steady: 4, changing: 8, lossless: 16, lossy: 32, estimated: 64, remarks: 128 };
const OK = 0, DAMAGED = 1, FAILED = 2;
const hasFlag = (track, flag) => (column('flags')[track] & flag) !== 0;
const tagTitle = track => table.columns.title ? table.columns.title[track] : null;
/** The file name; a slash in it stands for the title. */
const fileName = track => {
  const name = table.columns.file[track];
  return name.includes('/') ? name.replace('/', () => tagTitle(track) || '') : name;
};
const stem = name => name.replace(/(.)\.[^.]*$/, '$1');
const trackName = track => tagTitle(track) || stem(fileName(track));
const folderPath = track => (table.root + (entry('folder', track) || '')).replace(/(.)\/$/, '$1');
const path = track => `${folderPath(track).replace(/\/$/, '')}/${fileName(track)}`;
const lastFolder = track => `${folderPath(track).split('/').pop()}/`;
const problem = track => library.problems[column('problem')[track]] || null;

/* Filters. Each reads its value from the fragment of the address and writes it there; null is no filter. */

const text = (parameter, make) => ({ parameter, read: value => value || null, write: value => value, ...make });

/** A filter by an entry of a dictionary, or "none". */
const byEntry = (parameter, name, none) => text(parameter, {
  test(value) {
    const values = column(name), index = value === 'none' ? -1 : dictionary(name).indexOf(value);
    return index < 0 ? track => value === 'none' && !known(values[track]) && column('status')[track] !== FAILED
      : track => values[track] === index;
  },
  chip: value => value === 'none' ? none : value
});

/** A filter by a range of numbers, [from, to); "none" where it is not known. */
const byRange = (parameter, name, describe, none) => ({
  parameter,
  read(value) {
    if (value === 'none') return value;
    const parts = /^(-?[\d.]*)(?:\.\.)(-?[\d.]*)$/.exec(value);
    if (parts) return [parts[1] === '' ? -Infinity : +parts[1], parts[2] === '' ? Infinity : +parts[2]];
    return value !== '' && isFinite(value) ? [+value, +value + 1] : null;
  },
  write(value) {
    if (value === 'none') return value;
    return value.map(bound => isFinite(bound) ? bound : '').join('..');
  },
  test(value) {
    const values = column(name);
    if (value === 'none') return track => !known(values[track]) && column('status')[track] !== FAILED;
    return track => values[track] >= value[0] && values[track] < value[1];
  },
  chip: value => value === 'none' ? none : describe(value)
});

const rangeText = (from, to, show) =>
  !isFinite(to) ? `${show(from)} or more` : !isFinite(from) ? `under ${show(to)}` : `${show(from)} to ${show(to)}`;

const CONFIDENCE = {
  right: { range: [.9, Infinity], name: 'very likely right', option: 'Very likely right (90% or more)' },
  probable: { range: [.75, .9], name: 'probably right', option: 'Probably right (75 to 90%)' },
  listen: { range: [.5, .75], name: 'worth a listen', option: 'Worth a listen (50 to 75%)' },
  guess: { range: [0, .5], name: 'a guess', option: 'A guess (under 50%)' },
  none: { name: 'not found', option: 'No tempo found' }
};

const STATUS = {
  new: { name: () => library.run_name ? `New ${library.run_name}` : 'New', test: track => hasFlag(track, FLAGS.isNew) },
  problem: { name: () => 'Any problem', test: track => column('status')[track] !== OK },
  failed: { name: () => 'Failed', test: track => column('status')[track] === FAILED },
  damaged: { name: () => 'Damaged', test: track => column('status')[track] === DAMAGED },
  skipped: { name: () => 'Not analyzed', test: track => column('status')[track] === 3 },
  corrected: { name: () => 'Corrected by you', test: track => hasFlag(track, FLAGS.corrected) },
  remarks: { name: () => 'With remarks', test: track => hasFlag(track, FLAGS.remarks) },
  untagged: {
    name: () => 'No title and artist',
    test: track => column('status')[track] < FAILED && !tagTitle(track) && !known(column('artist')[track])
  }
};

const filters = [
  {
    parameter: 'bpm',
    read(value) { const parts = /^([\d.]+)-([\d.]+)$/.exec(value); return parts ? [+parts[1], +parts[2]] : null; },
    write: value => value.join('-'),
    test(value) { const values = column('bpm'); return track => values[track] >= value[0] && values[track] <= value[1]; },
    chip: value => `${value[0]}–${value[1]} BPM`
  },
  text('confidence', {
    read: value => CONFIDENCE[value] ? value : null,
    test(value) {
      const values = column('confidence'), range = CONFIDENCE[value].range;
      if (!range) return track => !known(column('bpm')[track]) && column('status')[track] !== FAILED;
      return track => values[track] >= range[0] && values[track] < range[1];
    },
    chip: value => `Tempo: ${CONFIDENCE[value].name}`
  }),
  {
    parameter: 'key',
    read: value => value === 'none' ? value : keyOf(value),
    write: value => value === 'none' ? value : camelot(value),
    test(value) {
      const values = column('key');
      return value === 'none' ? track => !known(values[track]) && column('status')[track] !== FAILED : track => values[track] === value;
    },
    chip: value => value === 'none' ? 'No key' : `${camelot(value)} · ${keyName(value)}`
  },
  byRange('lufs', 'loudness', ([from, to]) => `${signed(rangeText(from, to, bound => String(bound).replace('-', '−')))} LUFS`, 'No loudness'),
  byEntry('genre', 'genre', 'No genre'),
  byEntry('format', 'codec', 'No format'),
  byRange('year', 'year', ([from, to]) => to === from + 1 ? String(from) : rangeText(from, to - 1, String), 'No year'),
  byRange('length', 'duration', ([from, to]) => rangeText(from, to, clock), 'No length'),
  byRange('rate', 'bit_rate', ([from, to]) => `${rangeText(from, to, bound => grouped.format(bound))} kb/s`, 'No bit rate'),
  {
    parameter: 'added',
    read(value) {
      const days = value.split('..').map(part => Date.parse(part) / 864e5);
      return days.length === 2 && days.every(known) ? days : null;
    },
    write: value => value.map(days => new Date(days * 864e5).toISOString().slice(0, 10)).join('..'),
    test(value) { const values = column('added'); return track => values[track] >= value[0] && values[track] <= value[1]; },
    chip: value => `Added ${date(value[0])} to ${date(value[1])}`
  },
  text('folder', {
    test(value) {
      const wanted = value.replace(/\/$/, ''), values = column('folder');
      const within = dictionary('folder').map(folder => {
        const full = (table.root + folder).replace(/\/$/, '');
        return full === wanted || full.startsWith(`${wanted}/`);
      });
      return track => within[values[track]] === true;
    },
    chip: value => `In ${value.split('/').filter(Boolean).pop() || '/'}/`
  }),
  text('artist', byEntry('artist', 'artist', 'No artist')),
  text('album', byEntry('album', 'album', 'No album')),
  text('status', {
    test(value) {
      if (STATUS[value]) return STATUS[value].test;
      const index = library.problems.findIndex(({ code }) => code === value), values = column('problem');
      return track => values[track] === index;
    },
    chip: value => STATUS[value] ? STATUS[value].name() : (library.problems.find(({ code }) => code === value) || { name: 'Unknown status' }).name
  })
];

/* What is shown: filters, order and columns. The address keeps it, so that a view can be bookmarked. */

const state = { query: '', values: {}, sort: '', descending: false, columns: null };
let view = [], viewDuration = 0;
let current = -1; // position in the view of the row that has or had the focus
let openTrack = -1;
const isPhone = matchMedia('(max-width: 640px)');

function setFilter(parameter, value) {
  state.values[parameter] = value;
  applySoon();
}
/** Sets a filter, or takes it away if it already has this value. */
function toggleFilter(parameter, value) {
  const old = state.values[parameter];
  setFilter(parameter, JSON.stringify(old) === JSON.stringify(value) ? null : value);
}
function clearFilters() {
  state.values = {};
  state.query = find('#q').value = '';
  applySoon();
}

/** Sets the state from `q=…&bpm=…`. Unknown names and values are left out. */
function readState(fragment) {
  const parameters = new URLSearchParams(fragment);
  state.query = parameters.get('q') || '';
  state.values = {};
  for (const filter of filters) {
    const value = parameters.has(filter.parameter) ? filter.read(parameters.get(filter.parameter)) : null;
    if (value != null) state.values[filter.parameter] = value;
  }
  const sort = parameters.get('sort') || '', sorted = tableColumn(sort.replace(/^-/, ''));
  state.sort = sorted ? sorted.id : '';
  state.descending = sort.startsWith('-');
  if (parameters.has('columns')) state.columns = parameters.get('columns').split(',').filter(isTableColumn);
  return parameters.get('track');
}

function stateFragment() {
  const parameters = new URLSearchParams();
  if (state.query) parameters.set('q', state.query);
  for (const filter of filters) {
    const value = state.values[filter.parameter];
    if (value != null) parameters.set(filter.parameter, filter.write(value));
  }
  if (state.sort) parameters.set('sort', (state.descending ? '-' : '') + state.sort);
  if (state.columns) parameters.set('columns', state.columns.join(','));
  if (openTrack >= 0) parameters.set('track', path(openTrack));
  return parameters.toString();
}

// Browsers allow only so many changes of the address in a while, so it follows when typing pauses.
let addressTimer = 0;
function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const fragment = stateFragment();
    if (fragment || location.hash.includes('=')) history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname + location.search);
  }, 200);
}

/* Search */

let haystacks = null;
const foldedDictionaries = {};
/** Titles and file names of all tracks, folded. Artists and others are searched once for each name, not for each track. */
function searchTexts() {
  if (!haystacks) {
    haystacks = new Array(trackCount);
    for (let track = 0; track < trackCount; track++) haystacks[track] = folded(`${tagTitle(track) || ''}\n${fileName(track)}`);
    for (const name of ['artist', 'album', 'genre']) foldedDictionaries[name] = dictionary(name).map(folded);
    foldedDictionaries.folder = dictionary('folder').map(folder => folded(table.root + folder));
  }
  return haystacks;
}

/** A test whether a track has this word in one of its texts. */
function wordTest(word) {
  const texts = searchTexts(), named = [];
  for (const name of ['artist', 'album', 'genre', 'folder']) {
    const hits = new Uint8Array(foldedDictionaries[name].length);
    let any = false;
    foldedDictionaries[name].forEach((entry, index) => { if (entry.includes(word)) { hits[index] = 1; any = true; } });
    if (any) named.push([hits, column(name)]);
  }
  return track => {
    for (const [hits, indexes] of named) if (hits[indexes[track]] === 1) return true;
    return texts[track].includes(word);
  };
}

/* Order */

const orders = new Map();
/** All tracks in an order; unknown values last in both directions. Kept, because filtering does not change it. */
function order(id, descending) {
  if (!id) return null;
  const name = `${id} ${descending}`;
  if (!orders.has(name)) {
    const values = tableColumn(id).values(), sign = descending ? -1 : 1;
    orders.set(name, Uint32Array.from({ length: trackCount }, (_, track) => track).sort((a, b) => {
      const x = values[a], y = values[b];
      if (!known(x) || !known(y)) return known(x) ? -1 : known(y) ? 1 : a - b;
      return (x - y) * sign || a - b;
    }));
  }
  return orders.get(name);
}

let lastResult = null;
/** Finds the tracks to show. A longer query searches only the last result. */
function apply() {
  const active = filters.filter(({ parameter }) => state.values[parameter] != null);
  const tests = active.map(filter => filter.test(state.values[filter.parameter]));
  const filterText = JSON.stringify([active.map(filter => [filter.parameter, filter.write(state.values[filter.parameter])]), state.sort, state.descending]);
  const query = folded(state.query);
  tests.push(...query.split(/[\s/]+/).filter(Boolean).map(wordTest));
  const narrower = lastResult && lastResult.filterText === filterText && query.startsWith(lastResult.query);
  const source = narrower ? lastResult.view : order(state.sort, state.descending);
  const durations = column('duration'), count = source ? source.length : trackCount;
  view = [];
  viewDuration = 0;
  next: for (let i = 0; i < count; i++) {
    const track = source ? source[i] : i;
    for (const test of tests) if (!test(track)) continue next;
    view.push(track);
    if (known(durations[track])) viewDuration += durations[track];
  }
  lastResult = { filterText, query, view };
  current = openTrack >= 0 ? view.indexOf(openTrack) : -1;
  paintStatus(active);
  paintRows(true);
  paintPlace();
  writeAddress();
}

let applyFrame = 0;
function applySoon() {
  if (applyFrame) return;
  applyFrame = requestAnimationFrame(() => { applyFrame = 0; apply(); syncControls(); });
}

/* Columns of the table */

const number = (name, show, extra = {}) => ({ id: name, values: () => column(name), has: () => hasColumn(name), class: 'num',
  text: track => { const value = column(name)[track]; return known(value) ? show(value) : null; }, ...extra });
const named = (name, extra) => ({ id: name, values: () => column(name), has: () => hasColumn(name), class: 'quiet tag',
  text: track => entry(name, track), ...extra });
const share = (name, title) => number(name, value => percent(value), { label: title, width: 64 });

/** `width`: pixels, or a share of what is left, with its least width. `rank`: the highest goes first where there is no room. */
const tableColumns = [
  { id: 'title', label: 'Title', share: 2.5, width: 170, rank: 0, has: () => true, values: () => column('title_rank'), cell: titleCell },
  named('artist', { label: 'Artist', share: 1.3, width: 110, rank: 2, chosen: true, cell: artistCell }),
  named('album', { label: 'Album', share: 1.2, width: 110, rank: 8, chosen: true }),
  { id: 'bpm', label: 'BPM', width: 132, rank: 1, chosen: true, class: 'num', has: () => hasColumn('bpm'), values: () => column('bpm'), cell: tempoCell },
  number('key', camelot, { label: 'Key', width: 48, rank: 4, chosen: true }),
  number('loudness', value => signed(oneDecimal(value)), { label: 'LUFS', width: 56, rank: 6, chosen: true }),
  number('duration', clock, { id: 'length', label: 'Length', width: 64, rank: 3, chosen: true, class: 'num length' }),
  { id: 'format', label: 'Format', width: 92, rank: 5, chosen: true, has: () => hasColumn('codec'), values: () => column('codec'), text: formatText },
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
    element('span', { class: 'meter', title: words }, filled), element('b', {}, oneDecimal(bpm), element('span', { class: 'sr', text: `, ${words}` }))));
}

const noTempoWords = track => ({ no_pulse: 'no beat', silence: 'silent', too_short: 'short' })[entry('tempo_reason', track)];

function statusShape(track) {
  const status = column('status')[track];
  const drawn = (title, attributes, ...parts) => shape('svg', { class: 'dot', viewBox: '0 0 8 8', role: 'img', 'aria-label': title, ...attributes }, ...parts);
  if (status === FAILED) return drawn('Failed', {}, shape('path', { d: 'M4 0l4 7.5H0z' }));
  if (status === DAMAGED || status === 3) {
    return drawn(status === DAMAGED ? 'Damaged' : 'Not analyzed', {}, status === DAMAGED && shape('path', { d: 'M4 .5a3.5 3.5 0 0 0 0 7z' }),
      shape('circle', { class: 'ring', cx: 4, cy: 4, r: 3.4 }));
  }
  return hasFlag(track, FLAGS.isNew) ? drawn('New', { class: 'dot is-new' }, shape('circle', { cx: 4, cy: 4, r: 2.6 })) : null;
}

/** The chosen columns that this report has and that fit into the width. */
let shownColumns = [], hiddenForWidth = 0;
function chooseColumns() {
  const chosen = tableColumns.filter(({ id, has, chosen }) => has() && (id === 'title' || (state.columns ? state.columns.includes(id) : chosen)));
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
    return element('th', { role: 'columnheader', 'aria-sort': sorted, class: isNumber && 'num', 'data-column': item.id }, button);
  });
  const focused = document.activeElement && document.activeElement.closest && document.activeElement.closest('#head th');
  find('#head').replaceChildren(element('th', { role: 'columnheader' }, element('span', { class: 'sr', text: 'Status' })), ...headings);
  find('#grid').setAttribute('aria-colcount', headings.length + 1);
  if (focused) (find(`#head [data-column="${focused.dataset.column}"] button`) || find('#q')).focus({ preventScroll: true });
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

/* Rows. Only those in the window and a few around it exist. */

const PRINTED_ROWS = 500, SPARE_ROWS = 10;
let firstRow = -1, lastRow = -1, isPrinting = false;
const rowHeight = () => isPhone.matches ? 60 : 36;

function makeRow(position) {
  const track = view[position], isCurrent = position === current || (current < 0 && position === 0);
  const row = element('tr', { class: track === openTrack ? 'row open' : 'row', role: 'row', tabindex: isCurrent ? 0 : -1,
    'aria-rowindex': position + 2, 'aria-selected': track === openTrack ? 'true' : false, 'data-position': position });
  row.append(element('td', { class: 'state', role: 'cell' }, statusShape(track)));
  for (const item of shownColumns) {
    const cell = element('td', { class: [item.id, item.class].filter(Boolean).join(' '), role: 'cell' });
    if (item.cell) item.cell(track, cell);
    else {
      const text = item.text(track);
      if (text == null) cell.append(element('span', { class: 'dim', text: '–' }));
      else cell.textContent = shortened(text, 200);
    }
    row.append(cell);
  }
  return row;
}

const spacer = height => {
  const row = element('tr', { class: 'spacer', role: 'presentation' });
  row.style.height = `${height}px`;
  return row;
};

function paintRows(force) {
  const body = find('#rows'), height = rowHeight(), top = -body.getBoundingClientRect().top;
  let from = Math.max(0, Math.floor(top / height) - SPARE_ROWS);
  let to = Math.min(view.length, Math.ceil((top + innerHeight) / height) + SPARE_ROWS);
  if (isPrinting) [from, to] = [0, Math.min(PRINTED_ROWS, view.length)];
  else if (to <= from) [from, to] = [0, Math.min(view.length, 2 * SPARE_ROWS)];
  if (!force && from === firstRow && to === lastRow) return;
  [firstRow, lastRow] = [from, to];
  const hadFocus = document.activeElement && body.contains(document.activeElement);
  const rows = [];
  if (from > 0) rows.push(spacer(from * height));
  for (let position = from; position < to; position++) rows.push(makeRow(position));
  if (to < view.length && !isPrinting) rows.push(spacer((view.length - to) * height));
  body.replaceChildren(...rows);
  find('#grid').setAttribute('aria-rowcount', view.length + 1);
  if (hadFocus) focusRow(false);
}

function focusRow(orSearch) {
  const row = find(`#rows [data-position="${current}"]`);
  if (row) row.focus({ preventScroll: true });
  else if (orSearch) find('#q').focus({ preventScroll: true });
}

/** Moves the focus to a row and the row into sight. */
function goTo(position) {
  if (!view.length) return;
  current = Math.max(0, Math.min(view.length - 1, position));
  const height = rowHeight(), y = find('#rows').getBoundingClientRect().top + scrollY + current * height;
  const above = find('#tools').offsetHeight + (isPhone.matches ? 0 : 33);
  if (y < scrollY + above) scrollTo(0, y - above);
  else if (y + height > scrollY + innerHeight) scrollTo(0, y + height - innerHeight);
  paintRows(true);
  focusRow(false);
}

/* Search field, filters and chips */

let announceTimer = 0;
function paintStatus(active) {
  const isFiltered = active.length > 0 || state.query !== '';
  const count = isFiltered ? `${grouped.format(view.length)} of ${plural(trackCount, 'track')}` : plural(trackCount, 'track');
  const nodes = [element('span', { class: 'count', text: viewDuration ? `${count} · ${span(viewDuration)}` : count })];
  for (const filter of active) {
    const words = filter.chip(state.values[filter.parameter]);
    const chip = element('button', { class: 'chip', type: 'button', 'aria-label': `Remove filter: ${words}` },
      element('span', { class: 'tag', text: shortened(words, 80) }), '×');
    chip.onclick = () => { setFilter(filter.parameter, null); find('#q').focus({ preventScroll: true }); };
    nodes.push(chip);
  }
  if (isFiltered) {
    const clear = element('button', { class: 'link', type: 'button', text: 'Clear all' });
    clear.onclick = () => { clearFilters(); find('#q').focus({ preventScroll: true }); };
    nodes.push(clear);
  }
  find('#status').replaceChildren(...nodes);
  find('#empty').hidden = view.length > 0;
  find('#grid').hidden = view.length === 0;
  find('#empty b').textContent = trackCount ? 'No tracks match.' : 'No tracks yet.';
  find('#empty span').textContent = trackCount ? 'Remove a filter, or search for fewer words.' : 'Run analyze on a folder with music.';
  find('#print-note').textContent = view.length > PRINTED_ROWS ? `The first ${PRINTED_ROWS} of ${plural(view.length, 'track')}.` : '';
  clearTimeout(announceTimer); // a screen reader should hear the count after typing, not at each key
  announceTimer = setTimeout(() => { find('#live').textContent = view.length ? plural(view.length, 'track') : 'No tracks match.'; }, 500);
}

function counted(name) {
  const counts = new Uint32Array(dictionary(name).length);
  for (const index of column(name)) if (known(index)) counts[index]++;
  return dictionary(name).map((text, index) => [text, counts[index]]).sort((a, b) => b[1] - a[1]);
}

/** A menu of values for one filter; left out if there is nothing to choose. */
function selectFor(parameter, title, spoken, options) {
  if (!options.length) return null;
  const select = element('select', { 'data-filter': parameter }, element('option', { value: '', text: title }),
    ...options.map(([value, words]) => element('option', { value, text: shortened(words, 80) })));
  const filter = filters.find(item => item.parameter === parameter);
  select.onchange = () => setFilter(parameter, select.value ? filter.read(select.value) : null);
  return element('label', { class: 'field' }, element('span', { class: 'sr', text: spoken }), select);
}

const MENU_LENGTH = 60;
function makeFilters() {
  const withCount = ([text, count]) => [text, `${text} (${grouped.format(count)})`];
  const tempos = hasColumn('bpm') ? Object.entries(CONFIDENCE).map(([value, { option }]) => [value, option]) : [];
  const genres = dictionary('genre').length ? [...counted('genre').slice(0, MENU_LENGTH).map(withCount), ['none', 'No genre']] : [];
  const codecs = dictionary('codec').length > 1 ? counted('codec').map(withCount) : [];
  const any = test => { for (let track = 0; track < trackCount; track++) if (test(track)) return true; return false; };
  const statuses = Object.entries(STATUS).filter(([, { test }]) => any(test)).map(([value, { name }]) => [value, name()]);
  const codes = new Set(column('problem'));
  statuses.push(...library.problems.filter((_, index) => codes.has(index)).map(({ code, name }) => [code, name]));
  const nodes = [sortSelect(), hasColumn('bpm') ? element('div', { class: 'mini' }, element('div', { id: 'mini' }), element('span', { id: 'mini-text', text: 'Any tempo' })) : null,
    selectFor('confidence', 'Confidence', 'Tempo confidence', tempos), selectFor('genre', 'Genre', 'Genre', genres),
    selectFor('format', 'Format', 'Format', codecs), selectFor('status', 'Status', 'Status', statuses), columnMenu()];
  find('#filters').append(...nodes.filter(Boolean));
}

/** On phones, where the table has no headings. */
function sortSelect() {
  const words = { title: ['Title, A to Z'], artist: ['Artist, A to Z'], bpm: ['Slowest first', 'Fastest first'], key: ['Key'],
    length: ['Shortest first', 'Longest first'], loudness: ['Quietest first', 'Loudest first'], year: ['Oldest first', 'Newest first'] };
  const options = tableColumns.filter(({ id, has }) => words[id] && has())
    .flatMap(({ id }) => words[id].map((text, index) => element('option', { value: (index ? '-' : '') + id, text })));
  const select = element('select', { id: 'sort' }, element('option', { value: '', text: 'Sort: folder' }), ...options);
  select.onchange = () => {
    state.sort = select.value.replace(/^-/, '');
    state.descending = select.value.startsWith('-');
    paintHead();
    apply();
  };
  return element('label', { class: 'field sort' }, element('span', { class: 'sr', text: 'Sort by' }), select);
}

function columnMenu() {
  const choices = tableColumns.filter(({ id, has }) => id !== 'title' && has()).map(item => {
    const box = element('input', { type: 'checkbox', 'data-column': item.id });
    box.onchange = () => {
      const chosen = [...document.querySelectorAll('.menu input:checked')].map(input => input.dataset.column);
      const usual = tableColumns.filter(({ id, has, chosen }) => chosen && has() && id !== 'title').map(({ id }) => id);
      state.columns = chosen.join() === usual.join() ? null : chosen;
      remember('columns', state.columns ? state.columns.join() : null);
      chooseColumns();
      paintRows(true);
      writeAddress();
      paintColumnMenu();
    };
    return element('label', {}, box, item.name || item.label);
  });
  const menu = element('details', { class: 'menu', id: 'columns-menu' }, element('summary', { text: 'Columns' }),
    element('fieldset', {}, element('legend', { text: 'Columns of the table' }), ...choices, element('p', { id: 'columns-note' })));
  document.addEventListener('click', event => { if (!menu.contains(event.target)) menu.open = false; });
  return menu;
}

function paintColumnMenu() {
  for (const box of document.querySelectorAll('.menu input')) {
    const id = box.dataset.column;
    box.checked = state.columns ? state.columns.includes(id) : tableColumn(id).chosen === true;
  }
  find('#columns-note').textContent = hiddenForWidth
    ? `${plural(hiddenForWidth, 'chosen column')} ${hiddenForWidth === 1 ? 'has' : 'have'} no room in this window.` : '';
}

const painters = [];
/** Makes menus and charts show the state. */
function syncControls() {
  for (const select of document.querySelectorAll('[data-filter]')) {
    const value = state.values[select.dataset.filter];
    select.value = value ?? '';
    select.parentNode.classList.toggle('on', value != null);
  }
  find('#sort').value = (state.descending ? '-' : '') + state.sort;
  for (const paint of painters) paint();
}

function remember(name, value) {
  try { // storage is refused where pages from files may not have any
    if (value == null) localStorage.removeItem(`nocturne-${name}`); else localStorage.setItem(`nocturne-${name}`, value);
  } catch { /* The choice then lasts until the page is closed. */ }
}
function remembered(name) {
  try { return localStorage.getItem(`nocturne-${name}`); } catch { return null; }
}

/* Charts: drawn for the width they have, so their text never scales. A title is a finding from the data. */

const histogramHeight = width => width < 480 ? 230 : 270;
const LEFT = 36, BOTTOM = 36, TOP = 18;

/** A round number at or above the largest count, and the step of two or three grid lines. */
function scaleFor(largest) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  const step = Math.max(1, [.2, .5, 1, 2, 5].map(factor => factor * power).find(candidate => largest / candidate <= 3) || power * 5);
  return { step, top: Math.max(1, Math.ceil(largest / step)) * step };
}

/** Grid lines with their numbers, from the bottom up. */
function gridLines(scale, left, right, y) {
  const nodes = [];
  for (let value = 0; value <= scale.top; value += scale.step) {
    nodes.push(shape('line', { x1: left, x2: right, y1: y(value), y2: y(value), class: value ? 'grid-line' : 'axis' }),
      label(left - 8, y(value) + 4, grouped.format(value), { 'text-anchor': 'end' }));
  }
  return nodes;
}
const axisNames = (width, height, horizontal, vertical) =>
  [label(width, height - 4, horizontal, { 'text-anchor': 'end', class: 'axis-name' }), label(0, 8, vertical, { class: 'axis-name' })];

/** Only one shape of a chart is a tab stop; arrows go to the others. */
function roving(shapes, choose) {
  shapes.forEach((node, index) => {
    node.setAttribute('tabindex', index ? -1 : 0);
    node.addEventListener('click', () => choose(index));
    node.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -shapes.length, End: shapes.length }[event.key];
      if (event.key === 'Enter' || event.key === ' ') choose(index);
      else if (step) {
        const next = shapes[Math.max(0, Math.min(shapes.length - 1, index + step))];
        for (const other of shapes) other.setAttribute('tabindex', other === next ? 0 : -1);
        next.focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  });
}

/**
 * Columns that filter when clicked. `bins`: { from, to, count, says }; `tick(bin)`: text below its left edge or its middle;
 * `selected(bin)`: whether the filter covers it.
 */
function columnChart(host, { bins, parameter, axis, tick, middle, reference, height }) {
  const width = host.clientWidth, bottom = height - BOTTOM;
  const scale = scaleFor(Math.max(...bins.map(bin => bin.count))), each = (width - LEFT) / bins.length;
  const y = value => bottom - value / scale.top * (bottom - TOP), x = index => LEFT + index * each;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': axis }, gridLines(scale, LEFT, width, y));
  const spots = [], drawn = [];
  bins.forEach((bin, index) => {
    const words = `${bin.says}: ${plural(bin.count, 'track')}`;
    const bar = shape('rect', { class: 'bar', x: x(index) + Math.min(1, each / 8), width: Math.max(1, each - Math.min(2, each / 4)), y: y(bin.count), height: bottom - y(bin.count) });
    const spot = shape('g', { class: bin.count ? 'spot' : false, role: bin.count ? 'button' : false, 'aria-label': bin.count ? words : false },
      shape('title', { text: words }), shape('rect', { class: 'hit', x: x(index), width: each, y: TOP, height: bottom - TOP }), bar);
    svg.append(spot);
    if (bin.count) { spots.push([spot, bin]); drawn.push([spot, bar, bin]); }
    const text = tick(bin, index);
    if (text != null) svg.append(label(x(index) + (middle ? each / 2 : 0), bottom + 15, text, { 'text-anchor': 'middle' }));
  });
  if (reference) {
    const at = x(reference.index);
    svg.append(shape('line', { class: 'reference', x1: at, x2: at, y1: TOP - 4, y2: bottom }), label(at + 5, TOP + 2, reference.text, { class: 'axis-name' }));
  }
  svg.append(...axisNames(width, height, `${axis} →`, '↑ Tracks'));
  roving(spots.map(([spot]) => spot), index => { const bin = spots[index][1]; toggleFilter(parameter, [bin.from, bin.to]); });
  host.replaceChildren(svg);
  return () => {
    const value = state.values[parameter];
    for (const [spot, bar, bin] of drawn) {
      const covered = Array.isArray(value) && bin.from < value[1] && bin.to > value[0];
      bar.setAttribute('class', value == null ? 'bar' : covered ? 'bar on' : 'bar off');
      spot.setAttribute('aria-pressed', covered);
    }
  };
}

/** Sorted numbers of a column, without the unknown ones. */
function distribution(name) {
  const values = column(name).filter(known).sort();
  return { values, count: values.length, quantile: share => values[Math.min(values.length - 1, Math.floor(share * values.length))] };
}

const LOWEST_TEMPO = 50, HIGHEST_TEMPO = 200, TEMPO_STEP = 5;
let tempoBins = null;
/** Tracks by tempo, and the same weighted by confidence; outliers are in the end bins. */
function countTempos() {
  const bins = [];
  for (let from = LOWEST_TEMPO; from < HIGHEST_TEMPO; from += TEMPO_STEP) bins.push({ from, to: from + TEMPO_STEP, count: 0, weight: 0 });
  const tempos = column('bpm'), confidences = column('confidence');
  for (let track = 0; track < trackCount; track++) {
    if (!known(tempos[track])) continue;
    const bin = bins[Math.max(0, Math.min(bins.length - 1, Math.floor((tempos[track] - LOWEST_TEMPO) / TEMPO_STEP)))];
    bin.count++;
    bin.weight += confidences[track] || 0;
  }
  return bins;
}

/** A histogram with a window over it: drag empty space to draw it, its middle to move it, its handles to resize it. */
function brush(host, width, height, isLarge) {
  const left = isLarge ? LEFT : 0, right = width - (isLarge ? 8 : 0), top = isLarge ? TOP : 2, bottom = height - (isLarge ? BOTTOM : 2);
  const scale = scaleFor(Math.max(...tempoBins.map(bin => bin.count)));
  const x = bpm => left + (bpm - LOWEST_TEMPO) / (HIGHEST_TEMPO - LOWEST_TEMPO) * (right - left);
  const y = value => bottom - value / scale.top * (bottom - top);
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Filter by tempo' });
  if (isLarge) {
    svg.append(...gridLines(scale, left, right, y), ...axisNames(right, height, 'Tempo, BPM →', '↑ Tracks'));
    for (let bpm = 60; bpm <= HIGHEST_TEMPO; bpm += 20) svg.append(label(x(bpm), bottom + 15, bpm, { 'text-anchor': 'middle' }));
  }
  const bars = tempoBins.map(bin => {
    const at = x(bin.from) + (isLarge ? .75 : .5), wide = x(bin.to) - x(bin.from) - (isLarge ? 1.5 : 1), solid = isLarge ? bin.weight : bin.count;
    const ghost = isLarge && shape('rect', { class: 'ghost', x: at, width: wide, y: y(bin.count), height: bottom - y(bin.count) });
    const bar = shape('rect', { class: 'bar', x: at, width: wide, y: y(solid), height: bottom - y(solid) });
    svg.append(...[ghost, bar].filter(Boolean));
    return bar;
  });
  const field = shape('rect', { class: 'hit brush', x: left, y: 0, width: right - left, height: bottom });
  const frame = shape('rect', { class: 'brush-window', y: top, height: bottom - top });
  svg.append(field, frame);

  const bounds = () => state.values.bpm || [LOWEST_TEMPO, HIGHEST_TEMPO];
  const set = (from, to) => setFilter('bpm', from <= LOWEST_TEMPO && to >= HIGHEST_TEMPO ? null : [from, to]);
  const setBound = (isUpper, bpm) => {
    const [from, to] = bounds();
    if (isUpper) set(from, Math.max(from + 1, Math.min(HIGHEST_TEMPO, bpm))); else set(Math.min(to - 1, Math.max(LOWEST_TEMPO, bpm)), to);
  };
  const tempoAt = event => {
    const box = svg.getBoundingClientRect(), within = ((event.clientX - box.left) / box.width * width - left) / (right - left);
    return Math.round(LOWEST_TEMPO + Math.max(0, Math.min(1, within)) * (HIGHEST_TEMPO - LOWEST_TEMPO));
  };
  const handles = [false, true].map(isUpper => {
    const middle = (top + bottom) / 2, grip = isLarge ? 22 : 16;
    const handle = shape('g', { class: 'handle', tabindex: 0, role: 'slider', 'aria-label': isUpper ? 'Highest tempo' : 'Lowest tempo',
      'aria-valuemin': LOWEST_TEMPO, 'aria-valuemax': HIGHEST_TEMPO },
    shape('rect', { class: 'hit', x: -12, width: 24, y: 0, height }), shape('line', { x1: 0, x2: 0, y1: top - 2, y2: bottom }),
    shape('rect', { class: 'grip', x: -4, width: 8, y: middle - grip / 2, height: grip, rx: 3 }), isLarge && label(0, 8, '', { class: 'strong', 'text-anchor': 'middle' }));
    handle.addEventListener('keydown', event => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      const end = { Home: LOWEST_TEMPO, End: HIGHEST_TEMPO }[event.key];
      if (!step && !end) return;
      event.preventDefault();
      event.stopPropagation();
      setBound(isUpper, end || bounds()[isUpper ? 1 : 0] + step);
    });
    drag(handle, () => event => setBound(isUpper, tempoAt(event)));
    svg.append(handle);
    return handle;
  });
  drag(field, event => {
    const start = tempoAt(event);
    return moved => { const bpm = tempoAt(moved); if (Math.abs(bpm - start) > 1) set(Math.min(start, bpm), Math.max(start, bpm)); };
  });
  drag(frame, event => {
    const start = tempoAt(event), [from, to] = bounds();
    return moved => {
      const low = Math.max(LOWEST_TEMPO, Math.min(HIGHEST_TEMPO - (to - from), from + tempoAt(moved) - start));
      set(low, low + to - from);
    };
  });
  field.addEventListener('click', event => { // a click without dragging takes the bar under it
    const bin = tempoBins.find(({ from, to, count }) => count && tempoAt(event) >= from && tempoAt(event) < to);
    if (bin && !field.dragged) toggleFilter('bpm', [bin.from, bin.to]);
  });
  field.addEventListener('pointermove', event => {
    const bin = tempoBins.find(({ from, to }) => tempoAt(event) >= from && tempoAt(event) < to);
    if (bin) field.firstChild.textContent = `${bin.from}–${bin.to} BPM: ${plural(bin.count, 'track')}, ${oneDecimal(bin.weight)} weighted by confidence`;
  });
  field.append(shape('title'));
  host.replaceChildren(svg);

  return () => {
    const value = state.values.bpm, [from, to] = bounds().map(bpm => Math.max(LOWEST_TEMPO, Math.min(HIGHEST_TEMPO, bpm)));
    svg.setAttribute('class', value ? '' : 'idle');
    handles.forEach((handle, index) => {
      const bpm = index ? to : from;
      handle.setAttribute('transform', `translate(${x(bpm)} 0)`);
      handle.setAttribute('aria-valuenow', bpm);
      handle.setAttribute('aria-valuetext', `${bpm} BPM`);
      if (isLarge) handle.lastChild.textContent = value ? bpm : '';
    });
    frame.setAttribute('x', x(from));
    frame.setAttribute('width', x(to) - x(from));
    frame.setAttribute('visibility', value ? 'visible' : 'hidden');
    bars.forEach((bar, index) => {
      const { from: low, to: high } = tempoBins[index];
      bar.setAttribute('class', !value ? 'bar' : high > from && low < to ? 'bar on' : 'bar off');
    });
    if (!isLarge) find('#mini-text').textContent = value ? `${value[0]}–${value[1]} BPM` : 'Any tempo';
  };
}

/** Calls what `start` returns for each move of a pressed pointer, and notes on the node whether it moved. */
function drag(node, start) {
  node.addEventListener('pointerdown', event => {
    if (event.button) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.dragged = false;
    if (node.focus && node.hasAttribute('tabindex')) node.focus({ preventScroll: true });
    const move = start(event), x = event.clientX;
    const moved = next => { if (Math.abs(next.clientX - x) > 2) node.dragged = true; move(next); };
    const end = () => { node.removeEventListener('pointermove', moved); node.removeEventListener('pointerup', end); node.removeEventListener('pointercancel', end); };
    node.addEventListener('pointermove', moved);
    node.addEventListener('pointerup', end);
    node.addEventListener('pointercancel', end);
  });
}

/** The narrowest stretch of whole bins that holds at least half of all. */
function narrowestHalf(bins) {
  const total = bins.reduce((sum, bin) => sum + bin.count, 0);
  let best = null;
  for (let first = 0; first < bins.length; first++) {
    for (let last = first, sum = 0; last < bins.length; last++) {
      sum += bins[last].count;
      if (sum * 2 < total) continue;
      if (!best || last - first < best.last - best.first || (last - first === best.last - best.first && sum > best.sum)) best = { first, last, sum };
      break;
    }
  }
  return best && { from: bins[best.first].from, to: bins[best.last].to, count: best.sum, total };
}

/* Each chart says what it needs, its finding, a note, and how to draw itself. `null` as a drawing leaves the sentence alone. */

/** A button within a note that shows the tracks without a value. */
function noteWithout(words, parameter) {
  const button = element('button', { class: 'link', type: 'button', text: 'Show them' });
  button.onclick = () => { toggleFilter(parameter, 'none'); showTracks(); };
  return [`${words} `, button];
}

function tempoChart() {
  tempoBins = countTempos();
  const total = tempoBins.reduce((sum, bin) => sum + bin.count, 0), half = narrowestHalf(tempoBins);
  if (!total) return { finding: 'No track has a steady beat' };
  const tallest = tempoBins.reduce((best, bin) => bin.count > best.count ? bin : best), { values, count } = distribution('bpm');
  if (oneDecimal(values[0]) === oneDecimal(values[count - 1])) return { finding: count === 1 ? `One track has a tempo: ${oneDecimal(values[0])} BPM` : `All ${grouped.format(count)} tempos are ${oneDecimal(values[0])} BPM` };
  const finding = half.to - half.from <= 50
    ? `${grouped.format(half.count)} of ${plural(total, 'track')} run at ${half.from} to ${half.to} BPM`
    : `Tempos are spread widely; ${tallest.from} to ${tallest.to} BPM is most common`;
  return { finding, note: ['Pale: tracks counted. Solid: weighted by confidence, so the gap is doubt. Drag to filter.'],
    draw: host => brush(host, host.clientWidth, histogramHeight(host.clientWidth), true) };
}

function keyChart() {
  const counts = new Uint32Array(24);
  for (const key of column('key')) if (known(key)) counts[key]++;
  const total = counts.reduce((sum, count) => sum + count), most = counts.indexOf(Math.max(...counts));
  if (!total) return { finding: 'No track has a clear key' };
  if (counts[most] === total) return { finding: `${total === 1 ? 'One track has a key' : `All ${grouped.format(total)} keys are`}: ${camelot(most)}, ${keyName(most)}`.replace('are:', 'are') };
  const minor = counts.reduce((sum, count, key) => sum + (key & 1 ? 0 : count), 0) / total;
  const mode = minor > .5 ? 'minor' : 'major', larger = Math.max(minor, 1 - minor);
  const finding = total < 12 ? 'Keys, on the Camelot wheel' : larger < .56 ? 'Minor and major keys are about equally common'
    : `${firstUpper(fractionOf(larger, 'track'))} in a ${mode} key`;
  return { finding, note: ['Inner ring minor, outer ring major. Darker: more tracks.'], draw: host => wheel(host, counts, most) };
}

/** The Camelot wheel: neighbors mix well. */
function wheel(host, counts, most) {
  const center = [130, 125], largest = Math.max(...counts);
  const svg = shape('svg', { class: 'wheel', viewBox: '0 0 260 250', role: 'group', 'aria-label': 'Keys on the Camelot wheel' });
  const at = (radius, angle) => `${(center[0] + radius * Math.cos(angle)).toFixed(1)} ${(center[1] + radius * Math.sin(angle)).toFixed(1)}`;
  const segments = [], names = [];
  for (let key = 0; key < 24; key++) {
    const [inner, outer] = key & 1 ? [82, 120] : [44, 80], start = ((key >> 1) + .5) * Math.PI / 6 - Math.PI / 2, end = start + Math.PI / 6;
    const words = `${camelot(key)}, ${keyName(key)}: ${plural(counts[key], 'track')}`;
    const segment = shape('path', { class: 'segment', role: 'button', 'aria-label': words,
      'fill-opacity': counts[key] ? (.1 + .62 * counts[key] / largest).toFixed(3) : .04,
      d: `M${at(inner, start)}L${at(outer, start)}A${outer} ${outer} 0 0 1 ${at(outer, end)}L${at(inner, end)}A${inner} ${inner} 0 0 0 ${at(inner, start)}Z` },
    shape('title', { text: words }));
    const [x, y] = at((inner + outer) / 2, start + Math.PI / 12).split(' ');
    segments.push(segment);
    names.push(label(x, +y + 4, camelot(key), { 'text-anchor': 'middle', class: counts[key] ? false : 'quiet' }));
  }
  const name = label(...[center[0], center[1] - 2], '', { class: 'middle', 'text-anchor': 'middle' }), count = label(center[0], center[1] + 14, '', { 'text-anchor': 'middle' });
  svg.append(...segments, ...names, name, count);
  roving(segments, key => toggleFilter('key', key));
  host.replaceChildren(svg);
  return () => {
    const chosen = state.values.key, shown = typeof chosen === 'number' ? chosen : most;
    segments.forEach((segment, key) => {
      segment.classList.toggle('on', key === chosen);
      segment.setAttribute('aria-pressed', key === chosen);
      names[key].classList.toggle('on', key === chosen);
    });
    name.textContent = shown === chosen ? keyName(shown) : `most: ${camelot(shown)}`;
    count.textContent = plural(counts[shown], 'track');
  };
}

/** Bins of one width; the first and last also hold what lies beyond, if `open`. */
function binned(values, low, high, step, says) {
  const bins = [];
  for (let from = low; from < high; from += step) bins.push({ from, to: from + step, count: 0 });
  for (const value of values) bins[Math.max(0, Math.min(bins.length - 1, Math.floor((value - low) / step)))].count++;
  if (values.length && values[0] < low) bins[0].from = -Infinity;
  if (values.length && values[values.length - 1] >= high) bins[bins.length - 1].to = Infinity;
  for (const bin of bins) bin.says = says(bin.from, bin.to);
  return bins;
}

function loudnessChart() {
  const { values, count, quantile } = distribution('loudness');
  if (!count) return { finding: 'No track is loud enough to measure' };
  const low = signed(Math.round(quantile(.25))), high = signed(Math.round(quantile(.75)));
  if (oneDecimal(values[0]) === oneDecimal(values[count - 1])) return { finding: `${count === 1 ? 'One track has a loudness of' : `All ${grouped.format(count)} tracks are at`} ${signed(oneDecimal(values[0]))} LUFS` };
  const finding = count < 8 ? 'Loudness of the tracks' : low === high ? `Most tracks are near ${low} LUFS` : `Half of the tracks are between ${low} and ${high} LUFS`;
  const first = Math.max(-32, Math.min(-16, Math.floor(quantile(.01)))), last = Math.max(-8, Math.min(0, Math.ceil(quantile(.995) + .001)));
  return { finding, note: ['Dashed: −14, a common streaming level.'], draw: host => columnChart(host, {
    bins: binned(values, first, last, 1, (from, to) => `${signed(rangeText(from, to, bound => signed(bound)))} LUFS`),
    parameter: 'lufs', axis: 'Integrated loudness, LUFS', height: histogramHeight(find('.span-6 .host') ? find('.span-6 .host').clientWidth : 0),
    tick: (bin, index) => (first + index) % 4 === 0 ? signed(first + index) : null, reference: { index: -14 - first, text: '−14' } }) };
}

function yearChart() {
  const { values, count } = distribution('year'), missing = healthyWithout('year');
  if (!count) return null;
  const first = values[0], last = values[count - 1], step = last - first < 40 ? 1 : last - first < 120 ? 5 : 10;
  const note = missing ? noteWithout(`${plural(missing, 'track')} ${missing === 1 ? 'has' : 'have'} no year.`, 'year') : [''];
  if (first === last) return { finding: count === 1 ? `One track has a year: ${first}` : `All ${grouped.format(count)} dated tracks are from ${first}`, note };
  const decades = new Map(), years = new Map();
  for (const year of values) {
    decades.set(Math.floor(year / 10) * 10, (decades.get(Math.floor(year / 10) * 10) || 0) + 1);
    years.set(year, (years.get(year) || 0) + 1);
  }
  const largest = counts => [...counts].reduce((best, next) => next[1] > best[1] ? next : best);
  const [year, inYear] = largest(years), [decade, inDecade] = largest(decades);
  const finding = inYear / count >= .4 ? `${grouped.format(inYear)} of ${grouped.format(count)} dated tracks are from ${year}`
    : inDecade / count >= .25 ? `${firstUpper(fractionOf(inDecade / count, 'dated track'))} from the ${decade}s` : `The music is from ${first} to ${last}`;
  const low = Math.floor(first / step) * step, every = step > 1 ? 2 : last - first > 12 ? 5 : last - first > 5 ? 2 : 1;
  return { finding, note, draw: host => columnChart(host, { bins: binned(values, low, last + 1, step, (from, to) => to === from + 1 ? String(from) : `${from} to ${to - 1}`),
    parameter: 'year', axis: 'Year in tags', height: 200, middle: step === 1,
    tick: bin => (step === 1 ? bin.from % every === 0 : bin.from % (step * every) === 0) ? bin.from : null }) };
}

const healthyWithout = name => {
  const values = column(name), status = column('status');
  return values.reduce((count, value, track) => count + (!known(value) && status[track] !== FAILED ? 1 : 0), 0);
};

function durationChart() {
  const { values, count, quantile } = distribution('duration');
  if (!count) return null;
  if (clock(values[0]) === clock(values[count - 1])) return { finding: count === 1 ? `One track has a length: ${clock(values[0])}` : `All ${grouped.format(count)} tracks last ${clock(values[0])}` };
  const end = quantile(.97), step = [5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find(seconds => end / seconds <= 20) || 7200;
  const high = Math.max(2, Math.ceil((end + .001) / step)) * step, low = clock(quantile(.25)), up = clock(quantile(.75));
  const finding = count < 8 ? 'Lengths of the tracks' : low === up ? `Most tracks last about ${low}` : `Half of the tracks last ${low} to ${up}`;
  const longest = column('duration').indexOf(values[count - 1]), open = element('button', { class: 'link tag', type: 'button', 'data-open': longest, text: shortened(trackName(longest), 40) });
  return { finding, note: [`The longest, at ${clock(values[count - 1])}: `, open], draw: host => {
    const every = Math.max(1, Math.round(60 / (host.clientWidth / (high / step))));
    return columnChart(host, { bins: binned(values, 0, high, step, (from, to) => rangeText(from, to, clock)), parameter: 'length', axis: 'Length, min:s', height: 200,
      tick: (bin, index) => index % every === 0 ? clock(index * step) : null });
  } };
}

/** Rows with a name, a bar and a value: formats and genres. */
function shares(host, parameter, heading, rows) {
  const largest = Math.max(...rows.map(row => row.count));
  const head = heading.map((text, index) => element('span', { text, class: index === 2 && 'value' }));
  const buttons = rows.map(row => {
    const bar = element('i');
    bar.style.width = `${row.count / largest * 100}%`;
    const button = element('button', { class: 'share', type: 'button', 'aria-pressed': 'false', title: row.name },
      element('span', { class: 'name tag' }, shortened(row.name, 60), ' ', element('small', { text: grouped.format(row.count) })), element('span', { class: 'track' }, bar), element('span', { class: 'value', text: row.value }));
    button.onclick = () => toggleFilter(parameter, row.name);
    return button;
  });
  host.replaceChildren(element('div', { class: 'shares' }, element('div', { class: 'share head' }, head), ...buttons));
  return () => buttons.forEach((button, index) => button.setAttribute('aria-pressed', state.values[parameter] === rows[index].name));
}

const LISTED_SHARES = 7;

function formatChart() {
  const codecs = counted('codec').filter(([, count]) => count), total = codecs.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  let lossless = 0, lossy = 0;
  for (let track = 0; track < trackCount; track++) { if (hasFlag(track, FLAGS.lossless)) lossless++; else if (hasFlag(track, FLAGS.lossy)) lossy++; }
  if (codecs.length === 1 && total === 1) return { finding: `One track, in ${codecs[0][0]}` };
  const rates = new Map(codecs.map(([name]) => [name, []]));
  for (let track = 0; track < trackCount; track++) {
    const name = entry('codec', track), rate = column('bit_rate')[track];
    if (name && known(rate)) rates.get(name).push(rate);
  }
  const finding = !lossless ? 'No track is lossless' : !lossy ? 'All tracks are lossless' : `${firstUpper(fractionOf(lossless / (lossless + lossy), 'track'))} lossless`;
  // In large libraries the extremes say little, so the outer tenths are left out.
  const rateText = all => {
    if (!all.length) return '–';
    const sorted = Float64Array.from(all).sort(), outer = all.length >= 50 ? Math.floor(all.length / 10) : 0;
    const [low, high] = [sorted[outer], sorted[sorted.length - 1 - outer]].map(rate => grouped.format(Math.round(rate)));
    return low === high ? low : `${low}–${high}`;
  };
  const note = `${grouped.format(lossless)} lossless, ${grouped.format(lossy)} lossy.${total >= 200 ? ' Bit rates of the middle 80%.' : ''}`;
  return { finding, note: [note], draw: host => shares(host, 'format', ['Format', 'Tracks', 'Bit rate, kb/s'],
    codecs.slice(0, LISTED_SHARES).map(([name, count]) => ({ name, count, value: rateText(rates.get(name)) }))) };
}

function genreChart() {
  const genres = counted('genre'), missing = healthyWithout('genre');
  if (!genres.length) return null;
  const total = genres.reduce((sum, [, count]) => sum + count, 0), [name, most] = genres[0], rest = genres.length - LISTED_SHARES;
  const without = missing ? noteWithout(`${plural(missing, 'track')} ${missing === 1 ? 'has' : 'have'} no genre.`, 'genre') : [];
  if (genres.length === 1) return { finding: total === 1 ? `One track has a genre: ${shortened(name, 40)}` : `All ${grouped.format(total)} genres are ${shortened(name, 40)}`, note: without };
  const finding = most / total >= .2 ? `${shortened(name, 40)} is ${fraction(most / total).replace(/^one/, 'one track').replace(/^(two|three|nine)/, '$1 tracks')}${/ in |%/.test(fraction(most / total)) ? '' : ' of the tracks'}` : `${plural(genres.length, 'genre')}; ${shortened(name, 40)} is the largest`;
  const others = rest > 0 ? [`And ${plural(rest, 'smaller genre')}. `] : [];
  return { finding: finding.replace(/(\d%)$/, '$1 of the tracks'), note: [...others, ...without].length ? [...others, ...without] : [''], draw: host => shares(host, 'genre', ['Genre', 'Tracks', 'Share'],
    genres.slice(0, LISTED_SHARES).map(([name, count]) => ({ name, count, value: count / total < .005 ? 'under 1%' : percent(count / total) }))) };
}

function growthChart() {
  const runs = library.runs;
  if (library.first_run || !runs || runs.length < 2) return null;
  const counts = runs.map(run => run[1]), last = counts[counts.length - 1], before = counts[counts.length - 2], first = counts[0];
  const finding = last > before ? `The library grew from ${grouped.format(before)} to ${plural(last, 'track')}${library.run_name ? ` ${library.run_name}` : ''}`
    : last < before ? `The library shrank from ${grouped.format(before)} to ${plural(last, 'track')}`
      : first === last ? `The library holds ${plural(last, 'track')}, as in the last ${runs.length} runs` : `The library went from ${grouped.format(first)} to ${plural(last, 'track')} in ${runs.length} runs`;
  if (counts.every(count => count === last)) return { finding };
  return { finding, note: [`Tracks in the library after each of the last ${runs.length} runs.`], draw: host => growth(host, runs) };
}

function growth(host, runs) {
  const width = host.clientWidth, height = 200, bottom = height - BOTTOM, right = width - 52, left = LEFT + 8;
  const scale = scaleFor(Math.max(...runs.map(run => run[1]))), y = value => bottom - value / scale.top * (bottom - TOP);
  const x = index => left + index / (runs.length - 1) * (right - left), name = run => dayAndMonth.format(Date.parse(run[0]));
  const [lastIndex, last] = [runs.length - 1, runs[runs.length - 1][1]];
  const line = runs.map(([, count], index) => index ? `H${x(index).toFixed(1)}V${y(count).toFixed(1)}` : `M${x(0).toFixed(1)} ${y(count).toFixed(1)}`).join('');
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `From ${plural(runs[0][1], 'track')} on ${name(runs[0])} to ${grouped.format(last)} on ${name(runs[lastIndex])}` },
    gridLines(scale, left, right, y), shape('path', { class: 'curve', d: line }), shape('circle', { class: 'now', cx: x(lastIndex), cy: y(last), r: 4 }),
    label(x(lastIndex) + 9, y(last) + 4, grouped.format(last), { class: 'strong' }), axisNames(right, height, 'Run →', '↑ Tracks in the library'));
  const marks = runs.length > 8 && width > 300 ? [0, Math.floor(lastIndex / 2), lastIndex] : [0, lastIndex];
  for (const index of marks) svg.append(label(x(index), bottom + 15, name(runs[index]), { 'text-anchor': index === 0 ? 'start' : index === lastIndex ? 'end' : 'middle' }));
  host.replaceChildren(svg);
  return () => {};
}

let charts = [];
/** Puts the charts that this report has data for into rows of a grid of twelve. */
function makeCharts() {
  if (trackCount < 3) return; // the table and the panel say more
  const upper = [['bpm', tempoChart, 6], ['key', keyChart, 3], ['loudness', loudnessChart, 3]];
  const lower = [['codec', formatChart], ['genre', genreChart], ['year', yearChart], ['duration', durationChart], [null, growthChart]];
  const made = (name, make, width) => { const chart = name && !hasColumn(name) ? null : make(); return chart && { ...chart, width }; };
  const above = upper.map(item => made(...item)).filter(Boolean), below = lower.map(item => made(...item)).filter(Boolean);
  const drawnAbove = above.filter(chart => chart.draw), drawnBelow = below.filter(chart => chart.draw);
  if (drawnAbove.length < 3) for (const chart of drawnAbove) chart.width = 12 / Math.max(2, drawnAbove.length);
  // Rows of three; two or four remaining charts are set in pairs.
  drawnBelow.forEach((chart, index) => { chart.width = drawnBelow.length - index <= (drawnBelow.length % 3 === 1 ? 4 : drawnBelow.length % 3 === 2 ? 2 : 0) ? 6 : 4; });
  const sentences = [...above, ...below].filter(chart => !chart.draw);
  for (const chart of sentences) chart.width = 4;
  charts = [...drawnAbove, ...drawnBelow, ...sentences];
  for (const chart of charts) {
    chart.host = element('div', { class: 'host' });
    find('#charts').append(element('figure', { class: `chart span-${chart.width}` }, element('h3', { text: chart.finding }),
      chart.note && element('p', { class: 'note' }, chart.note), chart.draw && chart.host));
  }
  find('#glance').hidden = charts.length === 0;
}

function drawCharts() {
  painters.length = 0;
  for (const chart of charts) if (chart.draw) painters.push(chart.draw(chart.host));
  if (hasColumn('bpm')) {
    tempoBins ||= countTempos();
    painters.push(brush(find('#mini'), 150, 28, false));
  }
  for (const paint of painters) paint();
}
