/* Charts: drawn for the width they have, so their text never scales. A title is a finding from the data. */

const tallHeight = () => isPhone.matches ? 230 : 270;
const BOTTOM = 36, TOP = 18;
/** Room for the numbers of the vertical axis. */
const leftOf = scale => Math.max(36, 14 + 7 * grouped.format(scale.top).length);

/** A round number at or above the largest count, and the step of two or three grid lines. */
function scaleFor(largest) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  const step = Math.max(1,
    [.2, .5, 1, 2, 5].map(factor => factor * power).find(candidate => largest / candidate <= 3) || power * 5);
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
  [label(width, height - 4, horizontal, { 'text-anchor': 'end', class: 'axis-name' }),
    label(0, 8, vertical, { class: 'axis-name' })];

/** Only one shape of a chart is a tab stop; arrows go to the others. */
function roving(shapes, choose) {
  shapes.forEach((node, index) => {
    node.setAttribute('tabindex', index ? -1 : 0);
    node.addEventListener('click', () => choose(index));
    node.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -shapes.length,
        End: shapes.length }[event.key];
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
 * Columns that filter when clicked. `bins`: { from, to, count, says }; `tick(bin, index)`: text below the left edge of a bin, or
 * below its middle; `reference`: { index, text }, a dashed line where that bin begins.
 */
function columnChart(host, { bins, parameter, axis, tick, middle, reference, height }) {
  const width = host.clientWidth, bottom = height - BOTTOM, scale = scaleFor(Math.max(...bins.map(bin => bin.count)));
  const left = leftOf(scale), each = (width - left) / bins.length;
  const y = value => bottom - value / scale.top * (bottom - TOP), x = index => left + index * each;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': axis },
    gridLines(scale, left, width, y));
  const spots = bins.map((bin, index) => {
    const words = `${bin.says}: ${plural(bin.count, 'track')}`, gap = Math.min(2, each / 4);
    const bar = shape('rect',
      { x: x(index) + gap / 2, width: Math.max(1, each - gap), y: y(bin.count), height: bottom - y(bin.count) });
    const spot = shape('g', {}, shape('title', { text: words }),
      shape('rect', { class: 'hit', x: x(index), width: each, y: TOP, height: bottom - TOP }), bar);
    if (bin.count) fill(spot, { class: 'spot', role: 'button', 'aria-label': words }, []);
    const text = tick(bin, index);
    svg.append(spot);
    if (text != null) svg.append(
      label(x(index) + (middle ? each / 2 : 0), bottom + 15, text, { 'text-anchor': 'middle' }));
    return { bin, bar, spot };
  }).filter(({ bin }) => bin.count);
  if (reference) {
    const at = x(reference.index);
    svg.append(shape('line', { class: 'reference', x1: at, x2: at, y1: TOP - 4, y2: bottom }),
      label(at + 5, TOP + 2, reference.text, { class: 'axis-name' }));
  }
  svg.append(...axisNames(width, height, `${axis} →`, '↑ Tracks'));
  roving(spots.map(({ spot }) => spot),
    index => { const { from, to } = spots[index].bin; toggleFilter(parameter, [from, to]); });
  host.replaceChildren(svg);
  return () => {
    const value = state.values[parameter];
    for (const { bin, bar, spot } of spots) {
      const isCovered = Array.isArray(value) && bin.from < value[1] && bin.to > value[0];
      bar.setAttribute('class', value == null ? 'bar' : isCovered ? 'bar on' : 'bar off');
      spot.setAttribute('aria-pressed', isCovered);
    }
  };
}

/** Sorted numbers of a column, without the unknown ones. */
function distribution(name) {
  const values = column(name).filter(known).sort();
  return { values, count: values.length,
    quantile: share => values[Math.min(values.length - 1, Math.floor(share * values.length))] };
}

/** The narrowest stretch of whole bins that holds at least half of all. */
function narrowestHalf(bins) {
  const total = bins.reduce((sum, bin) => sum + bin.count, 0);
  let best = null;
  for (let first = 0; first < bins.length; first++) {
    for (let last = first, sum = 0; last < bins.length; last++) {
      sum += bins[last].count;
      if (sum * 2 < total) continue;
      if (!best || last - first < best.last - best.first
        || (last - first === best.last - best.first && sum > best.sum)) best = { first, last, sum };
      break;
    }
  }
  return best && { from: bins[best.first].from, to: bins[best.last].to, count: best.sum, total };
}

/** Bins of one width. The first and the last also hold what lies beyond, and then their bounds say so. */
function binned(values, low, high, step, says) {
  const bins = [];
  for (let from = low; from < high; from += step) bins.push({ from, to: from + step, count: 0 });
  for (const value of values) bins[Math.max(0, Math.min(bins.length - 1, Math.floor((value - low) / step)))].count++;
  if (values[0] < low) bins[0].from = -Infinity;
  if (values[values.length - 1] >= high) bins[bins.length - 1].to = Infinity;
  for (const bin of bins) bin.says = says(bin.from, bin.to);
  return bins;
}
