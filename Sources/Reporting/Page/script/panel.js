/* The panel of one track */

let details = null;
const detail = track => (details ||= takeJSON('details')).tracks[track] || {};

function facts(track) {
  const list = element('dl', { class: 'facts' });
  const fact = (name, value, unit) =>
    list.append(element('div', {}, element('dt', { text: name }),
      element('dd', {}, value, unit ? element('small', { text: ` ${unit}` }) : null)));
  const bpm = column('bpm')[track], key = column('key')[track], loudness = column('loudness')[track],
    duration = column('duration')[track];
  if (hasColumn('bpm')) fact('Tempo', known(bpm) ? oneDecimal(bpm) : '–',
    known(bpm) ? 'BPM' : noTempoWords(track) || '');
  if (hasColumn('key')) fact('Key', known(key) ? camelot(key) : '–', known(key) ? keyName(key) : '');
  if (hasColumn('loudness')) fact('Loudness', known(loudness) ? signed(oneDecimal(loudness)) : '–',
    known(loudness) ? 'LUFS' : '');
  fact('Length', clock(duration), hasFlag(track, FLAGS.estimated) ? 'estimated' : '');
  return list;
}

const RATIOS = [[1, 'chosen'], [2, 'twice as fast'], [.5, 'half as fast'], [3, 'three times as fast'],
  [1 / 3, 'a third'], [4, 'four times as fast'], [.25, 'a quarter'],
  [3 / 2, '3/2 of it'], [2 / 3, '2/3 of it'], [4 / 3, '4/3 of it'], [3 / 4, '3/4 of it'], [5 / 4, '5/4 of it'],
    [4 / 5, '4/5 of it'], [8 / 3, '8/3 of it'], [3 / 8, '3/8 of it']];
const relation = (bpm, chosen) =>
  (RATIOS.find(([ratio]) => Math.abs(bpm / chosen - ratio) < .02 * ratio) || [0, ''])[1];

/** Why there is no tempo, or why its confidence is what it is, in sentences. */
function tempoWords(track) {
  const bpm = column('bpm')[track], confidence = column('confidence')[track], about = detail(track);
  if (!known(bpm)) {
    if (column('status')[track] === FAILED) return [];
    const reason = entry('tempo_reason', track);
    return [{ no_pulse: 'No steady beat was found. Ambient, spoken or very free music often has none.',
      silence: 'The track is silent, so it has no tempo.',
        too_short: 'The track is too short to measure a tempo.' }[reason] || 'No tempo was found.'];
  }
  if (hasFlag(track, FLAGS.corrected)) return ['You set this tempo. No analysis overwrites it.'];
  const words = [`${certainty(confidence)}: ${percent(confidence)} confidence.`], octave = column('octave')[track];
  const other = column('alternative')[track], otherShare = column('alternative_share')[track],
    how = relation(other, bpm);
  const isOctave = how === 'twice as fast' || how === 'half as fast';
  if (confidence < .9 && known(other)) {
    const times = `${oneDecimal(bpm)} or ${oneDecimal(other)} BPM`;
    if (isOctave && (otherShare >= .15 || octave < .75)) words.push(
      `The doubt is in how to count it: ${times} (${how}).`);
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
  return element('div', { class: 'command' }, element('code', { text }),
    element('button', { class: 'copy', type: 'button', 'data-copy': text, text: 'Copy' }));
}

function correction(track) {
  const bpm = column('bpm')[track], file = shellWord(path(track));
  if (hasFlag(track, FLAGS.corrected)) {
    return [element('p', { class: 'say small', text: 'To go back to the analyzed tempo, run this:' }),
      command(`analyze set ${file} --unset bpm`)];
  }
  if (!known(bpm)) {
    if (column('status')[track] >= FAILED || !hasColumn('bpm')) return [];
    return [element('p', { class: 'say small', text: 'If you know the tempo, set it. It survives every later run.' }),
      command(`analyze set ${file} --bpm 120`)];
  }
  const other = column('alternative')[track], how = relation(other, bpm);
  const change = { 'half as fast': '--half', 'twice as fast': '--double' }[how]
    || (known(other) ? `--bpm ${oneDecimal(other)}` : bpm > 110 ? '--half' : '--double');
  return [element('p',
    { class: 'say small',
    text: 'Sounds wrong? Run this; --half, --double and --bpm all work. The correction survives every later run.' }),
    command(`analyze set ${file} ${change}`)];
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
  const all = detail(track).candidates
    || (known(bpm) && known(column('alternative')[track])
    ? [[column('alternative')[track], column('alternative_share')[track]]] : []);
  if (!all.length || !known(bpm)) return [];
  const isComplete = Boolean(detail(track).candidates);
  return [heading(isComplete ? 'Tempo candidates' : 'Next candidate', 'share of the evidence'),
    ...all.slice(0, 5).map(([candidate, share]) => {
    const isBest = Math.abs(candidate - bpm) < .6,
      words = [shareWords(share), relation(candidate, bpm)].filter(Boolean).join(' · ');
    return element('div', { class: isBest ? 'candidate best' : 'candidate' },
      element('span', { text: `${oneDecimal(candidate)} BPM` }), bar(share), element('span', { text: words }));
  })];
}

function keyCandidates(track) {
  const { keys, key_map: changes, tuning } = detail(track), key = column('key')[track];
  if (!known(key)) return [];
  const confidence = column('key_confidence')[track];
  const sentences = [];
  if (known(confidence)) sentences.push(`${certainty(confidence)}: ${percent(confidence)} confidence.`);
  if (changes && changes.length > 1) sentences.push(
    `Along the way: ${changes.slice(0, 8).map(([start, changed]) => `${camelot(changed)} from ${clock(start)}`).join(', ')}${changes.length > 8 ? ', and more' : ''}.`);
  if (tuning && Math.abs(tuning - 440) >= 2) sentences.push(`Tuned to ${oneDecimal(tuning)} Hz.`);
  const rows = keys && keys.length > 1
    ? keys.map(([candidate, share]) => element('div', { class: candidate === key ? 'candidate best' : 'candidate' },
    element('span', { text: `${camelot(candidate)} ${keyName(candidate)}` }), bar(share),
      element('span', { text: shareWords(share) }))) : [];
  return [heading('Key', `${camelot(key)} · ${keyName(key)}`),
    sentences.length > 0 && element('p', { class: 'say', text: sentences.join(' ') }), ...rows];
}

function pairs(rows) {
  const list = element('dl', { class: 'pairs' });
  for (const [name, value] of rows) if (value != null && value !== '') list.append(element('dt', { text: name }),
    element('dd', { class: 'tag', text: shortened(String(value), 600) }));
  return list.childElementCount ? list : null;
}

const measured = (name, track, show) => { const value = column(name)[track];
  return known(value) ? show(value) : null; };

function soundFacts(track) {
  const list = pairs([
    ['True peak', measured('true_peak', track,
      peak => `${signed(oneDecimal(peak))} dBTP${peak > 0 ? ', above full scale' : ''}`)],
    ['Range', measured('range', track, range => `${oneDecimal(range)} LU`)],
    ['Energy', measured('energy', track, percent)], ['Danceability', measured('danceability', track, percent)],
    ['Speech', measured('speechiness', track, percent)], ...cueRows(detail(track).cues || {})]);
  return list ? [heading('Sound'), list] : [];
}

function cueRows(cues) {
  const [lead, trail] = cues.silence || [0, 0], [fadeIn, fadeOut] = cues.fade || [0, 0];
  return [['First beat', cues.first_beat != null ? `${cues.first_beat.toFixed(2)} s` : null],
    ['Intro ends', cues.intro_end ? clock(cues.intro_end) : null],
    ['Outro starts', cues.outro_start != null ? clock(cues.outro_start) : null],
      ['Highlight', cues.highlight ? `${clock(cues.highlight[0])} to ${clock(cues.highlight[1])}` : null],
    ['Silence', lead >= .5 || trail >= .5
      ? [lead >= .5 && `${oneDecimal(lead)} s at the start`,
      trail >= .5 && `${oneDecimal(trail)} s at the end`].filter(Boolean).join(', ') : null],
    ['Fades', fadeIn || fadeOut
      ? [fadeIn && `in over ${oneDecimal(fadeIn)} s`,
      fadeOut && `out over ${oneDecimal(fadeOut)} s`].filter(Boolean).join(', ') : null]];
}

function tempoMap(map, duration) {
  const width = find('#panel').clientWidth ? Math.min(480, innerWidth) - (isPhone.matches ? 32 : 48) : 432,
    height = 96, left = 34, bottom = height - 16;
  const tempos = map.map(([, bpm]) => bpm), lowest = Math.min(...tempos), highest = Math.max(...tempos);
  const low = Math.floor(lowest / 10) * 10 - 5, high = Math.ceil(highest / 10) * 10 + 5,
    end = known(duration) ? duration : map[map.length - 1][0] + 10;
  const x = seconds => left + seconds / end * (width - left),
    y = bpm => bottom - (bpm - low) / (high - low) * (bottom - 8);
  const svg = shape('svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Tempo between ${oneDecimal(lowest)} and ${oneDecimal(highest)} BPM` });
  const every = high - low > 80 ? 40 : high - low > 40 ? 20 : 10;
  for (let bpm = Math.ceil(low / every) * every; bpm <= high; bpm += every) {
    svg.append(shape('line', { x1: left, x2: width, y1: y(bpm), y2: y(bpm), class: 'grid-line' }),
      label(left - 6, y(bpm) + 4, bpm, { 'text-anchor': 'end' }));
  }
  const line = map.map(
    ([start, bpm], index) =>
    index ? `H${x(start).toFixed(1)}V${y(bpm).toFixed(1)}` : `M${x(start).toFixed(1)} ${y(bpm).toFixed(1)}`).join('');
  svg.append(shape('path', { class: 'curve tempo', d: `${line}H${width}` }),
    label(width, height - 2, `BPM over ${clock(end)}`, { 'text-anchor': 'end', class: 'axis-name' }));
  return svg;
}

function warnings(track) {
  const about = detail(track), found = problem(track), status = column('status')[track];
  const nodes = [];
  const words = about.problem || (found && { what: found.what, do: found.do });
  if (status !== OK && words) {
    const start = status === FAILED ? 'Failed.' : status === DAMAGED ? 'Damaged.' : 'Not analyzed.';
    nodes.push(element('p', { class: 'warning' }, element('b', { text: start }), ` ${words.what} ${words.do || ''}`));
  }
  if (about.remarks || about.findings) nodes.push(
    ...[...about.remarks || [], ...about.findings || []].map(text => element('p', { class: 'say small', text })));
  return nodes;
}

function tagFacts(track) {
  const list = pairs([['Title', tagTitle(track)], ['Artist', entry('artist', track)], ['Album', entry('album', track)],
    ['Genre', entry('genre', track)],
    ['Year', measured('year', track, String)], ...(detail(track).tags || [])]);
  return [heading('Tags'), list || element('p', { class: 'say', text: 'This file has no tags.' })];
}

function fileFacts(track) {
  const about = detail(track), full = path(track), codec = entry('codec', track), channels = column('channels')[track];
  const quality = hasFlag(track, FLAGS.lossless) ? ', lossless' : hasFlag(track, FLAGS.lossy) ? ', lossy' : '';
  const depth = measured('bit_depth', track, bits => `, ${bits} bit`) || '';
  return [heading('File', element('button', { class: 'copy', type: 'button', 'data-copy': full, text: 'Copy path' })),
    element('p', {}, element('code', { class: 'path', text: full })),
    pairs([['Format', codec && codec + quality],
      ['Bit rate', measured('bit_rate', track, rate => `${grouped.format(rate)} kb/s`)],
      ['Sample rate', measured('sample_rate', track, rate => `${rate / 1000} kHz${depth}`)],
        ['Channels', known(channels) ? { 1: 'mono', 2: 'stereo' }[channels] || channels : null],
      ['Size', about.size != null && about.size < 1e6 ? plural(about.size, 'byte') : measured('size', track, size)],
        ['Claimed length', about.claimed && clock(about.claimed)],
      ['Modified', measured('modified', track, date)], ['Added', measured('added', track, date)]])];
}

let focusBefore = null, drawStrips = null;
function openPanel(track, fromUser) {
  if (openTrack < 0 && fromUser) focusBefore = document.activeElement;
  openTrack = track;
  const about = detail(track),
    by = [entry('artist', track), entry('album', track),
    measured('year', track, String)].filter(Boolean).map(part => shortened(part, 200));
  const envelope = about.onsets ? bytesOf(about.onsets[1]) : null;
  const strips = makeStrips(track, about, envelope);
  find('#panel-body').replaceChildren(...[
    element('div', { class: 'panel-head' }, envelope && print(envelope, 64),
      element('div', {}, element('h2', { id: 'panel-title', class: 'tag', text: shortened(trackName(track), 300) }),
      element('p', { class: 'by tag', text: by.join(' · ') || 'No artist or album in the tags' }))),
    warnings(track), column('status')[track] < FAILED ? facts(track) : null,
    hasColumn('bpm') ? tempoWords(track).map(text => element('p', { class: 'say', text })) : null,
    strips.nodes, about.map && about.map.length > 1
      ? [heading('Tempo map', plural(about.map.length, 'segment')), tempoMap(about.map, column('duration')[track])]
      : null,
    tempoCandidates(track), correction(track), keyCandidates(track),
      neighborList('Sounds like', hasColumn('bpm') ? 'BPM and key' : null, soundNeighbors(track)),
    neighborList('Mixes well with', 'close in tempo and key', mixNeighbors(track)), soundFacts(track), tagFacts(track),
      fileFacts(track)].flat(2).filter(Boolean));
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
  find('#panel-place').textContent = place >= 0 ? `${grouped.format(place + 1)} of ${grouped.format(view.length)}`
    : 'not in the list below';
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
  const row = find(`#rows [data-position="${current}"]`),
    opener = focusBefore && focusBefore.isConnected && focusBefore !== document.body ? focusBefore : null;
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
  const top = find('#rows').getBoundingClientRect().top + current * rowHeight(),
    above = find('#tools').offsetHeight + 33;
  if (top < above) scrollBy(0, top - above);
  else if (top + rowHeight() > innerHeight) scrollBy(0, top + rowHeight() - innerHeight);
}
