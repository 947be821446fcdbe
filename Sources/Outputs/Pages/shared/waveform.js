/* Drawn sound: a whole track as bars, and some seconds with their beats. Heights are from 0 to 1, times in seconds */

/**
 * Peaks with levels in them, mirrored at `middle`. Peaks alone stand on `bottom`, if there is one. `isMarked` says whether the bar
 * between two shares of the track is in the accent color.
 */
function drawBars({ context, width }, { peaks, levels }, { middle, bottom, tallest, isMarked }, { bar, faint, accent }) {
  const count = Math.floor(width / 3);
  for (let index = 0; index < count; index++) {
    const isAccent = isMarked(index / count, (index + 1) / count);
    const heightOf = values => {
      const step = values.length / count;
      return Math.max(1, largest(values, index * step, (index + 1) * step) * tallest);
    };
    const peak = heightOf(peaks);
    if (levels) {
      context.fillStyle = isAccent ? accent : faint;
      context.globalAlpha = isAccent ? .45 : 1;
      context.fillRect(index * 3, middle - peak / 2, 2, peak);
      context.globalAlpha = 1;
      const level = Math.min(peak, heightOf(levels));
      context.fillStyle = isAccent ? accent : bar;
      context.fillRect(index * 3, middle - level / 2, 2, level);
    } else {
      context.fillStyle = isAccent ? accent : bar;
      context.fillRect(index * 3, bottom === undefined ? middle - peak / 2 : bottom - peak, 2, peak);
    }
  }
}

/** Below the line of a close-up: numbers of bars, or times. */
const CLOSE_UP_FOOT = 20;

/**
 * The seconds from `start`: onset strength and beats. Tall lines are starts of bars. If these are not known, all beats are lines,
 * or if `areDense`, short marks above the curve, since lines would cover it.
 */
function drawSeconds({ context, width, height }, { onsets, beats, downbeats, start, seconds, duration, areDense }, colors) {
  const bottom = height - CLOSE_UP_FOOT, x = time => (time - start) / seconds * width;
  if (onsets) drawOnsets(context, onsets, { start, seconds, width, bottom }, colors.bar);
  context.fillStyle = colors.line;
  context.fillRect(0, bottom, width, 1);
  context.textAlign = 'center';
  context.font = canvasFont();
  let free = -Infinity;
  for (let index = lowerBound(beats, start); index < beats.length && beats[index] <= start + seconds; index++) {
    const time = beats[index], number = downbeats ? lowerBound(downbeats, time - .001) : -1,
      isDownbeat = downbeats && Math.abs((downbeats[number] ?? Infinity) - time) < .001;
    context.fillStyle = isDownbeat || !downbeats ? colors.accent : colors.text;
    if (isDownbeat) {
      context.fillRect(x(time) - 1, 2, 2, bottom - 2);
      const middle = Math.max(18, Math.min(width - 18, x(time)));
      if (middle < free) continue;
      context.fillStyle = colors.text;
      context.fillText(`bar ${number + 1}`, middle, height - 4);
      free = middle + 40;
    } else {
      const [top, tall] = downbeats ? [bottom - 22, 22] : areDense ? [4, 14] : [14, bottom - 14];
      context.fillRect(x(time) - .5, top, 1, tall);
    }
  }
  if (downbeats) return;
  context.fillStyle = colors.text;
  for (let time = Math.max(0, Math.ceil(start / 2) * 2); time < Math.min(duration, start + seconds); time += 2) {
    context.fillText(clock(time), Math.max(14, Math.min(width - 14, x(time))), height - 4);
  }
}

/** Between two values runs a smooth curve. */
function drawOnsets(context, { step, values }, { start, seconds, width, bottom }, color) {
  const strength = time => {
    const place = time / step, index = Math.floor(place), part = place - index, eased = part * part * (3 - 2 * part);
    return (values[index] || 0) * (1 - eased) + (values[index + 1] ?? 0) * eased;
  };
  context.beginPath();
  context.moveTo(0, bottom);
  for (let i = 0; i <= width; i++) context.lineTo(i, bottom - strength(start + i / width * seconds) * (bottom - 28));
  context.lineTo(width, bottom);
  context.globalAlpha = .5;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
}
