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
/** The title in the tags, null if there is nothing to see in it. */
const tagTitle = track => { const title = rawTitle(track); return title && title.trim() ? title : null; };
const rawTitle = track => table.columns.title ? table.columns.title[track] : null;
/** The file name; a slash in it stands for the title. */
const fileName = track => {
  const name = table.columns.file[track];
  return name.includes('/') ? name.replace('/', () => rawTitle(track) || '') : name;
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

const SEARCHED_DICTIONARIES = ['artist', 'album', 'genre', 'folder'];
let searchTexts = null, searchIndexes = null;

/** Folds the titles and file names of up to `count` more tracks; whether all are done. */
function prepareSearch(count) {
  if (!searchTexts) {
    searchTexts = [];
    // Artists and other entries of dictionaries are searched once for each name, not once for each track.
    searchIndexes = SEARCHED_DICTIONARIES.map(name => {
      const entries = dictionary(name).map(item => folded(name === 'folder' ? table.root + item : item));
      return { entries, indexes: Uint32Array.from(column(name), index => known(index) ? index : entries.length) };
    });
  }
  const end = Math.min(trackCount, searchTexts.length + count);
  for (let track = searchTexts.length; track < end; track++) searchTexts.push(folded(`${tagTitle(track) || ''}\n${fileName(track)}`));
  return end === trackCount;
}
function prepareSearchWhenIdle() {
  if (!prepareSearch(4000)) whenIdle(prepareSearchWhenIdle);
}

/** Those of the tracks that have this word in one of their texts. */
function withWord(word, tracks) {
  prepareSearch(trackCount);
  const [artist, album, genre, folder] = searchIndexes.map(({ entries, indexes }) => {
    const hits = new Uint8Array(entries.length + 1);
    entries.forEach((item, index) => { if (item.includes(word)) hits[index] = 1; });
    return { hits, indexes };
  });
  const found = new Uint32Array(tracks.length);
  let count = 0;
  for (const track of tracks) {
    if (artist.hits[artist.indexes[track]] || album.hits[album.indexes[track]] || genre.hits[genre.indexes[track]] ||
      folder.hits[folder.indexes[track]] || searchTexts[track].includes(word)) found[count++] = track;
  }
  return found.subarray(0, count);
}

/* Order */

const orders = new Map();
/** All tracks in an order; unknown values last in both directions. Kept, because filtering does not change it. */
function order(id, descending) {
  const name = `${id} ${descending}`;
  if (!orders.has(name)) {
    const tracks = Uint32Array.from({ length: trackCount }, (_, track) => track);
    if (id) {
      const values = tableColumn(id).values(), sign = descending ? -1 : 1;
      tracks.sort((a, b) => {
        const x = values[a], y = values[b];
        if (!known(x) || !known(y)) return known(x) ? -1 : known(y) ? 1 : a - b;
        return (x - y) * sign || a - b;
      });
    }
    orders.set(name, tracks);
  }
  return orders.get(name);
}

let lastResult = null;
/** Finds the tracks to show. A longer query searches only the last result. */
function apply() {
  const active = filters.filter(({ parameter }) => state.values[parameter] != null);
  const values = active.map(({ parameter, write }) => [parameter, write(state.values[parameter])]);
  const restricted = JSON.stringify([values, state.sort, state.descending]), query = folded(state.query);
  const isNarrower = lastResult && lastResult.restricted === restricted && query.startsWith(lastResult.query);
  if (isNarrower) view = lastResult.view;
  else {
    const tests = active.map(filter => filter.test(state.values[filter.parameter])), all = order(state.sort, state.descending);
    view = tests.length ? all.filter(track => tests.every(test => test(track))) : all;
  }
  // The longest word leaves the fewest tracks for the others.
  for (const word of query.split(/[\s/]+/).filter(Boolean).sort((a, b) => b.length - a.length)) view = withWord(word, view);
  lastResult = { restricted, query, view };
  const durations = column('duration');
  viewDuration = 0;
  for (const track of view) if (known(durations[track])) viewDuration += durations[track];
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
  else if (from === 0) to = Math.max(to, Math.min(view.length, 2 * SPARE_ROWS));
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

const tallHeight = () => isPhone.matches ? 230 : 270;
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
    draw: host => brush(host, host.clientWidth, tallHeight(), true) };
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
  return { finding, note: ['Inner ring minor, outer ring major.'], draw: host => wheel(host, counts, most) };
}

/** The Camelot wheel: neighbors mix well. */
function wheel(host, counts, most) {
  const center = [130, 125], largest = Math.max(...counts), total = counts.reduce((sum, count) => sum + count);
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
    if (shown === chosen) name.textContent = keyName(shown);
    else name.textContent = largest > 1 ? `most: ${camelot(shown)}` : 'each once';
    count.textContent = plural(shown === chosen || largest > 1 ? counts[shown] : total, 'track');
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
    parameter: 'lufs', axis: 'Integrated loudness, LUFS', height: tallHeight(),
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
  const head = heading.map((text, index) => element('span', { text, class: index === 1 ? 'count' : index === 3 && 'value' }));
  const buttons = rows.map(row => {
    const bar = element('i');
    bar.style.width = `${row.count / largest * 100}%`;
    const button = element('button', { class: 'share', type: 'button', 'aria-pressed': 'false', title: row.name },
      element('span', { class: 'name tag', text: shortened(row.name, 60) }), element('span', { class: 'count', text: grouped.format(row.count) }), element('span', { class: 'track' }, bar), element('span', { class: 'value', text: row.value }));
    button.onclick = () => toggleFilter(parameter, row.name);
    return button;
  });
  host.replaceChildren(element('div', { class: `shares by-${parameter}` }, element('div', { class: 'share head' }, head), ...buttons));
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
  const note = [lossless && lossy ? `${grouped.format(lossless)} lossless, ${grouped.format(lossy)} lossy.` : '', total >= 200 ? 'Bit rates: the middle 80%.' : ''].filter(Boolean).join(' ');
  return { finding, note: [note], draw: host => shares(host, 'format', ['Format', 'Tracks', '', 'Bit rate, kb/s'],
    codecs.slice(0, LISTED_SHARES).map(([name, count]) => ({ name, count, value: rateText(rates.get(name)) }))) };
}

function genreChart() {
  const genres = counted('genre'), missing = healthyWithout('genre');
  if (!genres.length) return null;
  const total = genres.reduce((sum, [, count]) => sum + count, 0), [name, most] = genres[0], rest = genres.length - LISTED_SHARES;
  const without = missing ? noteWithout(`${plural(missing, 'track')} ${missing === 1 ? 'has' : 'have'} no genre.`, 'genre') : [];
  if (genres.length === 1) return { finding: total === 1 ? `One track has a genre: ${shortened(name, 40)}` : `All ${grouped.format(total)} tracks with a genre are ${shortened(name, 40)}`, note: without };
  const finding = most / total >= .2 ? `${firstUpper(fractionOf(most / total, 'track'))} ${shortened(name, 40)}`
    : `${plural(genres.length, 'genre')}, the largest is ${shortened(name, 40)}`;
  const others = rest > 0 ? [`And ${plural(rest, 'smaller genre')}. `] : [];
  return { finding, note: [...others, ...without], draw: host => shares(host, 'genre', ['Genre', 'Tracks', '', 'Share'],
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
      element('p', { class: 'note' }, chart.note || []), chart.draw && chart.host));
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

/* The panel of one track */

let details = null;
const detail = track => (details ||= takeJSON('details')).tracks[track] || {};

function facts(track) {
  const list = element('dl', { class: 'facts' });
  const fact = (name, value, unit) =>
    list.append(element('div', {}, element('dt', { text: name }), element('dd', {}, value, unit ? element('small', { text: ` ${unit}` }) : null)));
  const bpm = column('bpm')[track], key = column('key')[track], loudness = column('loudness')[track], duration = column('duration')[track];
  if (hasColumn('bpm')) fact('Tempo', known(bpm) ? oneDecimal(bpm) : '–', known(bpm) ? 'BPM' : noTempoWords(track) || '');
  if (hasColumn('key')) fact('Key', known(key) ? camelot(key) : '–', known(key) ? keyName(key) : '');
  if (hasColumn('loudness')) fact('Loudness', known(loudness) ? signed(oneDecimal(loudness)) : '–', known(loudness) ? 'LUFS' : '');
  fact('Length', clock(duration), hasFlag(track, FLAGS.estimated) ? 'estimated' : '');
  return list;
}

const RATIOS = [[1, 'chosen'], [2, 'twice as fast'], [.5, 'half as fast'], [3, 'three times as fast'], [1 / 3, 'a third'], [4, 'four times as fast'], [.25, 'a quarter'],
  [3 / 2, '3/2 of it'], [2 / 3, '2/3 of it'], [4 / 3, '4/3 of it'], [3 / 4, '3/4 of it'], [5 / 4, '5/4 of it'], [4 / 5, '4/5 of it'], [8 / 3, '8/3 of it'], [3 / 8, '3/8 of it']];
const relation = (bpm, chosen) => (RATIOS.find(([ratio]) => Math.abs(bpm / chosen - ratio) < .02 * ratio) || [0, ''])[1];

/** Why there is no tempo, or why its confidence is what it is, in sentences. */
function tempoWords(track) {
  const bpm = column('bpm')[track], confidence = column('confidence')[track], about = detail(track);
  if (!known(bpm)) {
    if (column('status')[track] === FAILED) return [];
    const reason = entry('tempo_reason', track);
    return [{ no_pulse: 'No steady beat was found. Ambient, spoken or very free music often has none.',
      silence: 'The track is silent, so it has no tempo.', too_short: 'The track is too short to measure a tempo.' }[reason] || 'No tempo was found.'];
  }
  if (hasFlag(track, FLAGS.corrected)) return ['You set this tempo. No analysis overwrites it.'];
  const words = [`${certainty(confidence)}: ${percent(confidence)} confidence.`], octave = column('octave')[track];
  const other = column('alternative')[track], otherShare = column('alternative_share')[track], how = relation(other, bpm);
  const isOctave = how === 'twice as fast' || how === 'half as fast';
  if (confidence < .9 && known(other)) {
    const times = `${oneDecimal(bpm)} or ${oneDecimal(other)} BPM`;
    if (isOctave && (otherShare >= .15 || octave < .75)) words.push(`The doubt is in how to count it: ${times} (${how}).`);
    else if (otherShare >= .1) words.push(`${oneDecimal(other)} BPM has ${percent(otherShare)} of the evidence.`);
    else words.push('No other tempo fits better, but the beat is faint or uneven.');
  } else if (known(other) && otherShare < .1) words.push('No other tempo comes close.');
  if (hasFlag(track, FLAGS.steady)) words.push('The tempo is steady from start to end.');
  else if (hasFlag(track, FLAGS.changing)) words.push(tempoChangeWords(about.map));
  return [words.join(' ')];
}
function tempoChangeWords(map) {
  if (!map) return 'The tempo changes along the way.';
  const tempos = map.map(([, bpm]) => bpm), changes = map.length - 1;
  return `The tempo changes ${changes === 1 ? 'once' : changes === 2 ? 'twice' : `${changes} times`}, between ${oneDecimal(Math.min(...tempos))} and ${oneDecimal(Math.max(...tempos))} BPM.`;
}

/** A path as one word of a POSIX shell. Bytes that are no text stand in paths as \xHH, which only $'…' can say. */
function shellWord(path) {
  if (!/[\0-\x1f\x7f]|\\x[0-9A-F]{2}/.test(path)) return `'${path.replace(/'/g, "'\\''")}'`;
  const escaped = path.replace(/\\(?!x[0-9A-F]{2})/g, '\\\\').replace(/'/g, "\\'");
  return `$'${escaped.replace(/[\0-\x1f\x7f]/g, control => `\\x${control.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}'`;
}

function command(text) {
  return element('div', { class: 'command' }, element('code', { text }), element('button', { class: 'copy', type: 'button', 'data-copy': text, text: 'Copy' }));
}

function correction(track) {
  const bpm = column('bpm')[track], file = shellWord(path(track));
  if (hasFlag(track, FLAGS.corrected)) {
    return [element('p', { class: 'say small', text: 'To go back to the analyzed tempo, run this:' }), command(`analyze set ${file} --unset bpm`)];
  }
  if (!known(bpm)) {
    if (column('status')[track] >= FAILED || !hasColumn('bpm')) return [];
    return [element('p', { class: 'say small', text: 'If you know the tempo, set it. It survives every later run.' }), command(`analyze set ${file} --bpm 120`)];
  }
  const other = column('alternative')[track], how = relation(other, bpm);
  const change = { 'half as fast': '--half', 'twice as fast': '--double' }[how] || (known(other) ? `--bpm ${oneDecimal(other)}` : bpm > 110 ? '--half' : '--double');
  return [element('p', { class: 'say small', text: 'Sounds wrong? Run this; --half, --double and --bpm all work. The correction survives every later run.' }), command(`analyze set ${file} ${change}`)];
}

const heading = (text, aside, id) => element('h3', { id }, text, aside ? element('span', {}, aside) : null);
const bar = share => {
  const filled = element('i');
  filled.style.width = `${Math.max(.5, share * 100)}%`;
  return element('span', { class: 'track' }, filled);
};
const shareWords = share => share < .01 ? '<1%' : percent(share);

function tempoCandidates(track) {
  const bpm = column('bpm')[track];
  const all = detail(track).candidates || (known(bpm) && known(column('alternative')[track]) ? [[column('alternative')[track], column('alternative_share')[track]]] : []);
  if (!all.length || !known(bpm)) return [];
  const isComplete = Boolean(detail(track).candidates);
  return [heading(isComplete ? 'Tempo candidates' : 'Next candidate', 'share of the evidence'), ...all.slice(0, 5).map(([candidate, share]) => {
    const isBest = Math.abs(candidate - bpm) < .6, words = [shareWords(share), relation(candidate, bpm)].filter(Boolean).join(' · ');
    return element('div', { class: isBest ? 'candidate best' : 'candidate' }, element('span', { text: `${oneDecimal(candidate)} BPM` }), bar(share), element('span', { text: words }));
  })];
}

function keyCandidates(track) {
  const { keys, key_map: changes, tuning } = detail(track), key = column('key')[track];
  if (!known(key)) return [];
  const confidence = column('key_confidence')[track];
  const sentences = [];
  if (known(confidence)) sentences.push(`${certainty(confidence)}: ${percent(confidence)} confidence.`);
  if (changes && changes.length > 1) sentences.push(`Along the way: ${changes.slice(0, 8).map(([start, changed]) => `${camelot(changed)} from ${clock(start)}`).join(', ')}${changes.length > 8 ? ', and more' : ''}.`);
  if (tuning && Math.abs(tuning - 440) >= 2) sentences.push(`Tuned to ${oneDecimal(tuning)} Hz.`);
  const rows = keys && keys.length > 1 ? keys.map(([candidate, share]) => element('div', { class: candidate === key ? 'candidate best' : 'candidate' },
    element('span', { text: `${camelot(candidate)} ${keyName(candidate)}` }), bar(share), element('span', { text: shareWords(share) }))) : [];
  return [heading('Key', `${camelot(key)} · ${keyName(key)}`), sentences.length > 0 && element('p', { class: 'say', text: sentences.join(' ') }), ...rows];
}

function pairs(rows) {
  const list = element('dl', { class: 'pairs' });
  for (const [name, value] of rows) if (value != null && value !== '') list.append(element('dt', { text: name }), element('dd', { class: 'tag', text: shortened(String(value), 600) }));
  return list.childElementCount ? list : null;
}

const measured = (name, track, show) => { const value = column(name)[track]; return known(value) ? show(value) : null; };

function soundFacts(track) {
  const list = pairs([
    ['True peak', measured('true_peak', track, peak => `${signed(oneDecimal(peak))} dBTP${peak > 0 ? ', above full scale' : ''}`)],
    ['Range', measured('range', track, range => `${oneDecimal(range)} LU`)],
    ['Energy', measured('energy', track, percent)], ['Danceability', measured('danceability', track, percent)],
    ['Speech', measured('speechiness', track, percent)], ...cueRows(detail(track).cues || {})]);
  return list ? [heading('Sound'), list] : [];
}

function cueRows(cues) {
  const [lead, trail] = cues.silence || [0, 0], [fadeIn, fadeOut] = cues.fade || [0, 0];
  return [['First beat', cues.first_beat != null ? `${cues.first_beat.toFixed(2)} s` : null], ['Intro ends', cues.intro_end ? clock(cues.intro_end) : null],
    ['Outro starts', cues.outro_start != null ? clock(cues.outro_start) : null], ['Highlight', cues.highlight ? `${clock(cues.highlight[0])} to ${clock(cues.highlight[1])}` : null],
    ['Silence', lead >= .5 || trail >= .5 ? [lead >= .5 && `${oneDecimal(lead)} s at the start`, trail >= .5 && `${oneDecimal(trail)} s at the end`].filter(Boolean).join(', ') : null],
    ['Fades', fadeIn || fadeOut ? [fadeIn && `in over ${oneDecimal(fadeIn)} s`, fadeOut && `out over ${oneDecimal(fadeOut)} s`].filter(Boolean).join(', ') : null]];
}

/* Neighbors are looked for when a panel opens; a comparison with 100,000 tracks takes milliseconds. */

let soundVectors = null;
/** Signed bytes, `width` for each track; the first is −128 where there are none. */
function sounds() {
  if (!soundVectors) {
    const { width, data } = table.columns.sound;
    soundVectors = { width, numbers: new Int8Array(bytesOf(data).buffer), lengths: new Float64Array(trackCount) };
    for (let track = 0; track < trackCount; track++) {
      let sum = 0;
      for (let k = track * width; k < (track + 1) * width; k++) sum += soundVectors.numbers[k] ** 2;
      soundVectors.lengths[track] = Math.sqrt(sum);
    }
    table.columns.sound = null;
  }
  return soundVectors;
}

/** The cosine of two tracks' sounds, or NaN. */
function likeness(a, b) {
  const { width, numbers, lengths } = sounds();
  if (numbers[a * width] === -128 || numbers[b * width] === -128 || !lengths[a] || !lengths[b]) return NaN;
  let sum = 0;
  for (let k = 0; k < width; k++) sum += numbers[a * width + k] * numbers[b * width + k];
  return sum / lengths[a] / lengths[b];
}

/** The tracks with the least distance, without further copies of a recording. */
function nearest(track, distance, count = 6) {
  const best = [];
  for (let other = 0; other < trackCount; other++) {
    if (other === track) continue;
    const far = distance(other);
    if (!known(far) || (best.length === 3 * count && far >= best[best.length - 1][0])) continue;
    const place = best.findIndex(([worse]) => far < worse);
    best.splice(place < 0 ? best.length : place, 0, [far, other]);
    if (best.length > 3 * count) best.pop();
  }
  const names = new Set([copyName(track)]), kept = [];
  for (const [, other] of best) {
    if (names.has(copyName(other))) continue;
    names.add(copyName(other));
    kept.push(other);
  }
  return kept.slice(0, count);
}
const copyName = track => folded(`${trackName(track)}\n${entry('artist', track) || ''}`);

const soundNeighbors = track => hasColumn('sound') ? nearest(track, other => -likeness(track, other)) : [];

/** How far keys are apart for a mix: 0 the same or relative key, up to 1. */
function keyDistance(a, b) {
  const steps = Math.abs((a >> 1) - (b >> 1)), around = Math.min(steps, 12 - steps);
  if ((a & 1) === (b & 1)) return around === 0 ? 0 : around === 1 ? .15 : 1;
  return around === 0 ? .15 : 1;
}

/** Tracks within 4% of the tempo, or of half or twice of it, in a key that goes with this one. */
function mixNeighbors(track) {
  const tempos = column('bpm'), confidences = column('confidence'), keys = column('key'), bpm = tempos[track], hasSounds = hasColumn('sound');
  if (!known(bpm)) return [];
  return nearest(track, other => {
    if (!known(tempos[other]) || confidences[other] < .5) return NaN;
    const ratio = tempos[other] / bpm, off = Math.min(Math.abs(ratio - 1), Math.abs(ratio * 2 - 1) + .01, Math.abs(ratio / 2 - 1) + .01);
    if (off > .04) return NaN;
    const keyOff = known(keys[track]) && known(keys[other]) ? keyDistance(keys[track], keys[other]) : .6;
    if (keyOff === 1) return NaN;
    return off + keyOff * .03 - (hasSounds ? .01 * (likeness(track, other) || 0) : 0);
  });
}

function neighborList(title, aside, tracks) {
  if (!tracks.length) return [];
  const rows = tracks.map(track => {
    const artist = entry('artist', track);
    return element('li', {}, element('button', { type: 'button', 'data-open': track },
      element('span', { class: 'tag', text: shortened(artist ? `${trackName(track)} · ${artist}` : trackName(track), 120) }),
      element('span', { class: 'num', text: measured('bpm', track, bpm => `${oneDecimal(bpm)}`) || '–' }), element('span', { class: 'num', text: measured('key', track, camelot) || '–' })));
  });
  return [heading(title, aside), element('ul', { class: 'neighbors' }, rows)];
}

function warnings(track) {
  const about = detail(track), found = problem(track), status = column('status')[track];
  const nodes = [];
  const words = about.problem || (found && { what: found.what, do: found.do });
  if (status !== OK && words) {
    const start = status === FAILED ? 'Failed.' : status === DAMAGED ? 'Damaged.' : 'Not analyzed.';
    nodes.push(element('p', { class: 'warning' }, element('b', { text: start }), ` ${words.what} ${words.do || ''}`));
  }
  if (about.remarks || about.findings) nodes.push(...[...about.remarks || [], ...about.findings || []].map(text => element('p', { class: 'say small', text })));
  return nodes;
}

function tagFacts(track) {
  const list = pairs([['Title', tagTitle(track)], ['Artist', entry('artist', track)], ['Album', entry('album', track)], ['Genre', entry('genre', track)],
    ['Year', measured('year', track, String)], ...(detail(track).tags || [])]);
  return [heading('Tags'), list || element('p', { class: 'say', text: 'This file has no tags.' })];
}

function fileFacts(track) {
  const about = detail(track), full = path(track), codec = entry('codec', track), channels = column('channels')[track];
  const quality = hasFlag(track, FLAGS.lossless) ? ', lossless' : hasFlag(track, FLAGS.lossy) ? ', lossy' : '';
  const depth = measured('bit_depth', track, bits => `, ${bits} bit`) || '';
  return [heading('File', element('button', { class: 'copy', type: 'button', 'data-copy': full, text: 'Copy path' })), element('p', {}, element('code', { class: 'path', text: full })),
    pairs([['Format', codec && codec + quality], ['Bit rate', measured('bit_rate', track, rate => `${grouped.format(rate)} kb/s`)],
      ['Sample rate', measured('sample_rate', track, rate => `${rate / 1000} kHz${depth}`)], ['Channels', known(channels) ? { 1: 'mono', 2: 'stereo' }[channels] || channels : null],
      ['Size', about.size != null && about.size < 1e6 ? plural(about.size, 'byte') : measured('size', track, size)], ['Claimed length', about.claimed && clock(about.claimed)],
      ['Modified', measured('modified', track, date)], ['Added', measured('added', track, date)]])];
}

let focusBefore = null, drawStrips = null;
function openPanel(track, fromUser) {
  if (openTrack < 0 && fromUser) focusBefore = document.activeElement;
  openTrack = track;
  const about = detail(track), by = [entry('artist', track), entry('album', track), measured('year', track, String)].filter(Boolean).map(part => shortened(part, 200));
  const envelope = about.onsets ? bytesOf(about.onsets[1]) : null;
  const strips = makeStrips(track, about, envelope);
  find('#panel-body').replaceChildren(...[
    element('div', { class: 'panel-head' }, envelope && print(envelope, 64), element('div', {}, element('h2', { id: 'panel-title', class: 'tag', text: shortened(trackName(track), 300) }),
      element('p', { class: 'by tag', text: by.join(' · ') || 'No artist or album in the tags' }))),
    warnings(track), column('status')[track] < FAILED ? facts(track) : null,
    hasColumn('bpm') ? tempoWords(track).map(text => element('p', { class: 'say', text })) : null,
    strips.nodes, about.map && about.map.length > 1 ? [heading('Tempo map', plural(about.map.length, 'segment')), tempoMap(about.map, column('duration')[track])] : null,
    tempoCandidates(track), correction(track), keyCandidates(track), neighborList('Sounds like', hasColumn('bpm') ? 'BPM and key' : null, soundNeighbors(track)),
    neighborList('Mixes well with', 'close in tempo and key', mixNeighbors(track)), soundFacts(track), tagFacts(track), fileFacts(track)].flat(2).filter(Boolean));
  const panel = find('#panel');
  panel.hidden = false;
  panel.scrollTop = 0;
  panel.setAttribute('aria-modal', isPhone.matches);
  find('#page').inert = isPhone.matches;
  document.body.classList.add('has-panel');
  drawStrips = strips.draw;
  if (drawStrips) drawStrips();
  current = view.indexOf(track);
  paintPlace();
  paintRows(true);
  writeAddress();
  if (fromUser) find('#panel-close').focus({ preventScroll: true });
}

function paintPlace() {
  const place = openTrack >= 0 ? view.indexOf(openTrack) : -1;
  find('#panel-place').textContent = place >= 0 ? `${grouped.format(place + 1)} of ${grouped.format(view.length)}` : 'not in the list below';
  find('#panel-previous').disabled = find('#panel-next').disabled = !view.length;
}

function closePanel() {
  const track = openTrack;
  openTrack = -1;
  drawStrips = null;
  find('#panel').hidden = true;
  find('#page').inert = false;
  document.body.classList.remove('has-panel');
  current = view.indexOf(track);
  paintRows(true);
  writeAddress();
  const row = find(`#rows [data-position="${current}"]`), opener = focusBefore && focusBefore.isConnected && focusBefore !== document.body ? focusBefore : null;
  const target = opener && !opener.closest('#rows') ? opener : row || find('#q');
  target.focus({ preventScroll: true });
  focusBefore = null;
}

/** To the track above or below in the list. */
function step(by) {
  if (!view.length) return;
  const place = view.indexOf(openTrack);
  const next = place < 0 ? 0 : Math.max(0, Math.min(view.length - 1, place + by));
  openPanel(view[next], false);
  scrollRowIntoView();
}
function scrollRowIntoView() {
  if (isPhone.matches || current < 0) return;
  const top = find('#rows').getBoundingClientRect().top + current * rowHeight(), above = find('#tools').offsetHeight + 33;
  if (top < above) scrollBy(0, top - above);
  else if (top + rowHeight() > innerHeight) scrollBy(0, top + rowHeight() - innerHeight);
}

/** The print, in place of cover art: the onset envelope around a circle, from its 4th to its 96th percentile. */
function print(envelope, diameter) {
  const count = diameter > 60 ? 120 : 36, spokes = new Float64Array(count);
  for (let spoke = 0; spoke < count; spoke++) {
    const from = Math.floor(spoke / count * envelope.length), to = Math.max(from + 1, Math.floor((spoke + 1) / count * envelope.length));
    for (let k = from; k < to; k++) spokes[spoke] += (envelope[k] || 0) / (to - from);
  }
  const sorted = spokes.slice().sort(), low = sorted[Math.floor(count * .04)], room = sorted[Math.floor(count * .96)] - low || 1;
  let d = '';
  spokes.forEach((strength, spoke) => {
    const angle = spoke / count * 2 * Math.PI - Math.PI / 2, outer = 22 + 27 * Math.max(0, Math.min(1, (strength - low) / room));
    const at = radius => `${(50 + radius * Math.cos(angle)).toFixed(1)} ${(50 + radius * Math.sin(angle)).toFixed(1)}`;
    d += `M${at(20)}L${at(outer)}`;
  });
  return shape('svg', { class: 'print', viewBox: '0 0 100 100', width: diameter, height: diameter, 'aria-hidden': 'true' },
    shape('path', { d, 'stroke-width': diameter > 60 ? 1.3 : 2.8 }));
}

const SHOWN_PRINTS = 24;
function paintPrints() {
  for (const host of document.querySelectorAll('[data-prints]')) {
    for (const track of host.dataset.prints.split(',').filter(Boolean).map(Number).slice(0, SHOWN_PRINTS)) {
      const { onsets } = detail(track);
      if (!onsets) continue;
      const name = shortened(trackName(track), 120);
      host.append(element('button', { type: 'button', 'data-open': track, title: name, 'aria-label': `Open ${name}` }, print(bytesOf(onsets[1]), 30)));
    }
  }
}

function tempoMap(map, duration) {
  const width = find('#panel').clientWidth ? Math.min(480, innerWidth) - (isPhone.matches ? 32 : 48) : 432, height = 96, left = 34, bottom = height - 16;
  const tempos = map.map(([, bpm]) => bpm), lowest = Math.min(...tempos), highest = Math.max(...tempos);
  const low = Math.floor(lowest / 10) * 10 - 5, high = Math.ceil(highest / 10) * 10 + 5, end = known(duration) ? duration : map[map.length - 1][0] + 10;
  const x = seconds => left + seconds / end * (width - left), y = bpm => bottom - (bpm - low) / (high - low) * (bottom - 8);
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Tempo between ${oneDecimal(lowest)} and ${oneDecimal(highest)} BPM` });
  const every = high - low > 80 ? 40 : high - low > 40 ? 20 : 10;
  for (let bpm = Math.ceil(low / every) * every; bpm <= high; bpm += every) {
    svg.append(shape('line', { x1: left, x2: width, y1: y(bpm), y2: y(bpm), class: 'grid-line' }), label(left - 6, y(bpm) + 4, bpm, { 'text-anchor': 'end' }));
  }
  const line = map.map(([start, bpm], index) => index ? `H${x(start).toFixed(1)}V${y(bpm).toFixed(1)}` : `M${x(start).toFixed(1)} ${y(bpm).toFixed(1)}`).join('');
  svg.append(shape('path', { class: 'curve tempo', d: `${line}H${width}` }), label(width, height - 2, `BPM over ${clock(end)}`, { 'text-anchor': 'end', class: 'axis-name' }));
  return svg;
}

/* Strips: the whole track, and a close-up of some seconds with its beats */

function beatTimes({ beats }) {
  if (!beats) return [];
  const [first, interval, data] = beats, bytes = bytesOf(data), times = [first / 1000];
  let time = first;
  for (let i = 0; i < bytes.length; i += interval ? 1 : 2) {
    time += interval ? interval + bytes[i] - 128 : bytes[i] + 256 * bytes[i + 1];
    times.push(time / 1000);
  }
  return times;
}

/** Which beats are downbeats. */
function downbeatFlags({ downbeats }, count) {
  if (!downbeats) return null;
  const bits = bytesOf(downbeats);
  return Array.from({ length: count }, (_, beat) => (bits[beat >> 3] >> (beat & 7) & 1) === 1);
}

const CLOSE_UP = 12;
function makeStrips(track, about, envelope) {
  const duration = column('duration')[track];
  if (!envelope || !known(duration) || duration <= 0) {
    if (!hasColumn('bpm') || column('status')[track] >= FAILED) return { nodes: [], draw: null };
    return { nodes: [heading('Waveform and beats'), element('p', { class: 'say', text: 'They are not in this report, to keep it small. This prints everything known about the track:' }), command(`analyze show --json ${shellWord(path(track))}`)], draw: null };
  }
  const beats = beatTimes(about), downbeats = downbeatFlags(about, beats.length), wave = about.wave ? about.wave.map(bytesOf) : null;
  const overview = element('canvas', { class: 'overview', role: 'img', 'aria-label': wave ? 'Waveform of the whole track' : 'Onset strength over the whole track' });
  const seconds = Math.min(CLOSE_UP, duration);
  const closeUp = element('canvas', { class: 'closeup', tabindex: 0, role: 'slider', 'aria-label': 'Position of the close-up', 'aria-valuemin': 0, 'aria-valuemax': Math.round(duration - seconds) });
  const [from, to] = [element('span'), element('span')];
  const aside = [beats.length ? plural(beats.length, 'beat') : '', about.meter].filter(Boolean).join(' · ');
  const legend = downbeats ? 'Beats; tall lines are bar starts' : beats.length ? 'Beats; bar starts are unsure, so not drawn' : 'Onsets; no beats';
  const strip = { track, duration, seconds, start: Math.min(Math.max(0, about.cues && about.cues.highlight ? about.cues.highlight[0] : duration * .3), duration - seconds),
    step: about.onsets[0], envelope, loudest: Math.max(1, ...envelope), beats, downbeats, wave, sections: about.sections || [], overview, closeUp, from, to };
  steer(strip);
  const caption = wave ? strip.sections.length > 1 ? 'Whole track and its sections' : 'Whole track' : 'Whole track, onset strength';
  return { draw: () => draw(strip), nodes: [heading('Waveform and beats', aside), overview, element('div', { class: 'caption' }, element('span', { text: '0:00' }), element('span', { text: caption }), element('span', { text: clock(duration) })),
    closeUp, element('div', { class: 'caption' }, from, element('span', { text: legend }), to)] };
}

function steer(strip) {
  const { overview, closeUp, duration, seconds } = strip;
  const moveTo = start => { strip.start = Math.max(0, Math.min(duration - seconds, start)); draw(strip); };
  const toPointer = event => moveTo((event.clientX - overview.getBoundingClientRect().left) / overview.clientWidth * duration - seconds / 2);
  drag(overview, event => { toPointer(event); return toPointer; });
  drag(closeUp, event => {
    const x = event.clientX, start = strip.start;
    return moved => moveTo(start - (moved.clientX - x) / closeUp.clientWidth * seconds);
  });
  closeUp.addEventListener('keydown', event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -seconds, PageDown: seconds, Home: -Infinity, End: Infinity }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(strip.start + by);
  });
}

/** A canvas at the screen's resolution, and the colors of the theme, which canvases do not know by name. */
function prepare(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext('2d');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  return { context, width, height };
}
function themeColors() {
  const probe = element('span');
  document.body.append(probe);
  const color = name => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const colors = { bar: color('bar'), faint: color('bar-2'), accent: color('accent-fill'), text: color('text-3'), line: color('line-2') };
  probe.remove();
  return colors;
}

function draw(strip) {
  if (!strip.overview.isConnected) return;
  const colors = themeColors();
  drawOverview(strip, colors);
  drawCloseUp(strip, colors);
  strip.from.textContent = clock(strip.start);
  strip.to.textContent = clock(strip.start + strip.seconds);
  strip.closeUp.setAttribute('aria-valuenow', Math.round(strip.start));
  strip.closeUp.setAttribute('aria-valuetext', `${clock(strip.start)} to ${clock(strip.start + strip.seconds)}`);
}

/** Mirrored peaks and levels, or the onset strength; what the close-up shows is in the accent color. */
function drawOverview({ overview, duration, start, seconds, wave, envelope, sections }, colors) {
  const { context, width, height } = prepare(overview), count = Math.floor(width / 3), hasSections = sections.length > 1;
  const room = height - (hasSections ? 16 : 4), middle = room / 2;
  const largest = (values, index) => {
    const from = Math.floor(index / count * values.length), to = Math.max(from + 1, Math.floor((index + 1) / count * values.length));
    let most = 0;
    for (let k = from; k < to; k++) most = Math.max(most, values[k] || 0);
    return most / 255;
  };
  for (let index = 0; index < count; index++) {
    const at = index / count * duration, isInside = at >= start - duration / count && at <= start + seconds;
    if (wave) {
      const peak = Math.max(1, largest(wave[0], index) * room), level = Math.max(1, largest(wave[1], index) * room);
      context.fillStyle = isInside ? colors.accent : colors.faint;
      context.globalAlpha = isInside ? .5 : 1;
      context.fillRect(index * 3, middle - peak / 2, 2, peak);
      context.globalAlpha = 1;
      context.fillStyle = isInside ? colors.accent : colors.bar;
      context.fillRect(index * 3, middle - level / 2, 2, level);
    } else {
      const tall = Math.max(1, largest(envelope, index) * room);
      context.fillStyle = isInside ? colors.accent : colors.bar;
      context.fillRect(index * 3, room - tall, 2, tall);
    }
  }
  context.fillStyle = colors.accent;
  context.fillRect(start / duration * width, room, Math.max(3, seconds / duration * width), 1.5);
  if (hasSections) drawSections(context, sections, duration, width, height, colors);
}

function drawSections(context, sections, duration, width, height, colors) {
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  let free = 0;
  for (const [start, name] of sections) {
    const x = start / duration * width;
    context.fillStyle = colors.line;
    context.fillRect(x, height - 13, 1, 13);
    if (x < free) continue;
    context.fillStyle = colors.text;
    context.fillText(name, x + 4, height - 3);
    free = x + 8 + context.measureText(name).width;
  }
}

function drawCloseUp({ closeUp, start, seconds, step, envelope, loudest, beats, downbeats }, colors) {
  const { context, width, height } = prepare(closeUp), bottom = height - 18, x = time => (time - start) / seconds * width;
  // Onsets between two values follow a smooth curve; fine ones are drawn as they are.
  const strength = time => {
    const place = time / step, index = Math.floor(place), part = place - index, eased = part * part * (3 - 2 * part);
    return ((envelope[index] || 0) * (1 - eased) + (envelope[index + 1] ?? envelope[index] ?? 0) * eased) / loudest;
  };
  context.beginPath();
  context.moveTo(0, bottom);
  for (let i = 0; i <= width; i++) context.lineTo(i, bottom - strength(start + i / width * seconds) * (bottom - 26));
  context.lineTo(width, bottom);
  context.globalAlpha = .55;
  context.fillStyle = colors.bar;
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = colors.line;
  context.fillRect(0, bottom, width, 1);
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = 'center';
  let bars = 0, free = 0;
  beats.forEach((time, beat) => {
    const isDownbeat = downbeats && downbeats[beat];
    if (isDownbeat) bars++;
    if (time < start || time > start + seconds) return;
    context.fillStyle = isDownbeat || !downbeats ? colors.accent : colors.text;
    if (isDownbeat) context.fillRect(x(time) - .75, 4, 1.5, bottom - 4);
    else context.fillRect(x(time) - .5, downbeats ? bottom - 16 : 4, 1, downbeats ? 16 : 14);
    if (isDownbeat && x(time) - free > 24 && x(time) < width - 16) {
      context.fillStyle = colors.text;
      context.fillText(`bar ${bars}`, Math.max(18, x(time)), height - 4);
      free = x(time) + 20;
    }
  });
  if (downbeats) return;
  context.fillStyle = colors.text;
  for (let time = Math.ceil(start); time < start + seconds; time += 3) context.fillText(clock(time), Math.max(14, Math.min(width - 14, x(time))), height - 4);
}

/* Theme, keyboard and start */

const THEMES = ['auto', 'light', 'dark'];
function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  find('#theme').textContent = `Theme: ${theme}`;
  if (drawStrips) drawStrips();
}
function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || 'auto') + 1) % THEMES.length];
  setTheme(theme);
  remember('theme', theme === 'auto' ? null : theme);
}

let toastTimer = 0;
async function copy(text) {
  let words = 'Copied';
  try { await navigator.clipboard.writeText(text); } catch { words = copyBySelection(text) ? 'Copied' : 'Not copied: select the text and copy it'; }
  const toast = find('#toast');
  toast.textContent = words;
  toast.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove('on'), 1800);
}
/** For pages from files, where some browsers have no clipboard. */
function copyBySelection(text) {
  const field = element('textarea', { class: 'sr' });
  field.value = text;
  document.body.append(field);
  const before = document.activeElement;
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before) before.focus({ preventScroll: true });
  return done;
}

const showTracks = () => find('#tracks').scrollIntoView();

/** Shows exactly the tracks of a fragment, as links of the causes and new folders do. */
function showFragment(fragment) {
  const columns = state.columns;
  readState(fragment);
  state.columns = columns;
  find('#q').value = state.query;
  paintHead();
  apply();
  syncControls();
  showTracks();
}

function onClick(event) {
  const target = event.target.closest('[data-copy], [data-show], [data-open]');
  if (!target) return;
  if (target.dataset.copy != null) copy(target.dataset.copy);
  else if (target.dataset.show != null) showFragment(target.dataset.show);
  else openPanel(+target.dataset.open, true);
}

function onKey(event) {
  const target = event.target, isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName), search = find('#q'), menu = find('#columns-menu');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !isTyping && !isModal()) {
    event.preventDefault();
    showTracks();
    search.focus({ preventScroll: true });
    search.select();
  } else if (event.key === 'Escape') {
    if (menu && menu.open) { menu.open = false; menu.querySelector('summary').focus(); }
    else if (openTrack >= 0) closePanel();
    else if (target === search && search.value) { search.value = state.query = ''; apply(); }
    else if (target === search) search.blur();
  } else if (event.key === 'Tab' && isModal()) keepFocusInPanel(event);
  else if (target === search && (event.key === 'Enter' || event.key === 'ArrowDown')) { event.preventDefault(); goTo(0); }
  else if (target.closest && target.closest('#rows tr')) onRowKey(event);
  else if (find('#panel').contains(target) && target.tagName !== 'CANVAS' && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    step(event.key === 'ArrowDown' ? 1 : -1);
  }
}

function onRowKey(event) {
  const position = +event.target.closest('tr').dataset.position, page = Math.max(1, Math.floor(innerHeight / rowHeight()) - 3);
  const next = { ArrowDown: position + 1, ArrowUp: position - 1, PageDown: position + page, PageUp: Math.max(0, position - page), Home: 0, End: view.length - 1 }[event.key];
  if (next != null) {
    event.preventDefault();
    if (next < 0) { find('#q').focus(); return; }
    goTo(next);
    if (openTrack >= 0) { openPanel(view[current], false); focusRow(false); }
  } else if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    openPanel(view[position], true);
  }
}

const isModal = () => openTrack >= 0 && isPhone.matches;
function keepFocusInPanel(event) {
  const stops = [...find('#panel').querySelectorAll('button:not([disabled]), [tabindex="0"]')], first = stops[0], last = stops[stops.length - 1];
  const next = event.shiftKey && document.activeElement === first ? last : !event.shiftKey && document.activeElement === last ? first : null;
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function trackOf(wanted) {
  const name = wanted.slice(wanted.lastIndexOf('/') + 1);
  for (let track = 0; track < trackCount; track++) if (path(track) === wanted && name) return track;
  return -1;
}

/** Sets everything from the address: at the start, and when somebody edits it. */
function showAddress() {
  const fragment = location.hash.slice(1);
  if (fragment && !fragment.includes('=')) return; // a place on the page
  const wanted = readState(fragment);
  find('#q').value = state.query;
  chooseColumns();
  paintColumnMenu();
  apply();
  syncControls();
  if (wanted) {
    const track = trackOf(wanted);
    if (track >= 0) { openPanel(track, true); scrollRowIntoView(); }
  } else if (openTrack >= 0) closePanel();
  if (fragment) showTracks();
}

function listen() {
  document.addEventListener('click', onClick);
  document.addEventListener('keydown', onKey);
  find('#q').addEventListener('input', event => { state.query = event.target.value; apply(); });
  find('#rows').addEventListener('click', event => {
    const row = event.target.closest('tr.row');
    if (row && !String(getSelection())) openPanel(view[+row.dataset.position], true);
  });
  find('#rows').addEventListener('focusin', event => { const row = event.target.closest('tr.row'); if (row) current = +row.dataset.position; });
  find('#theme').addEventListener('click', nextTheme);
  find('#panel-close').addEventListener('click', closePanel);
  find('#scrim').addEventListener('click', closePanel);
  find('#panel-previous').addEventListener('click', () => step(-1));
  find('#panel-next').addEventListener('click', () => step(1));
  addEventListener('hashchange', showAddress);
  let frame = 0;
  const paintSoon = () => { frame ||= requestAnimationFrame(() => { frame = 0; paintRows(false); }); };
  addEventListener('scroll', paintSoon, { passive: true });
  addEventListener('resize', paintSoon);
  addEventListener('beforeprint', () => { isPrinting = true; chooseColumns(); paintRows(true); });
  addEventListener('afterprint', () => { isPrinting = false; chooseColumns(); paintRows(true); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (drawStrips) drawStrips(); });
}

/** Redraws what depends on the width of the window. */
function watchSizes() {
  let chartWidth = 0, tableWidth = 0;
  new ResizeObserver(() => {
    const width = find('#charts').clientWidth, room = find('#tracks').clientWidth;
    if (width !== chartWidth) { chartWidth = width; drawCharts(); if (drawStrips) drawStrips(); }
    if (room !== tableWidth) { tableWidth = room; chooseColumns(); paintColumnMenu(); paintRows(true); }
  }).observe(find('#tracks'));
  new ResizeObserver(() => document.documentElement.style.setProperty('--tools-height', `${find('#tools').offsetHeight - 1}px`)).observe(find('#tools'));
  isPhone.addEventListener('change', () => { chooseColumns(); paintRows(true); });
}

const whenIdle = window.requestIdleCallback ? work => requestIdleCallback(work, { timeout: 1000 }) : work => setTimeout(work, 50);

function start() {
  library = takeJSON('library');
  table = takeJSON('columns');
  trackCount = table.rows;
  for (const node of document.querySelectorAll('.copy, .link, #theme, #tracks')) node.hidden = false;
  const columns = remembered('columns');
  if (columns) state.columns = columns.split(',').filter(isTableColumn);
  makeFilters();
  makeCharts();
  listen();
  showAddress();
  watchSizes();
  whenIdle(() => { paintPrints(); prepareSearchWhenIdle(); });
}

setTheme(THEMES.includes(remembered('theme')) ? remembered('theme') : 'auto');
// The markup is painted before the data is read.
requestAnimationFrame(() => setTimeout(start));
