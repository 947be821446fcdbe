// Clicks over the music, to hear whether the beats are right.

import { Ticker } from './audio.js';
import { click } from './clicks.js';
import { lowerBound } from './shared.js';

/** Readings of both clocks that count; an element's clock alone is only exact to some milliseconds. */
const READINGS = 60;

/** Lays clicks on the times of an audio element whose sound goes through the same context. */
export class ClickTrack {
  isOn = false;
  #context = null;
  #audio = null;
  #beats = [];
  #downbeats = new Set();
  #offsets = [];
  #scheduled = [];
  #until = -Infinity;
  #ticker = new Ticker(ahead => this.#schedule(ahead));

  connect(context) {
    this.#context = context;
    this.output = context.createGain();
    this.output.gain.value = .8;
    this.output.connect(context.destination);
  }
  setOn(on, audio) {
    this.isOn = on;
    this.follow(audio);
    if (on) this.#ticker.start();
      else this.#ticker.stop();
  }
  follow(audio) {
    this.#audio = audio;
    this.restart();
  }
  /** Times in seconds; `downbeats` (null: not known) sound higher. */
  setBeats(beats, downbeats) {
    this.#beats = beats;
    this.#downbeats = new Set(downbeats || []);
    this.#drop();
  }
  /** After a pause or a jump. */
  restart() {
    this.#offsets = [];
    this.#drop();
  }

  /** What has been scheduled and not yet sounded does not sound. */
  #drop() {
    const now = this.#context?.currentTime ?? 0;
    for (const { source, time } of this.#scheduled) if (time > now) source.stop();
    this.#scheduled = [];
    this.#until = -Infinity;
  }

  #schedule(ahead) {
    const { currentTime: now } = this.#context, audio = this.#audio;
    if (!audio || audio.paused || audio.seeking || audio.readyState < 3) return;
    this.#offsets.push(audio.currentTime - now);
    if (this.#offsets.length > READINGS) this.#offsets.shift();
    if (this.#offsets.length < 4) return;
    const sorted = this.#offsets.slice().sort((a, b) => a - b), offset = sorted[sorted.length >> 1];
    const from = Math.max(this.#until, now + offset), end = now + offset + ahead;
    for (let index = lowerBound(this.#beats, from); index < this.#beats.length && this.#beats[index] < end; index++) {
      const beat = this.#beats[index], time = beat - offset;
      this.#scheduled.push({ time, source: click(this.#context, this.output, time, { isHigh: this.#downbeats.has(beat) }) });
    }
    this.#until = end;
    this.#scheduled = this.#scheduled.filter(({ time }) => time > now - 1);
  }
}
