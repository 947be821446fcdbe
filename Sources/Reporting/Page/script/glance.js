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
  const end = quantile(.97), step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find(seconds => end / seconds <= 20) || 7200;
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
    : most > genres[1][1] ? `${plural(genres.length, 'genre')}, the largest is ${shortened(name, 40)}` : plural(genres.length, 'genre');
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
  const marks = runs.length > 8 && width > 300 ? [0, Math.floor(lastIndex / 2), lastIndex] : name(runs[0]) === name(runs[lastIndex]) ? [lastIndex] : [0, lastIndex];
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
