// Drawn sound: a whole track with its sections, and a close-up with beats and bars.

import { bytesOf, canvasFont, CLOSE_UP_FOOT, clock, drawBars, drawFaults, drawSeconds, prepare, scaled, themeColors } from './shared.js';
import { ask } from './server.js';

/** Heights from 0 to 1: `peaks` and `levels` over the whole track, and the onset strength for the close-up. */
export function soundOf(waveform, tempo) {
  if (waveform) {
    const minima = bytesOf(waveform.minima), maxima = bytesOf(waveform.maxima), rms = bytesOf(waveform.rms);
    const peaks = Float32Array.from(maxima, (value, index) => Math.max(value - 128, 128 - minima[index], 0) / 127);
    const fine = waveform.onsets ? bytesOf(waveform.onsets) : null;
    return { peaks, levels: Float32Array.from(rms, value => value / 255),
      onsets: fine ? { step: waveform.onset_step_s, values: scaled(fine) } : coarse(tempo) };
  }
  const onsets = coarse(tempo);
  return { peaks: onsets?.values || new Float32Array(0), levels: null, onsets };
}
const coarse = tempo => tempo?.onsets ? { step: tempo.onsets.step_s, values: scaled(tempo.onsets.values) } : null;

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

/** The whole track; what has been played is in the accent color. */
export function drawOverview(canvas, { sound, duration, position, sections = [], faults = [] }) {
  const place = prepare(canvas), { context, width, height } = place;
  if (!width) return;
  const { accent, text, line } = theme(), hasSections = sections.length > 1;
  const room = height - (hasSections ? 26 : 0), share = duration ? position / duration : 0;
  drawBars(place, sound, { middle: room / 2, bottom: room > 60 ? room : undefined, tallest: room - 4,
    isMarked: (from, to) => (from + to) / 2 < share }, theme());
  drawFaults(place, faults.map(fault => [fault.start_s, fault.end_s]), duration, theme());
  if (hasSections) {
    context.font = canvasFont();
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
  const place = prepare(canvas), { context, width, height } = place, seconds = windowOf(width);
  if (!width) return;
  const start = isStill.matches ? Math.floor(position / seconds) * seconds : position - seconds / 2;
  drawSeconds(place, { onsets: sound.onsets, beats, downbeats, start, seconds, duration }, theme());
  context.fillStyle = getComputedStyle(canvas).color;
  context.fillRect((position - start) / seconds * width - .75, 0, 1.5, height - CLOSE_UP_FOOT);
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
