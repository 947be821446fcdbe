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
    const parts = /^(-?[\d.]*?)\.\.(-?[\d.]*)$/.exec(value);
    if (parts) {
      const bounds = [parts[1] === '' ? -Infinity : +parts[1], parts[2] === '' ? Infinity : +parts[2]];
      return bounds.every(known) ? bounds : null;
    }
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
    test(value) { const values = column('bpm');
      return track => values[track] >= value[0] && values[track] <= value[1]; },
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
      return value === 'none' ? track => !known(values[track]) && column('status')[track] !== FAILED : track =>
        values[track] === value;
    },
    chip: value => value === 'none' ? 'No key' : `${camelot(value)} · ${keyName(value)}`
  },
  byRange('lufs', 'loudness',
    ([from, to]) => `${signed(rangeText(from, to, bound => String(bound).replace('-', '−')))} LUFS`, 'No loudness'),
  byEntry('genre', 'genre', 'No genre'),
  byEntry('format', 'codec', 'No format'),
  byRange('year', 'year', ([from, to]) => to === from + 1 ? String(from) : rangeText(from, to - 1, String), 'No year'),
  byRange('length', 'duration', ([from, to]) => rangeText(from, to, clock), 'No length'),
  byRange('rate', 'bit_rate', ([from, to]) => `${rangeText(from, to, bound => grouped.format(bound))} kb/s`,
    'No bit rate'),
  {
    parameter: 'added',
    read(value) {
      const days = value.split('..').map(part => Date.parse(part) / 864e5);
      return days.length === 2 && days.every(known) ? days : null;
    },
    write: value => value.map(days => new Date(days * 864e5).toISOString().slice(0, 10)).join('..'),
    test(value) { const values = column('added');
      return track => values[track] >= value[0] && values[track] <= value[1]; },
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
    chip: value => STATUS[value] ? STATUS[value].name()
      : (library.problems.find(({ code }) => code === value) || { name: 'Unknown status' }).name
  })
];
