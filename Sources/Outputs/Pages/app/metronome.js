// The metronome: beats by the audio clock, scheduled ahead of time.

import { audioContext, Ticker } from './audio.js';
import { click, Pulse, SOUNDS } from './clicks.js';
import { kept } from './parts.js';

export const SLOWEST = 30, FASTEST = 300;

/** Schedules the clicks of a pulse into any audio context; `beats` (1: no accents) make a bar. */
export function scheduleClicks(context, destination, pulse, end, { beats, sound }) {
  return pulse.take(end).map(({ beat, time }) =>
    ({ beat, time, source: click(context, destination, time, { sound, isHigh: beats > 1 && beat % beats === 0 }) }));
}

/** Sends 'change' and, for the screen, 'beat' when one sounds. */
class Metronome extends EventTarget {
  bpm = 90;
  beats = 4;
  sound = 'click';
  isRunning = false;
  #pulse = null;
  #scheduled = [];
  #ticker = new Ticker(ahead => this.#schedule(ahead));

  constructor() {
    super();
    const { bpm, beats, sound } = kept.read('metronome', {});
    if (bpm >= SLOWEST && bpm <= FASTEST) this.bpm = bpm;
    if (beats >= 1 && beats <= 12) this.beats = beats;
    if (SOUNDS[sound]) this.sound = sound;
  }

  /** The node that the clicks go through, for a test that listens. */
  get output() {
    const context = audioContext();
    if (!this.gain) {
      this.gain = context.createGain();
      this.gain.connect(context.destination);
    }
    return this.gain;
  }

  toggle() {
    if (this.isRunning) this.stop();
      else this.start();
  }
  start() {
    const context = audioContext(), output = this.output;
    this.isRunning = true;
    this.#pulse = new Pulse(this.bpm, context.currentTime + .08);
    this.destination = output;
    this.#ticker.start();
    this.#changed();
  }
  stop() {
    this.isRunning = false;
    this.#ticker.stop();
    this.#silence(0);
    this.#changed();
  }
  setTempo(bpm) {
    this.bpm = Math.max(SLOWEST, Math.min(FASTEST, Math.round(bpm * 10) / 10));
    if (this.isRunning) {
      // Beats that were scheduled at the old tempo and have not sounded are scheduled again.
      const now = audioContext().currentTime, dropped = this.#silence(now + .02);
      if (dropped.length) this.#pulse.beat = dropped[0].beat;
      this.#pulse.setTempo(this.bpm);
      while (this.#pulse.next < now) this.#pulse.beat++;
    }
    this.#changed();
  }
  set(values) {
    Object.assign(this, values);
    this.#changed();
  }

  #changed() {
    kept.write('metronome', { bpm: this.bpm, beats: this.beats, sound: this.sound });
    this.dispatchEvent(new Event('change'));
  }
  /** Takes back the clicks after a time, and gives them. */
  #silence(after) {
    const dropped = this.#scheduled.filter(({ time }) => time > after);
    for (const { source } of dropped) source.stop();
    this.#scheduled = this.#scheduled.filter(({ time }) => time <= after);
    return dropped;
  }
  #schedule(ahead) {
    const context = audioContext(), now = context.currentTime;
    for (const each of scheduleClicks(context, this.destination, this.#pulse, now + ahead, this)) {
      this.#scheduled.push(each);
      setTimeout(() => {
        if (this.isRunning) this.dispatchEvent(new CustomEvent('beat', { detail: each.beat % this.beats }));
      }, Math.max(0, (each.time + (context.outputLatency || 0) - now) * 1000));
    }
    this.#scheduled = this.#scheduled.filter(({ time }) => time > now - 1);
  }
}

export const metronome = new Metronome();
