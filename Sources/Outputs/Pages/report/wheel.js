/* Keys on the Camelot wheel */

/** The Camelot wheel: neighbors mix well. */
function wheel(host, counts, most) {
  const x0 = 130, y0 = 125, largest = Math.max(...counts), total = counts.reduce((sum, count) => sum + count);
  const svg = shape('svg',
    { class: 'wheel', viewBox: '0 0 260 250', role: 'group', 'aria-label': 'Keys on the Camelot wheel' });
  const at = (radius, angle) =>
    `${(x0 + radius * Math.cos(angle)).toFixed(1)} ${(y0 + radius * Math.sin(angle)).toFixed(1)}`;
  const segments = [], names = [];
  for (let key = 0; key < 24; key++) {
    const [inner, outer] = key & 1 ? [82, 120] : [44, 80];
    const start = ((key >> 1) + .5) * Math.PI / 6 - Math.PI / 2, middle = start + Math.PI / 12,
      end = start + Math.PI / 6;
    const words = `${camelot(key)}, ${keyName(key)}: ${plural(counts[key], 'track')}`;
    const arc = (radius, direction, angle) => `A${radius} ${radius} 0 0 ${direction} ${at(radius, angle)}`;
    const d = `M${at(inner, start)}L${at(outer, start)}${arc(outer, 1, end)}L${at(inner, end)}${arc(inner, 0, start)}Z`;
    const opacity = counts[key] ? .1 + .62 * counts[key] / largest : .04;
    segments.push(shape('path',
      { class: 'segment', role: 'button', 'aria-label': words, 'fill-opacity': opacity.toFixed(3), d },
      shape('title', { text: words })));
    const [x, y] = at((inner + outer) / 2, middle).split(' ');
    names.push(label(x, +y + 4, camelot(key), { 'text-anchor': 'middle', class: !counts[key] && 'quiet' }));
  }
  const name = label(x0, y0 - 2, '', { class: 'middle', 'text-anchor': 'middle' });
  const count = label(x0, y0 + 14, '', { 'text-anchor': 'middle' });
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
