// Drawn sound: a whole track with its sections, and a close-up with beats and bars.

import { clock, prepare, themeColors } from './shared.js';
import { ask } from './server.js';
import { lowerBound } from './click-track.js';

const bytes = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));

/** Heights from 0 to 1: `peaks` and `levels` over the whole track, and the onset strength for the close-up. */
export function soundOf(waveform, tempo) {
  if (waveform) {
    const minima = bytes(waveform.minima), maxima = bytes(waveform.maxima), rms = bytes(waveform.rms);
    const peaks = Float32Array.from(maxima, (value, index) => Math.max(value - 128, 128 - minima[index], 0) / 127);
    const fine = waveform.onsets ? bytes(waveform.onsets) : null;
    return { peaks, levels: Float32Array.from(rms, value => value / 255),
      onsets: fine ? { step: waveform.onset_step_s, values: scaled(fine) } : coarse(tempo) };
  }
  const onsets = coarse(tempo);
  return { peaks: onsets?.values || new Float32Array(0), levels: null, onsets };
}
const coarse = tempo => tempo?.onsets ? { step: tempo.onsets.step_s, values: scaled(tempo.onsets.values) } : null;
function scaled(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return Float32Array.from(values, value => value / (most || 1));
}

const sounds = new Map();
/** The sound of a track for the player's strip; asked for once. */
export async function soundOfTrack(track) {
  if (!sounds.has(track.id)) {
    if (sounds.size > 30) sounds.delete(sounds.keys().next().value);
    sounds.set(track.id, (async () => {
      try {
        const { tempo, has_waveform: has } = await ask(`tracks/${track.id}`);
        return soundOf(has ? await ask(`tracks/${track.id}/waveform`) : null, tempo);
      } catch {
        return { peaks: new Float32Array(0), levels: null, onsets: null };
      }
    })());
  }
  return sounds.get(track.id);
}

let colors = null;
const theme = () => colors ??= themeColors();
addEventListener('theme', () => { colors = null; });
const font = () => `11px ${getComputedStyle(document.body).fontFamily}`;

function largest(values, from, to) {
  let most = 0;
  const end = Math.max(Math.floor(from) + 1, Math.floor(to));
  for (let index = Math.floor(from); index < end; index++) most = Math.max(most, values[index] || 0);
  return most;
}

/** The whole track; what has been played is in the accent color. */
export function drawOverview(canvas, { sound, duration, position, sections = [] }) {
  const { context, width, height } = prepare(canvas);
  if (!width) return;
  const { bar, faint, accent, text, line } = theme(), count = Math.floor(width / 3), hasSections = sections.length > 1;
  const room = height - (hasSections ? 26 : 0), middle = room / 2, share = duration ? position / duration : 0;
  const per = values => values.length / count;
  for (let index = 0; index < count; index++) {
    const isPlayed = (index + .5) / count < share;
    const tall = values => Math.max(1, largest(values, index * per(values), (index + 1) * per(values)) * (room - 4));
    const { peaks, levels } = sound, peak = tall(peaks);
    if (levels) {
      context.fillStyle = isPlayed ? accent : faint;
      context.globalAlpha = isPlayed ? .45 : 1;
      context.fillRect(index * 3, middle - peak / 2, 2, peak);
      context.globalAlpha = 1;
      const level = Math.min(peak, tall(levels));
      context.fillStyle = isPlayed ? accent : bar;
      context.fillRect(index * 3, middle - level / 2, 2, level);
    } else {
      context.fillStyle = isPlayed ? accent : bar;
      if (room > 60) context.fillRect(index * 3, room - peak, 2, peak);
        else context.fillRect(index * 3, middle - peak / 2, 2, peak);
    }
  }
  if (hasSections) {
    context.font = font();
    for (const { start_s: start, end_s: end, label } of sections) {
      const x = start / duration * width, wide = (end - start) / duration * width - 3, isHere = position >= start && position < end;
      context.fillStyle = isHere ? accent : line;
      context.fillRect(x, room + 6, Math.max(1, wide), 3);
      context.fillStyle = isHere ? accent : text;
      if (wide > context.measureText(label).width + 2) context.fillText(label, x, height - 3);
    }
  }
  if (room > 60) {
    context.fillStyle = getComputedStyle(canvas).color;
    context.fillRect(share * width - .75, 0, 1.5, room + 4);
  }
}

/** Seconds in the close-up. */
export const windowOf = width => width < 500 ? 5 : 10;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

/** Some seconds around the playhead; without motion the playhead moves instead. Tall lines are starts of bars. */
export function drawCloseUp(canvas, { sound, duration, position, beats, downbeats }) {
  const { context, width, height } = prepare(canvas);
  if (!width) return;
  const { bar, accent, text, line } = theme(), seconds = windowOf(width), bottom = height - 20;
  const start = isStill.matches ? Math.floor(position / seconds) * seconds : position - seconds / 2;
  const x = time => (time - start) / seconds * width, { onsets } = sound;
  if (onsets) {
    const { step, values } = onsets;
    const strength = time => {
      const place = time / step, index = Math.floor(place), part = place - index, eased = part * part * (3 - 2 * part);
      return (values[index] || 0) * (1 - eased) + (values[index + 1] ?? 0) * eased;
    };
    context.beginPath();
    context.moveTo(0, bottom);
    for (let i = 0; i <= width; i++) context.lineTo(i, bottom - strength(start + i / width * seconds) * (bottom - 28));
    context.lineTo(width, bottom);
    context.globalAlpha = .5;
    context.fillStyle = bar;
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = line;
  context.fillRect(0, bottom, width, 1);
  context.textAlign = 'center';
  context.font = font();
  for (let index = lowerBound(beats, start); index < beats.length && beats[index] <= start + seconds; index++) {
    const number = downbeats ? lowerBound(downbeats, beats[index] - .001) : -1;
    const isDownbeat = downbeats && Math.abs((downbeats[number] ?? Infinity) - beats[index]) < .001;
    context.fillStyle = isDownbeat || !downbeats ? accent : text;
    if (isDownbeat) {
      context.fillRect(x(beats[index]) - 1, 2, 2, bottom - 2);
      context.fillStyle = text;
      context.fillText(`bar ${number + 1}`, Math.max(18, Math.min(width - 18, x(beats[index]))), height - 4);
    } else {
      context.fillRect(x(beats[index]) - .5, downbeats ? bottom - 22 : 14, 1, downbeats ? 22 : bottom - 14);
    }
  }
  if (!downbeats) {
    context.fillStyle = text;
    for (let time = Math.max(0, Math.ceil(start / 2) * 2); time < Math.min(duration, start + seconds); time += 2) {
      context.fillText(clock(time), Math.max(14, Math.min(width - 14, x(time))), height - 4);
    }
  }
  context.fillStyle = getComputedStyle(canvas).color;
  context.fillRect(x(position) - .75, 0, 1.5, bottom);
}

/** Makes a canvas a slider over time: pointer and keys call `seek`; `place` gives position and duration. */
export function steer(canvas, { seek, place }) {
  let isPressed = false;
  const at = event => {
    const box = canvas.getBoundingClientRect();
    seek(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * place().duration);
  };
  canvas.addEventListener('pointerdown', event => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    isPressed = true;
    at(event);
  });
  canvas.addEventListener('pointermove', event => { if (isPressed) at(event); });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { isPressed = false; });
  canvas.addEventListener('keydown', event => {
    const { position, duration } = place();
    const to = { ArrowLeft: position - 5, ArrowDown: position - 5, ArrowRight: position + 5, ArrowUp: position + 5,
      PageUp: position + 30, PageDown: position - 30, Home: 0, End: duration }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    seek(Math.max(0, Math.min(duration, to)));
  });
}
export function tellPosition(canvas, position, duration) {
  canvas.setAttribute('aria-valuemax', Math.round(duration));
  canvas.setAttribute('aria-valuenow', Math.round(position));
  canvas.setAttribute('aria-valuetext', `${clock(position)} of ${clock(duration)}`);
}
