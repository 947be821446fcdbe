/* What the panel lists: the main values, sound, tags and the file */

const measured = (name, track, show) => {
  const value = column(name)[track];
  return known(value) ? show(value) : null;
};

/** The four values in large type. */
function facts(track) {
  const list = element('dl', { class: 'facts' });
  const fact = (name, value, unit) => list.append(element('div', {}, element('dt', { text: name }),
    element('dd', {}, value || '–', unit && element('small', { text: ` ${unit}` }))));
  const has = name => known(column(name)[track]);
  if (hasColumn('bpm')) fact('Tempo', measured('bpm', track, oneDecimal), has('bpm') ? 'BPM' : noTempoWords(track));
  if (hasColumn('key')) fact('Key', measured('key', track, camelot), measured('key', track, keyName));
  if (hasColumn('loudness')) fact('Loudness', measured('loudness', track, value => signed(oneDecimal(value))),
    has('loudness') && 'LUFS');
  fact('Length', measured('duration', track, clock), hasFlag(track, FLAGS.estimated) && 'estimated');
  return list;
}

/** A list of names and values, without those that are not known; null if none is. */
function pairs(rows) {
  const list = element('dl', { class: 'pairs' });
  for (const [name, value] of rows) {
    if (value == null || value === '') continue;
    list.append(element('dt', { text: name }), element('dd', { class: 'tag', text: shortened(String(value), 600) }));
  }
  return list.childElementCount ? list : null;
}

function soundFacts(track) {
  const list = pairs([
    ['True peak', measured('true_peak', track,
      peak => `${signed(oneDecimal(peak))} dBTP${peak > 0 ? ', above full scale' : ''}`)],
    ['Range', measured('range', track, range => `${oneDecimal(range)} LU`)],
    ['Energy', measured('energy', track, percent)],
    ['Danceability', measured('danceability', track, percent)],
    ['Speech', measured('speechiness', track, percent)],
    ...cueRows(detail(track).cues || {})
  ]);
  return list ? [heading('Sound'), list] : [];
}

function cueRows(cues) {
  const [leading, trailing] = cues.silence || [], [fadeIn, fadeOut] = cues.fade || [];
  const joined = parts => parts.filter(Boolean).join(', ');
  return [
    ['First beat', cues.first_beat != null && `${cues.first_beat.toFixed(2)} s`],
    ['Intro ends', cues.intro_end && clock(cues.intro_end)],
    ['Outro starts', cues.outro_start && clock(cues.outro_start)],
    ['Highlight', cues.highlight && `${clock(cues.highlight[0])} to ${clock(cues.highlight[1])}`],
    ['Silence', joined([leading >= .5 && `${oneDecimal(leading)} s at the start`,
      trailing >= .5 && `${oneDecimal(trailing)} s at the end`])],
    ['Fades', joined([fadeIn && `in over ${oneDecimal(fadeIn)} s`, fadeOut && `out over ${oneDecimal(fadeOut)} s`])]
  ].filter(([, value]) => value);
}

function tagFacts(track) {
  const list = pairs([
    ['Title', tagTitle(track)], ['Artist', entry('artist', track)], ['Album', entry('album', track)],
      ['Genre', entry('genre', track)],
    ['Year', measured('year', track, String)], ...detail(track).tags || []
  ]);
  return [heading('Tags'), list || element('p', { class: 'say', text: 'This file has no tags.' })];
}

function fileFacts(track) {
  const about = detail(track), full = path(track), codec = entry('codec', track);
  const quality = hasFlag(track, FLAGS.lossless) ? ', lossless' : hasFlag(track, FLAGS.lossy) ? ', lossy' : '';
  const depth = measured('bit_depth', track, bits => `, ${bits} bit`) || '';
  return [
    heading('File', element('button', { class: 'copy', type: 'button', 'data-copy': full, text: 'Copy path' })),
    element('p', {}, element('code', { class: 'path', text: full })),
    pairs([
      ['Format', codec && codec + quality],
      ['Bit rate', measured('bit_rate', track, rate => `${grouped.format(rate)} kb/s`)],
      ['Sample rate', measured('sample_rate', track, rate => `${rate / 1000} kHz${depth}`)],
      ['Channels', measured('channels', track, channels => ({ 1: 'mono', 2: 'stereo' })[channels] || channels)],
      ['Size', about.size != null && about.size < 1e6 ? plural(about.size, 'byte') : measured('size', track, size)],
      ['Claimed length', about.claimed && clock(about.claimed)],
      ['Modified', measured('modified', track, date)],
      ['Added', measured('added', track, date)]
    ])
  ];
}

/** What is wrong with the file, and what else the analysis had to say. */
function warnings(track) {
  const about = detail(track), words = about.problem || problem(track), status = column('status')[track], nodes = [];
  if (status !== OK && words) {
    const start = { [FAILED]: 'Failed.', [DAMAGED]: 'Damaged.' }[status] || 'Not analyzed.';
    nodes.push(element('p', { class: 'warning' }, element('b', { text: start }), ` ${words.what} ${words.do || ''}`));
  }
  const remarks = [...about.remarks || [], ...about.findings || []];
  return [...nodes, ...remarks.map(text => element('p', { class: 'say small', text: shortened(text, 600) }))];
}
