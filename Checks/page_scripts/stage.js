// Stands in for what the scripts of the pages use and a test must control: time, the server, sound, canvases and storage. It runs
// before the scripts of the page. Tests use `stage`, `same` and `tests`.
'use strict';
(() => {
  const real = { setTimeout: window.setTimeout.bind(window), getContext: HTMLCanvasElement.prototype.getContext };
  const failures = [];
  window.tests = {};

  /* Comparing */

  const plain = value => {
    if (value === null || typeof value !== 'object') return typeof value === 'number' && !Number.isInteger(value) && isFinite(value)
      ? +value.toPrecision(12) : value === undefined ? 'undefined' : typeof value === 'number' && !isFinite(value) ? String(value) : value;
    if (value instanceof Node) return outline(value);
    if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, plain);
    if (value instanceof Map || value instanceof Set) return [...value].map(plain);
    return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined).map(([name, each]) => [name, plain(each)]));
  };
  /** Notes a failure unless both are alike; numbers may differ in the 13th digit. */
  window.same = (found, wanted, what = '') => {
    const [a, b] = [found, wanted].map(value => JSON.stringify(plain(value)));
    if (a !== b) failures.push(`${what}: ${a?.slice(0, 700)}\n    instead of ${b?.slice(0, 700)}`);
  };
  /** A table of calls: each row has arguments and, last, what they must give. */
  window.cases = (name, act, rows) => {
    for (const row of rows) same(act(...row.slice(0, -1)), row.at(-1),
      `${name}(${row.slice(0, -1).map(each => JSON.stringify(plain(each))).join(', ')})`);
  };

  /** An element as indented lines, for pictures that people can read. */
  window.outline = (node, indent = '') => {
    if (node.nodeType === 3) return node.data.trim() ? `${indent}${JSON.stringify(node.data)}\n` : '';
    const attributes = [...node.attributes].filter(({ name }) => name !== 'class').map(({ name, value }) => ` ${name}="${value}"`).join('');
    const classes = node.getAttribute('class'), name = `${indent}${node.localName}${classes ? `.${classes.replaceAll(' ', '.')}` : ''}${attributes}`;
    const shown = node.onclick ? `${name} (onclick)` : name;
    if (node.childNodes.length === 1 && node.firstChild.nodeType === 3) return `${shown} ${JSON.stringify(node.textContent)}\n`;
    return `${shown}\n${[...node.childNodes].map(child => outline(child, `${indent}  `)).join('')}`;
  };

  /* Time */

  let now = 0, number = 0;
  const timers = new Map();
  const later = (act, delay = 0, every = null) => { timers.set(++number, { act, at: now + Math.max(0, +delay || 0), every }); return number; };
  window.setTimeout = (act, delay) => later(act, delay);
  window.setInterval = (act, delay) => later(act, delay, delay);
  window.clearTimeout = window.clearInterval = id => { timers.delete(id); };
  window.requestAnimationFrame = act => later(() => act(now), 16);
  window.requestIdleCallback = (act, { timeout } = {}) => { stage.idle.push(timeout); return later(act, 20); };
  performance.now = () => now;
  /** Until promises that nothing holds back have come to their end. */
  const channel = new MessageChannel(), waiting = [];
  channel.port1.onmessage = () => waiting.shift()();
  const calm = async () => {
    for (let round = 0; round < 4; round++) await new Promise(done => { waiting.push(done); channel.port2.postMessage(0); });
  };

  /* The server */

  async function answerOf(address, options = {}) {
    const { method = 'GET', body, signal } = options;
    const aborted = () => new DOMException('aborted', 'AbortError');
    if (signal?.aborted) throw aborted();
    const asked = { method, address, body: typeof body === 'string' ? JSON.parse(body) : body ?? null };
    stage.asked.push(asked);
    const short = address.replace('/app/api/', ''), plainPath = short.split('?')[0];
    let answer = [`${method} ${short}`, short, `${method} ${plainPath}`, plainPath].map(name => stage.answers[name]).find(each => each !== undefined);
    if (typeof answer === 'function') answer = await answer(asked, options);
    if (signal?.aborted) throw aborted();
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    return answer === undefined ? new Response(JSON.stringify({ error: { message: `no answer for ${short}` } }), { status: 404 })
      : new Response(JSON.stringify(answer));
  }
  window.fetch = answerOf;

  class Port extends EventTarget {
    sent = [];
    postMessage(message) { this.sent.push(message); }
    start() { this.isStarted = true; }
    close() {}
  }
  window.SharedWorker = class { constructor(address) { this.port = stage.port = new Port(); this.port.address = address; } };
  window.EventSource = class extends EventTarget {
    static CLOSED = 2;
    readyState = 0;
    constructor(address) { super(); this.address = address; stage.sources.push(this); }
    close() { this.readyState = 2; }
    tell(name, data) { this.dispatchEvent(data === undefined ? new Event(name) : new MessageEvent(name,
      { data: typeof data === 'string' ? data : JSON.stringify(data) })); }
  };

  /* Sound */

  class Audio extends EventTarget {
    #attributes = {};
    dataset = {};
    paused = true;
    seeking = false;
    readyState = 0;
    duration = NaN;
    loads = 0;
    #currentTime = 0;
    constructor() { super(); stage.audios.push(this); }
    get currentTime() { return this.#currentTime; }
    set currentTime(seconds) { this.#currentTime = seconds; this.dispatchEvent(new Event('seeking')); }
    /** As time passes, without a jump. */
    reach(seconds) { this.#currentTime = seconds; this.dispatchEvent(new Event('timeupdate')); }
    get src() { return this.#attributes.src ?? ''; }
    set src(address) { this.#attributes.src = address; this.#currentTime = 0; this.readyState = 4; this.paused = true; }
    getAttribute(name) { return this.#attributes[name] ?? null; }
    removeAttribute(name) { delete this.#attributes[name]; }
    load() { this.loads++; this.#currentTime = 0; if (!this.#attributes.src) { this.readyState = 0; this.duration = NaN; } }
    async play() {
      if (stage.refusal) throw stage.refusal;
      this.paused = false;
      this.dispatchEvent(new Event('play'));
    }
    pause() {
      if (this.paused) return;
      this.paused = true;
      this.dispatchEvent(new Event('pause'));
    }
  }
  window.Audio = Audio;

  class AudioNode {
    constructor(context) { this.context = context; this.connected = []; }
    connect(other) { this.connected.push(other); return other; }
  }
  class FakeContext {
    currentTime = 0;
    sampleRate = 1000;
    state = 'suspended';
    outputLatency = 0;
    resumed = 0;
    clicks = [];
    constructor(options) { this.options = options; this.destination = new AudioNode(this); stage.contexts.push(this); }
    resume() { this.resumed++; this.state = 'running'; }
    close() { this.state = 'closed'; }
    createGain() { return Object.assign(new AudioNode(this), { gain: { value: 1 } }); }
    createMediaElementSource(audio) { return Object.assign(new AudioNode(this), { audio }); }
    createMediaStreamSource(stream) { return Object.assign(new AudioNode(this), { stream }); }
    createBuffer(channels, length, rate) { const data = new Float32Array(length); return { channels, length, rate, getChannelData: () => data }; }
    createBufferSource() {
      const source = Object.assign(new AudioNode(this), { stopped: false });
      source.start = time => { source.time = time; this.clicks.push(source); };
      source.stop = () => { source.stopped = true; };
      return source;
    }
    audioWorklet = { addModule: async address => { this.worklet = address; } };
  }
  window.AudioContext = FakeContext;
  window.AudioWorkletNode = class extends AudioNode {
    constructor(context, name, options) { super(context); Object.assign(this, { name, options, port: new Port() }); context.node = this; }
  };

  /* Canvases */

  const pens = new WeakMap();
  /** Notes what is drawn. Letters are six wide. */
  function pen(canvas) {
    const lines = [];
    pens.set(canvas, lines);
    const number = value => typeof value === 'number' ? +value.toFixed(2) : value;
    return new Proxy({}, {
      get: (state, name) => name === 'measureText' ? text => ({ width: text.length * 6 }) : name === 'getImageData' ? undefined
        : state[name] ?? ((...values) => { lines.push(`${name} ${values.map(number).join(' ')}`); }),
      set(state, name, value) { state[name] = value; lines.push(`${name} = ${number(value)}`); return true; }
    });
  }
  HTMLCanvasElement.prototype.getContext = function () { return pen(this); };

  /** Covers are not asked for. */
  HTMLImageElement.prototype.setAttribute = function (name, value) { Element.prototype.setAttribute.call(this, name === 'src' ? 'data-src' : name,
    value); };

  /* The stage */

  window.stage = {
    answers: {}, asked: [], sources: [], audios: [], contexts: [], idle: [], port: null, refusal: null, pictures: {},
    calm,
    get now() { return now; },
    /** Lets time pass, with what happens in it. */
    async pass(milliseconds) {
      await calm();
      for (const end = now + milliseconds; ;) {
        const due = [...timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
        if (!due) { now = end; return; }
        const [id, timer] = due;
        now = Math.max(now, timer.at);
        if (timer.every === null) timers.delete(id);
          else timer.at = now + timer.every;
        timer.act();
        await calm();
      }
    },
    timers: () => timers.size,
    /** What was drawn last on a canvas; colors by their names in `colors`. */
    drawn(canvas, colors = {}) {
      let text = (pens.get(canvas) || []).filter(line => !line.startsWith('font')).join('\n');
      for (const [name, color] of Object.entries(colors)) text = text.replaceAll(color, name);
      return text;
    },
    /** A text that must be as it was when it was recorded. */
    picture(name, text) { stage.pictures[name] = typeof text === 'string' ? text.trimEnd() : outline(text).trimEnd(); },
    key(node, key, more = {}) {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
      node.dispatchEvent(event);
      return event.defaultPrevented;
    },
    pointer(node, kind, x = 0, y = 0, more = {}) {
      node.setPointerCapture = () => {};
      const event = new PointerEvent(kind, { clientX: x, clientY: y, bubbles: true, cancelable: true, pointerId: 1, ...more });
      node.dispatchEvent(event);
      return event.defaultPrevented;
    },
    texts: (selector, within = document) => [...within.querySelectorAll(selector)].map(node => node.textContent),
    text: (selector, within = document) => within.querySelector(selector)?.textContent ?? null,
    error: (status, message, code) => new Response(message === undefined ? 'no JSON' : JSON.stringify({ error: { message, code } }), { status }),
    /** Calls of methods of an object, until `restore`. */
    spy(object, name, act) {
      const calls = [], old = object[name], own = Object.getOwnPropertyDescriptor(object, name);
      object[name] = (...values) => { calls.push(values); return act ? act(...values) : undefined; };
      calls.restore = () => { if (own) Object.defineProperty(object, name, own); else delete object[name]; };
      calls.old = old;
      return calls;
    },
    /** Whether each call of `focus` while `act` runs leaves the page where it is scrolled to. */
    async focusing(act) {
      const old = HTMLElement.prototype.focus, list = [];
      HTMLElement.prototype.focus = function (options) { list.push(options?.preventScroll === true); old.call(this, options); };
      try { await act(); } finally { HTMLElement.prototype.focus = old; }
      return list;
    },
    async run(name) {
      failures.length = 0;
      stage.pictures = {};
      try {
        await Promise.race([window.tests[name](), new Promise((_, refuse) => real.setTimeout(() => refuse(new Error('it takes more than 10 s')),
          10_000))]);
      } catch (error) {
        failures.push(`${error.stack || error}`);
      }
      return { failures: failures.slice(), pictures: stage.pictures };
    }
  };
})();
