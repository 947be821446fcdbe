// Clicks at exact times of an audio context: for the metronome and over the music.

export const SOUNDS = { click: 'Click', wood: 'Wood block', beep: 'Beep', tick: 'Tick' };

/** One period of every sound begins at its full height, so the time of a click is the time of its first frames. */
const SHAPES = {
  click: { low: 1100, high: 1600, decay: 90, seconds: .06 },
  wood: { low: 780, high: 1040, decay: 55, seconds: .09, overtone: 2.71 },
  beep: { low: 880, high: 1320, decay: 25, seconds: .12 },
  tick: { low: 3200, high: 4400, decay: 320, seconds: .02 }
};

const made = new WeakMap();
/** The frames of a click, computed once for each context. */
function frames(context, sound, isHigh) {
  if (!made.has(context)) made.set(context, new Map());
  const buffers = made.get(context), name = `${sound} ${isHigh}`;
  if (!buffers.has(name)) {
    const { low, high, decay, seconds, overtone } = SHAPES[sound] || SHAPES.click, rate = context.sampleRate;
    const buffer = context.createBuffer(1, Math.ceil(seconds * rate), rate), data = buffer.getChannelData(0);
    const frequency = isHigh ? high : low;
    for (let i = 0; i < data.length; i++) {
      const time = i / rate, fade = Math.min(1, (data.length - i) / (.002 * rate));
      let value = Math.cos(2 * Math.PI * frequency * time);
      if (overtone) value = .7 * value + .3 * Math.cos(2 * Math.PI * frequency * overtone * time);
      data[i] = .6 * value * Math.exp(-decay * time) * fade;
    }
    buffers.set(name, buffer);
  }
  return buffers.get(name);
}

/** A click that starts at `time` of the context. The returned node can be stopped. */
export function click(context, destination, time, { sound = 'click', isHigh = false } = {}) {
  const source = context.createBufferSource();
  source.buffer = frames(context, sound, isHigh);
  source.connect(destination);
  source.start(time);
  return source;
}

/**
 * Beats at a tempo, by their numbers: a beat's time is counted from an anchor and never added up, so nothing drifts.
 * Times are seconds of the audio clock.
 */
export class Pulse {
  constructor(bpm, start) {
    this.bpm = bpm;
    this.anchor = start;
    this.anchorBeat = 0;
    this.beat = 0;
  }
  /** When the next beat is due. */
  get next() { return this.anchor + (this.beat - this.anchorBeat) * 60 / this.bpm; }
  /** From the beat after the last one that was given out. */
  setTempo(bpm) {
    const last = this.beat > this.anchorBeat ? this.beat - 1 : this.beat;
    this.anchor += (last - this.anchorBeat) * 60 / this.bpm;
    this.anchorBeat = last;
    this.bpm = bpm;
  }
  /** The beats before `end`, which are not given out again. */
  take(end) {
    const beats = [];
    while (this.next < end) {
      beats.push({ beat: this.beat, time: this.next });
      this.beat++;
    }
    return beats;
  }
}

/** Tempo of taps at times in milliseconds; a pause of two seconds begins anew. */
export class Taps {
  constructor() { this.times = []; }
  add(time) {
    if (this.times.length && time - this.times.at(-1) > 2000) this.times = [];
    this.times.push(time);
    if (this.times.length > 16) this.times.shift();
    return this.bpm;
  }
  /** The slope of a line through the times, which a single late tap moves little; null for one tap. */
  get bpm() {
    const count = this.times.length;
    if (count < 2) return null;
    const middle = (count - 1) / 2, mean = this.times.reduce((sum, time) => sum + time, 0) / count;
    let above = 0, below = 0;
    this.times.forEach((time, index) => { above += (index - middle) * (time - mean); below += (index - middle) ** 2; });
    return 60_000 * below / above;
  }
}
