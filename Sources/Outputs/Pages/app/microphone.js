// What the microphone hears goes to a session of the server in chunks, and the server says what is playing.

import { ServerError, ask, request } from './server.js';

/** Seconds of sound in one chunk. */
const CHUNK = .25;

/**
 * Listens until `stop` is called or the session ends. `on` has functions for what happens: `ready`, `level` (0 to 1),
 * `match`, `noMatch`, `trackEnded`, `failed`.
 */
export class Microphone {
  #isOver = false;
  #queue = [];
  #isSending = false;

  constructor(on) { this.on = on; }

  async start() {
    if (!navigator.mediaDevices) throw new ServerError(0, 'The browser gives the microphone only to pages from this computer or over HTTPS.');
    // What makes voices clearer spoils music.
    this.stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
    if (this.#isOver) return this.#close();
    this.session = await ask('/v1/sessions', { method: 'POST' });
    this.context = new AudioContext();
    await this.context.audioWorklet.addModule('/app/microphone-worklet.js');
    if (this.#isOver) return this.#close();
    this.node = new AudioWorkletNode(this.context, 'microphone', { numberOfOutputs: 0,
      processorOptions: { frames: Math.round(CHUNK * this.context.sampleRate) } });
    this.node.port.onmessage = event => {
      this.on.level(event.data.peak);
      this.#queue.push(event.data.samples);
      // A server that is slow for long has missed too much to go on.
      if (this.#queue.length > 40) this.#fail('The server does not keep up.');
      this.#send();
    };
    this.context.createMediaStreamSource(this.stream).connect(this.node);
    await this.context.resume();
    this.#hear();
    this.on.ready();
  }

  stop() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#close();
    if (this.session) fetch(`/v1/sessions/${this.session.id}`, { method: 'DELETE' }).catch(() => {});
  }

  #close() {
    for (const track of this.stream?.getTracks() || []) track.stop();
    this.events?.close();
    if (this.context && this.context.state !== 'closed') this.context.close();
  }
  #fail(message) {
    if (this.#isOver) return;
    this.stop();
    this.on.failed(message);
  }

  #hear() {
    this.events = new EventSource(this.session.events);
    const listen = (name, act) => this.events.addEventListener(name, event => {
      if (event.data && !this.#isOver) act(JSON.parse(event.data));
    });
    listen('match', this.on.match);
    listen('no-match', this.on.noMatch);
    listen('track-ended', this.on.trackEnded);
    listen('error', about => this.#fail(about.message));
    listen('end', about => this.#fail(about.reason));
  }

  /** One chunk after the other, with its number, so that none is heard twice. */
  #number = 0;
  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#queue.length && !this.#isOver) {
      try {
        await request(`${this.session.audio}?sequence=${this.#number}`, { method: 'POST', body: this.#queue[0],
          headers: { 'Content-Type': `audio/pcm;rate=${this.context.sampleRate};channels=1;encoding=s16le` } });
        this.#queue.shift();
        this.#number++;
      } catch (error) {
        if (error.status === 429 || error.status === 503) await new Promise(done => setTimeout(done, 500));
          else this.#fail(error.message);
      }
    }
    this.#isSending = false;
  }
}
