/* The print: what a track looks like in place of cover art */

/** The print, in place of cover art: the onset envelope around a circle, from its 4th to its 96th percentile. */
function print(envelope, diameter) {
  const count = diameter > 60 ? 120 : 36, spokes = new Float64Array(count);
  for (let spoke = 0; spoke < count; spoke++) {
    const from = Math.floor(spoke / count * envelope.length),
      to = Math.max(from + 1, Math.floor((spoke + 1) / count * envelope.length));
    for (let k = from; k < to; k++) spokes[spoke] += (envelope[k] || 0) / (to - from);
  }
  const sorted = spokes.slice().sort(), low = sorted[Math.floor(count * .04)],
    room = sorted[Math.floor(count * .96)] - low || 1;
  let d = '';
  spokes.forEach((strength, spoke) => {
    const angle = spoke / count * 2 * Math.PI - Math.PI / 2,
      outer = 22 + 27 * Math.max(0, Math.min(1, (strength - low) / room));
    const at = radius => `${(50 + radius * Math.cos(angle)).toFixed(1)} ${(50 + radius * Math.sin(angle)).toFixed(1)}`;
    d += `M${at(20)}L${at(outer)}`;
  });
  return shape('svg', { class: 'print', viewBox: '0 0 100 100', width: diameter, height: diameter,
    'aria-hidden': 'true' },
    shape('path', { d, 'stroke-width': diameter > 60 ? 1.3 : 2.8 }));
}
