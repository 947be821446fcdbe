/* What the panel says about tempo and key: why the confidence is what it is, candidates, and how to correct it */

const RATIOS = [
  [1, 'chosen'], [2, 'twice as fast'], [1 / 2, 'half as fast'], [3, 'three times as fast'], [1 / 3, 'a third'],
  [4, 'four times as fast'], [1 / 4, 'a quarter'], [3 / 2, '3/2 of it'], [2 / 3, '2/3 of it'], [4 / 3, '4/3 of it'],
  [3 / 4, '3/4 of it'], [5 / 4, '5/4 of it'], [4 / 5, '4/5 of it'], [8 / 3, '8/3 of it'], [3 / 8, '3/8 of it']
];
/** How a tempo relates to the chosen one, within 2%; empty if in no simple way. */
function relation(bpm, chosen) {
  const found = RATIOS.find(([ratio]) => Math.abs(bpm / chosen - ratio) < .02 * ratio);
  return found ? found[1] : '';
}

const NO_TEMPO = {
  no_pulse: 'No steady beat was found. Ambient, spoken or very free music often has none.',
  silence: 'The track is silent, so it has no tempo.',
  too_short: 'The track is too short to measure a tempo.'
};

/** Why there is no tempo, or why its confidence is what it is. */
function tempoWords(track) {
  const bpm = column('bpm')[track], confidence = column('confidence')[track];
  if (!hasColumn('bpm') || (!known(bpm) && column('status')[track] === FAILED)) return null;
  if (!known(bpm)) return NO_TEMPO[entry('tempo_reason', track)] || 'No tempo was found.';
  if (hasFlag(track, FLAGS.corrected)) return 'You set this tempo. No analysis overwrites it.';
  return [`${certainty(confidence)}: ${percent(confidence)} confidence.`, doubtWords(track),
    courseWords(track)].filter(Boolean).join(' ');
}

/** What else the tempo could be. */
function doubtWords(track) {
  const bpm = column('bpm')[track], other = column('alternative')[track], share = column('alternative_share')[track];
  if (!known(other)) return null;
  const isSure = column('confidence')[track] >= .9, how = relation(other, bpm),
    isOctave = how === 'twice as fast' || how === 'half as fast';
  if (isSure) return share < .1 ? 'No other tempo comes close.' : null;
  if (isOctave && (share >= .15 || column('octave')[track] < .75)) {
    return `The doubt is in how to count it: ${oneDecimal(bpm)} or ${oneDecimal(other)} BPM (${how}).`;
  }
  return share >= .1 ? `${oneDecimal(other)} BPM has ${percent(share)} of the evidence.`
    : 'No other tempo comes close, but the beat is not clear.';
}

function courseWords(track) {
  if (hasFlag(track, FLAGS.steady)) return 'The tempo is steady from start to end.';
  const map = detail(track).map;
  if (!hasFlag(track, FLAGS.changing)) return null;
  if (!map || map.length < 2) return 'The tempo changes along the way.';
  const tempos = map.map(([, bpm]) => bpm),
    times = { 1: 'once', 2: 'twice' }[map.length - 1] || `${map.length - 1} times`;
  return `The tempo changes ${times}, between ${oneDecimal(Math.min(...tempos))} and ${oneDecimal(Math.max(...tempos))} BPM.`;
}

/** A path as one word of a shell. Bytes that are no text stand in paths as \xHH, which only $'…' can say. */
function shellWord(path) {
  const isPlain = !/[\0-\x1f\x7f]|\\x[0-9A-F]{2}/.test(path);
  if (isPlain) return `'${path.replace(/'/g, "'\\''")}'`;
  const hexadecimal = character => character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  const escaped = path.replace(/\\(?!x[0-9A-F]{2})/g, '\\\\').replace(/'/g, "\\'");
  return `$'${escaped.replace(/[\0-\x1f\x7f]/g, control => `\\x${hexadecimal(control)}`)}'`;
}

function command(text) {
  return element('div', { class: 'command' }, element('code', { text }),
    element('button', { class: 'copy', type: 'button', 'data-copy': text, text: 'Copy' }));
}

/** The report cannot write; it offers the command that does. */
function correction(track) {
  const bpm = column('bpm')[track], other = column('alternative')[track], file = shellWord(path(track));
  if (!hasColumn('bpm') || column('status')[track] >= FAILED) return [];
  const offer = (words, change) =>
    [element('p', { class: 'say small', text: words }), command(`analyze set ${file} ${change}`)];
  if (hasFlag(track, FLAGS.corrected)) return offer('To go back to the analyzed tempo, run this:', '--unset bpm');
  if (!known(bpm)) return offer('If you know the tempo, set it. It survives every later run.', '--bpm 120');
  let change = { 'half as fast': '--half', 'twice as fast': '--double' }[relation(other, bpm)];
  if (!change) change = known(other) ? `--bpm ${oneDecimal(other)}` : bpm > 110 ? '--half' : '--double';
  return offer('Sounds wrong? Run this; --half, --double and --bpm all work. The correction survives every later run.',
    change);
}

const heading = (text, aside) => element('h3', {}, text, aside && element('span', {}, aside));
const shareWords = share => share < .01 ? '<1%' : percent(share);

/** A name, a bar and words; the chosen one stands out. */
function candidate(name, share, words, isChosen) {
  const filled = element('i');
  filled.style.width = `${Math.max(.5, share * 100)}%`;
  return element('div', { class: isChosen ? 'candidate best' : 'candidate' }, element('span', { text: name }),
    element('span', { class: 'track' }, filled), element('span', { text: words }));
}

function tempoCandidates(track) {
  const bpm = column('bpm')[track], other = column('alternative')[track], all = detail(track).candidates;
  if (!known(bpm) || (!all && !known(other))) return [];
  const shown = all ? withOwnTempo(all, bpm).slice(0, 5) : [[other, column('alternative_share')[track]]];
  return [heading(all ? 'Tempo candidates' : 'Next candidate', 'share of the evidence'),
    ...shown.map(([tempo, share]) =>
    candidate(`${oneDecimal(tempo)} BPM`, share ?? 0,
      [share == null ? 'not among the first five' : shareWords(share), relation(tempo, bpm)].filter(Boolean).join(' · '),
      tempo === bpm))];
}

const SHOWN_KEYS = 8;
function keyCandidates(track) {
  const { keys, key_map: changes, tuning } = detail(track), key = column('key')[track],
    confidence = column('key_confidence')[track];
  if (!known(key)) return [];
  const sentences = known(confidence) ? [`${certainty(confidence)}: ${percent(confidence)} confidence.`] : [];
  if (changes && changes.length > 1) {
    const words = changes.slice(0,
      SHOWN_KEYS).map(([start, next]) => `${camelot(next)} from ${clock(start)}`).join(', ');
    sentences.push(`Along the way: ${words}${changes.length > SHOWN_KEYS ? ', and more' : ''}.`);
  }
  if (tuning && Math.abs(tuning - 440) >= 2) sentences.push(`Tuned to ${oneDecimal(tuning)} Hz.`);
  return [heading('Key', `${camelot(key)} · ${keyName(key)}`),
    sentences.length > 0 && element('p', { class: 'say', text: sentences.join(' ') }),
    ...keys && keys.length > 1
      ? keys.map(([next, share]) =>
      candidate(`${camelot(next)} ${keyName(next)}`, share, shareWords(share), next === key)) : []];
}

function tempoMap(track) {
  const map = detail(track).map, duration = column('duration')[track];
  if (!map || map.length < 2) return [];
  const width = panelWidth(), height = 96, left = 34, bottom = height - 16, tempos = map.map(([, bpm]) => bpm);
  const lowest = Math.min(...tempos), highest = Math.max(...tempos),
    end = known(duration) ? duration : map[map.length - 1][0] + 10;
  const low = Math.floor(lowest / 10) * 10 - 5, high = Math.ceil(highest / 10) * 10 + 5,
    every = high - low > 80 ? 40 : high - low > 40 ? 20 : 10;
  const x = seconds => (left + seconds / end * (width - left)).toFixed(1),
    y = bpm => (bottom - (bpm - low) / (high - low) * (bottom - 8)).toFixed(1);
  const svg = shape('svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Tempo between ${oneDecimal(lowest)} and ${oneDecimal(highest)} BPM` });
  for (let bpm = Math.ceil(low / every) * every; bpm <= high; bpm += every) {
    svg.append(shape('line', { x1: left, x2: width, y1: y(bpm), y2: y(bpm), class: 'grid-line' }),
      label(left - 6, +y(bpm) + 4, bpm, { 'text-anchor': 'end' }));
  }
  const steps = map.slice(1).map(([start, bpm]) => `H${x(start)}V${y(bpm)}`).join('');
  svg.append(shape('path', { class: 'curve tempo', d: `M${x(map[0][0])} ${y(map[0][1])}${steps}H${width}` }),
    label(width, height - 2, `BPM over ${clock(end)}`, { 'text-anchor': 'end', class: 'axis-name' }));
  return [heading('Tempo map', plural(map.length, 'segment')), svg];
}
