/* Keys on the Camelot wheel */

/** The Camelot wheel: neighbors mix well. */
function wheel(host, counts, most) {
  const center = [130, 125], largest = Math.max(...counts), total = counts.reduce((sum, count) => sum + count);
  const svg = shape('svg',
    { class: 'wheel', viewBox: '0 0 260 250', role: 'group', 'aria-label': 'Keys on the Camelot wheel' });
  const at = (radius, angle) =>
    `${(center[0] + radius * Math.cos(angle)).toFixed(1)} ${(center[1] + radius * Math.sin(angle)).toFixed(1)}`;
  const segments = [], names = [];
  for (let key = 0; key < 24; key++) {
    const [inner, outer] = key & 1 ? [82, 120] : [44, 80], start = ((key >> 1) + .5) * Math.PI / 6 - Math.PI / 2,
      end = start + Math.PI / 6;
    const words = `${camelot(key)}, ${keyName(key)}: ${plural(counts[key], 'track')}`;
    const segment = shape('path', { class: 'segment', role: 'button', 'aria-label': words,
      'fill-opacity': counts[key] ? (.1 + .62 * counts[key] / largest).toFixed(3) : .04,
      d: `M${at(inner, start)}L${at(outer, start)}A${outer} ${outer} 0 0 1 ${at(outer, end)}L${at(inner, end)}A${inner} ${inner} 0 0 0 ${at(inner, start)}Z` },
    shape('title', { text: words }));
    const [x, y] = at((inner + outer) / 2, start + Math.PI / 12).split(' ');
    segments.push(segment);
    names.push(label(x, +y + 4, camelot(key), { 'text-anchor': 'middle', class: counts[key] ? false : 'quiet' }));
  }
  const name = label(...[center[0], center[1] - 2], '', { class: 'middle', 'text-anchor': 'middle' }),
    count = label(center[0], center[1] + 14, '', { 'text-anchor': 'middle' });
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
