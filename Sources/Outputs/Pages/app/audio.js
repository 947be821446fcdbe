// The one audio context of the app. Browsers let it run after a first key or click.

let context = null;
export function audioContext() {
  context ??= new AudioContext({ latencyHint: 'interactive' });
  if (context.state === 'suspended') context.resume();
  return context;
}

/** Calls `act` a few times a second as long as it is asked to, and how far ahead it must schedule. */
export class Ticker {
  constructor(act) {
    this.act = act;
    this.timer = 0;
  }
  start() {
    if (this.timer) return;
    this.timer = setInterval(() => this.act(Ticker.ahead), 25);
    this.act(Ticker.ahead);
  }
  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }
  /** Seconds. Timers of hidden pages run once a second. */
  static get ahead() { return document.hidden ? 1.6 : .15; }
}
