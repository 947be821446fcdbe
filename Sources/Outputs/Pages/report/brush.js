/* The tempo histogram with its window, large above and small beside the search field */

const LOWEST_TEMPO = 50, HIGHEST_TEMPO = 200, TEMPO_STEP = 5;
let tempoBins = null;
/** Tracks by tempo, and the same weighted by confidence; outliers are in the end bins. */
function countTempos() {
  const bins = [];
  for (let from = LOWEST_TEMPO; from < HIGHEST_TEMPO; from += TEMPO_STEP) {
    bins.push({ from, to: from + TEMPO_STEP, count: 0, weight: 0 });
  }
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
  const scale = scaleFor(Math.max(...tempoBins.map(bin => bin.count))), left = isLarge ? leftOf(scale) : 0;
  const right = width - (isLarge ? 8 : 0), top = isLarge ? TOP : 2, bottom = height - (isLarge ? BOTTOM : 2);
  const x = bpm => left + (bpm - LOWEST_TEMPO) / (HIGHEST_TEMPO - LOWEST_TEMPO) * (right - left);
  const y = value => bottom - value / scale.top * (bottom - top);
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Filter by tempo' });
  if (isLarge) {
    svg.append(...gridLines(scale, left, right, y), ...axisNames(right, height, 'Tempo, BPM →', '↑ Tracks'));
    for (let bpm = 60; bpm <= HIGHEST_TEMPO; bpm += 20) {
      svg.append(label(x(bpm), bottom + 15, bpm, { 'text-anchor': 'middle' }));
    }
  }
  const place = (bin, value) =>
    ({ x: x(bin.from) + .75, width: x(bin.to) - x(bin.from) - 1.5, y: y(value), height: bottom - y(value) });
  if (isLarge) svg.append(...tempoBins.map(bin => shape('rect', { class: 'ghost', ...place(bin, bin.count) })));
  const bars = tempoBins.map(bin => shape('rect', place(bin, isLarge ? bin.weight : bin.count)));
  const field = shape('rect', { class: 'hit brush', x: left, y: 0, width: right - left, height: bottom },
    shape('title'));
  const frame = shape('rect', { class: 'brush-window', y: top, height: bottom - top });
  svg.append(...bars, field, frame);

  const bounds = () => state.values.bpm || [LOWEST_TEMPO, HIGHEST_TEMPO];
  const set = (from, to) => setFilter('bpm', from <= LOWEST_TEMPO && to >= HIGHEST_TEMPO ? null : [from, to]);
  const setBound = (isUpper, bpm) => {
    const [from, to] = bounds();
    if (isUpper) set(from, Math.max(from + 1, Math.min(HIGHEST_TEMPO, bpm)));
    else set(Math.min(to - 1, Math.max(LOWEST_TEMPO, bpm)), to);
  };
  const tempoAt = event => {
    const box = svg.getBoundingClientRect();
    const within = ((event.clientX - box.left) / box.width * width - left) / (right - left);
    return Math.round(LOWEST_TEMPO + Math.max(0, Math.min(1, within)) * (HIGHEST_TEMPO - LOWEST_TEMPO));
  };
  const handles = [false, true].map(isUpper => {
    const middle = (top + bottom) / 2, grip = isLarge ? 22 : 16;
    const range = { 'aria-valuemin': LOWEST_TEMPO, 'aria-valuemax': HIGHEST_TEMPO };
    const handle = shape('g',
      { class: 'handle', tabindex: 0, role: 'slider', 'aria-label': isUpper ? 'Highest tempo' : 'Lowest tempo',
        ...range },
      shape('rect', { class: 'hit', x: -12, width: 24, y: 0, height }),
      shape('line', { x1: 0, x2: 0, y1: top - 2, y2: bottom }),
      shape('rect', { class: 'grip', x: -4, width: 8, y: middle - grip / 2, height: grip, rx: 3 }),
      isLarge && label(0, 8, '', { class: 'strong', 'text-anchor': 'middle' }));
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
    return moved => {
      const bpm = tempoAt(moved);
      if (Math.abs(bpm - start) > 1) set(Math.min(start, bpm), Math.max(start, bpm));
    };
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
    const words = bin && `${plural(bin.count, 'track')}, ${oneDecimal(bin.weight)} weighted by confidence`;
    if (bin) field.firstChild.textContent = `${bin.from}–${bin.to} BPM: ${words}`;
  });
  host.replaceChildren(svg);

  return () => {
    const value = state.values.bpm,
      [from, to] = bounds().map(bpm => Math.max(LOWEST_TEMPO, Math.min(HIGHEST_TEMPO, bpm)));
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
