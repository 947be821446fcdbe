/*
 * The library at a glance. Each function gives null (nothing to say), or { finding, note, draw }: the finding is computed
 * from the data; without `draw`, as with a single value for all tracks, the sentence stands alone.
 */

const SHORT_CHART = 200;

function tempoChart() {
  tempoBins = countTempos();
  const { values, count } = distribution('bpm');
  if (!count) return { finding: 'No track has a steady beat' };
  const slowest = oneDecimal(values[0]), fastest = oneDecimal(values[count - 1]);
  if (slowest === fastest) {
    return { finding: count === 1 ? `One track has a tempo: ${slowest} BPM`
      : `All ${grouped.format(count)} tempos are ${slowest} BPM` };
  }
  const half = narrowestHalf(tempoBins), tallest = tempoBins.reduce((best, bin) => bin.count > best.count ? bin : best);
  return {
    finding: half.to - half.from <= 50
      ? `${grouped.format(half.count)} of ${plural(count, 'track')} run at ${half.from} to ${half.to} BPM`
      : `Tempos are spread widely; ${tallest.from} to ${tallest.to} BPM is most common`,
    note: ['Pale: tracks counted. Solid: weighted by confidence, so the gap is doubt. Drag to filter.'],
    draw: host => brush(host, host.clientWidth, tallHeight(), true)
  };
}

function keyChart() {
  const counts = new Uint32Array(24);
  for (const key of column('key')) if (known(key)) counts[key]++;
  const total = counts.reduce((sum, count) => sum + count), most = counts.indexOf(Math.max(...counts));
  if (!total) return { finding: 'No track has a clear key' };
  if (counts[most] === total) {
    const words = `${camelot(most)}, ${keyName(most)}`;
    return { finding: total === 1 ? `One track has a key: ${words}`
      : `All ${grouped.format(total)} keys are ${words}` };
  }
  const minor = counts.reduce((sum, count, key) => sum + (key & 1 ? 0 : count), 0) / total,
    larger = Math.max(minor, 1 - minor);
  let finding = 'Keys, on the Camelot wheel';
  if (total >= 12 && larger < .56) finding = 'Minor and major keys are about equally common';
  else if (total >= 12) finding = `${firstUpper(fractionOf(larger, 'key'))} ${minor > .5 ? 'minor' : 'major'}`;
  return { finding, note: ['Inner ring minor, outer ring major.'], draw: host => wheel(host, counts, most) };
}

function loudnessChart() {
  const { values, count, quantile } = distribution('loudness');
  if (!count) return { finding: 'No track is loud enough to measure' };
  const show = value => signed(oneDecimal(value)), low = signed(Math.round(quantile(.25))),
    high = signed(Math.round(quantile(.75)));
  if (show(values[0]) === show(values[count - 1])) {
    return { finding: `${count === 1 ? 'One track has' : `All ${grouped.format(count)} tracks have`} ${show(values[0])} LUFS` };
  }
  let finding = `Half of the tracks are between ${low} and ${high} LUFS`;
  if (count < 8) finding = 'Loudness of the tracks';
  else if (low === high) finding = `Most tracks are near ${low} LUFS`;
  // Few very quiet or very loud tracks are counted with the next bin, so that the others have room.
  const first = Math.max(-32, Math.min(-16, Math.floor(quantile(.01))));
  const last = Math.max(-8, Math.min(0, Math.ceil(quantile(.995) + .001)));
  const says = (from, to) => `${rangeText(from, to, signed)} LUFS`;
  return {
    finding, note: ['Dashed: −14, a common streaming level.'],
    draw: host => columnChart(host, {
      bins: binned(values, first, last, 1, says), parameter: 'lufs', axis: 'Integrated loudness, LUFS',
        height: tallHeight(),
      tick: (bin, index) => (first + index) % 4 === 0 ? signed(first + index) : null,
        reference: { index: -14 - first, text: '−14' }
    })
  };
}

function yearChart() {
  const { values, count } = distribution('year');
  if (!count) return null;
  const first = values[0], last = values[count - 1], note = noteWithout('year', 'year');
  if (first === last) {
    return { finding: count === 1 ? `One track has a year: ${first}`
      : `All ${grouped.format(count)} dated tracks are from ${first}`, note };
  }
  const largest = of => {
    const counts = new Map();
    for (const year of values) counts.set(of(year), (counts.get(of(year)) || 0) + 1);
    return [...counts].reduce((best, next) => next[1] > best[1] ? next : best);
  };
  const [year, inYear] = largest(value => value), [decade, inDecade] = largest(value => Math.floor(value / 10) * 10);
  let finding = `The music is from ${first} to ${last}`;
  if (inYear / count >= .4) finding =
    `${grouped.format(inYear)} of ${grouped.format(count)} dated tracks are from ${year}`;
  else if (inDecade / count >= .25) finding =
    `${firstUpper(fractionOf(inDecade / count, 'dated track'))} from the ${decade}s`;
  const years = last - first, step = years < 40 ? 1 : years < 120 ? 5 : 10,
    every = step > 1 ? 2 * step : years > 12 ? 5 : years > 5 ? 2 : 1;
  const says = (from, to) => to === from + 1 ? String(from) : `${from} to ${to - 1}`;
  return {
    finding, note,
    draw: host => columnChart(host, {
      bins: binned(values, Math.floor(first / step) * step, last + 1, step, says), parameter: 'year',
        axis: 'Year in tags',
      height: SHORT_CHART, middle: step === 1, tick: bin => bin.from % every === 0 ? bin.from : null
    })
  };
}

function durationChart() {
  const { values, count, quantile } = distribution('duration');
  if (!count) return null;
  const longest = clock(values[count - 1]), low = clock(quantile(.25)), high = clock(quantile(.75));
  if (clock(values[0]) === longest) {
    return { finding: count === 1 ? `One track has a length: ${longest}`
      : `All ${grouped.format(count)} tracks last ${longest}` };
  }
  let finding = `Half of the tracks last ${low} to ${high}`;
  if (count < 8) finding = 'Lengths of the tracks';
  else if (low === high) finding = `Most tracks last about ${low}`;
  const track = column('duration').indexOf(values[count - 1]), name = shortened(trackName(track), 40);
  const open = element('button', { class: 'link tag', type: 'button', 'data-open': track, text: name });
  // At most twenty bins for all but the longest tracks, which are counted in the last one.
  const end = quantile(.97),
    step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find(seconds => end / seconds <= 20) || 7200;
  const bins = binned(values, 0, Math.max(2, Math.ceil((end + .001) / step)) * step, step,
    (from, to) => rangeText(from, to, clock));
  return {
    finding, note: [`The longest, at ${longest}: `, open],
    draw(host) {
      const every = Math.max(1, Math.round(60 * bins.length / host.clientWidth));
      const tick = (bin, index) => index % every === 0 ? clock(index * step) : null;
      return columnChart(host, { bins, parameter: 'length', axis: 'Length, min:s', height: SHORT_CHART, tick });
    }
  };
}

function formatChart() {
  const codecs = counted('codec').filter(([, count]) => count),
    total = codecs.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  const having = flag => column('flags').reduce((sum, flags) => sum + (flags & flag ? 1 : 0), 0);
  const lossless = having(FLAGS.lossless), lossy = having(FLAGS.lossy);
  let finding = 'All tracks are lossless';
  if (!lossless) finding = 'No track is lossless';
  else if (lossy) finding = `${firstUpper(fractionOf(lossless / (lossless + lossy), 'track'))} lossless`;
  const rates = new Map(codecs.map(([name]) => [name, []]));
  column('bit_rate').forEach(
    (rate, track) => { if (known(rate) && rates.has(entry('codec', track))) rates.get(entry('codec', track)).push(
    rate); });
  const note = [lossless && lossy ? `${grouped.format(lossless)} lossless, ${grouped.format(lossy)} lossy. ` : '',
    total >= MANY_RATES ? 'Bit rates: the middle 80%.' : ''];
  const rows = codecs.slice(0,
    LISTED_SHARES).map(([name, count]) => ({ name, count, value: rateWords(rates.get(name)) }));
  return { finding, note, draw: host => shares(host, 'format', ['Format', 'Tracks', '', 'Bit rate, kb/s'], rows) };
}

const MANY_RATES = 50;
/** From the lowest to the highest. Among many, the extremes say little, so the outer tenths are left out. */
function rateWords(rates) {
  if (!rates.length) return '–';
  const sorted = Float64Array.from(rates).sort(),
    outer = rates.length >= MANY_RATES ? Math.floor(rates.length / 10) : 0;
  const [low, high] = [outer, rates.length - 1 - outer].map(index => grouped.format(Math.round(sorted[index])));
  return low === high ? low : `${low}–${high}`;
}

function genreChart() {
  const genres = counted('genre');
  if (!genres.length) return null;
  const total = genres.reduce((sum, [, count]) => sum + count, 0), most = genres[0][1],
    name = shortened(genres[0][0], 40);
  const without = noteWithout('genre', 'genre'), smaller = genres.length - LISTED_SHARES;
  if (genres.length === 1) {
    return { finding: total === 1 ? `One track has a genre: ${name}`
      : `All ${grouped.format(total)} tracks with a genre are ${name}`, note: without };
  }
  let finding = plural(genres.length, 'genre');
  if (most / total >= .2) finding =
    `${firstUpper(fractionOf(most / total, without.length ? 'tagged track' : 'track'))} ${name}`;
  else if (most > genres[1][1]) finding = `${finding}, the largest is ${name}`;
  const rows = genres.slice(0,
    LISTED_SHARES).map(([name, count]) => ({ name, count, value: shareWords(count / total) }));
  return {
    finding, note: [smaller > 0 ? `And ${plural(smaller, 'smaller genre')}. ` : '', ...without],
    draw: host => shares(host, 'genre', ['Genre', 'Tracks', '', 'Share'], rows)
  };
}

function growthChart() {
  const runs = library.runs;
  if (library.first_run || !runs || runs.length < 2) return null;
  const counts = runs.map(([, count]) => count), [before, last] = counts.slice(-2), first = counts[0],
    now = plural(last, 'track');
  if (counts.every(count =>
    count === last)) return { finding: `The library holds ${now}, as in the last ${runs.length} runs` };
  let finding = `The library went from ${grouped.format(first)} to ${now} in ${runs.length} runs`;
  if (last > before) finding =
    `The library grew from ${grouped.format(before)} to ${now} ${library.run_name || ''}`.trim();
  else if (last < before) finding = `The library shrank from ${grouped.format(before)} to ${now}`;
  return { finding, note: [`Tracks in the library after each of the last ${runs.length} runs.`],
    draw: host => growth(host, runs) };
}

/** A note that so many tracks have no such value, with a button that shows them. */
function noteWithout(name, parameter) {
  const status = column('status');
  const count = column(name).reduce((sum, value, track) => sum + (!known(value) && status[track] !== FAILED ? 1 : 0),
    0);
  if (!count) return [];
  const button = element('button', { class: 'link', type: 'button', text: 'Show them' });
  button.onclick = () => { toggleFilter(parameter, 'none'); showTracks(); };
  return [`${plural(count, 'track')} ${count === 1 ? 'has' : 'have'} no ${name}. `, button];
}

let charts = [];
/** Puts the charts that this report has data for into rows of a grid of twelve columns. */
function makeCharts() {
  if (trackCount < 3) return; // the table and the panel say more
  const made = (name, make) => hasColumn(name) ? make() : null;
  const upper = [made('bpm', tempoChart), made('key', keyChart), made('loudness', loudnessChart)].filter(Boolean);
  const lower = [made('codec', formatChart), made('genre', genreChart), made('year', yearChart),
    made('duration', durationChart),
    growthChart()].filter(Boolean);
  const isDrawn = chart => chart.draw !== undefined;
  setWidths(upper.filter(isDrawn), lower.filter(isDrawn));
  charts = [...upper.filter(isDrawn), ...lower.filter(isDrawn),
    ...[...upper, ...lower].filter(chart => !isDrawn(chart))];
  for (const chart of charts) {
    chart.host = element('div', { class: 'host' });
    find('#charts').append(
      element('figure', { class: `chart ${chart.width || 'span-4'}` }, element('h3', { text: chart.finding }),
      element('p', { class: 'note' }, chart.note || []), chart.draw && chart.host));
  }
  find('#glance').hidden = charts.length === 0;
}

/** Above, the first chart has half of the width; below are rows of three, and pairs at the end if they do not come out even. */
function setWidths(upper, lower) {
  upper.forEach((chart,
    index) => { chart.width = upper.length < 3 ? 'span-6' : index === 0 ? 'span-6 large' : 'span-3'; });
  const inPairs = [0, 4, 2][lower.length % 3];
  lower.forEach((chart, index) => { chart.width = lower.length - index <= inPairs ? 'span-6' : 'span-4'; });
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
