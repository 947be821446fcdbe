/* Rows with a name, a count, a bar and a value: formats and genres; and the curve of growth */

const LISTED_SHARES = 7;

/** `rows`: { name, count, value }; a click filters by the name. */
function shares(host, parameter, heading, rows) {
  const largest = Math.max(...rows.map(row => row.count)), classes = ['', 'count', '', 'value'];
  const buttons = rows.map(row => {
    const filled = element('i');
    filled.style.width = `${row.count / largest * 100}%`;
    const button = element('button', { class: 'share', type: 'button', 'aria-pressed': 'false', title: row.name },
      element('span', { class: 'name tag', text: shortened(row.name, 60) }),
      element('span', { class: 'count', text: grouped.format(row.count) }),
      element('span', { class: 'track' }, filled),
      element('span', { class: 'value', text: row.value }));
    button.onclick = () => toggleFilter(parameter, row.name);
    return button;
  });
  const head = element('div', { class: 'share head' },
    heading.map((text, index) => element('span', { text, class: classes[index] })));
  host.replaceChildren(element('div', { class: `shares by-${parameter}` }, head, ...buttons));
  return () => {
    buttons.forEach((button, index) =>
      button.setAttribute('aria-pressed', state.values[parameter] === rows[index].name));
  };
}

/** Tracks in the library after each run, as steps. */
function growth(host, runs) {
  const width = host.clientWidth, height = SHORT_CHART, bottom = height - BOTTOM;
  const last = runs.length - 1, scale = scaleFor(Math.max(...runs.map(([, count]) => count)));
  const left = leftOf(scale) + 8, right = width - leftOf(scale) - 16;
  const x = index => left + index / last * (right - left), y = count => bottom - count / scale.top * (bottom - TOP);
  const name = ([date]) => dayAndMonth.format(Date.parse(date)),
    [lastCount, lastName] = [runs[last][1], name(runs[last])];
  const steps = runs.slice(1).map(([, count], index) => `H${x(index + 1).toFixed(1)}V${y(count).toFixed(1)}`).join('');
  const words = `From ${plural(runs[0][1], 'track')} on ${name(runs[0])} to ${grouped.format(lastCount)} on ${lastName}`;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words },
    gridLines(scale, left, right, y),
    shape('path', { class: 'curve', d: `M${x(0).toFixed(1)} ${y(runs[0][1]).toFixed(1)}${steps}` }),
    shape('circle', { class: 'now', cx: x(last), cy: y(lastCount), r: 4 }),
    label(x(last) + 9, y(lastCount) + 4, grouped.format(lastCount), { class: 'strong' }),
    axisNames(right, height, 'Run →', '↑ Tracks in the library'));
  const ticks = [[last, 'end']];
  if (name(runs[0]) !== lastName) ticks.push([0, 'start']);
  if (runs.length > 8 && width > 300) ticks.push([Math.floor(last / 2), 'middle']);
  for (const [index, anchor] of ticks) svg.append(
    label(x(index), bottom + 15, name(runs[index]), { 'text-anchor': anchor }));
  host.replaceChildren(svg);
  return () => {};
}
