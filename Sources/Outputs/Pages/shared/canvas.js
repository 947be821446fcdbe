/* Canvases */

/** A canvas at the screen's resolution, and the colors of the theme, which canvases do not know by name. */
function prepare(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight,
    context = canvas.getContext('2d');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  return { context, width, height };
}
function themeColors() {
  const probe = element('span');
  document.body.append(probe);
  const color = name => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const colors = { bar: color('bar'), faint: color('bar-2'), accent: color('accent-fill'), text: color('text-3'),
    line: color('line-2'), bad: color('bad') };
  probe.remove();
  return colors;
}
const canvasFont = () => `11px ${getComputedStyle(document.body).fontFamily}`;

/** Marks where faults are, at the top edge of a strip; those of the whole track are not drawn. */
function drawFaults({ context, width }, faults, duration, colors) {
  context.fillStyle = colors.bad;
  for (const [start, end] of faults) {
    if (!(duration > 0) || end - start > duration / 2) continue;
    const x = start / duration * width;
    context.fillRect(x, 0, Math.max(2, (end - start) / duration * width), 6);
  }
}
