// What plays: a queue of tracks, two audio elements that take turns, and clicks on the beats.

import { ask, query } from './server.js';
import { audioContext } from './audio.js';
import { ClickTrack } from './click-track.js';
import { isPlayable, kept, say, toast } from './parts.js';

/** The other element loads the next track this many seconds before the end. */
const PRELOAD = 25;
/** It is started this many seconds before the end: what an element needs from play() to its first sound. */
const START = .012;
/** With fewer tracks to come, more are asked for where the queue is the beginning of a longer list. */
const AHEAD = 20, STEP = 200;
/** As many tracks are kept in the browser, the first before the one that plays. */
const KEPT = 700, KEPT_BEFORE = 100;

/** Tracks for the queue: without files that failed, and without what a search has marked in their names. */
const playable = tracks => tracks.filter(isPlayable).map(({ marks, ...track }) => track);

/** Sends 'track' (another one, or none), 'state' (playing or not), 'queue', and 'clicks'. */
class Player extends EventTarget {
  queue = [];
  at = -1;
  /** What the server has behind the queue: `{ path, values, offset, count }`, a list that begins at `offset`; or null. */
  source = null;
  #elements = [new Audio(), new Audio()];
  #turn = 0;
  #isRouted = false;
  #join = 0;
  #clicks = new ClickTrack();

  constructor() {
    super();
    for (const audio of this.#elements) {
      audio.preload = 'auto';
      const mine = () => audio === this.audio;
      audio.addEventListener('ended', () => { if (mine()) this.#goOn(); });
      audio.addEventListener('timeupdate', () => { if (mine()) this.#prepareNext(); });
      audio.addEventListener('seeking', () => { if (mine()) this.#clicks.restart(); });
      for (const event of ['play', 'pause']) audio.addEventListener(event, () => { if (mine()) this.#changed(); });
      for (const event of ['seeked', 'durationchange']) audio.addEventListener(event, () => { if (mine()) this.#tell('time'); });
      audio.addEventListener('error', () => { if (mine() && audio.getAttribute('src')) this.#failed(); });
    }
    this.#restore();
    addEventListener('pagehide', () => this.#keep());
  }

  get audio() { return this.#elements[this.#turn]; }
  get #other() { return this.#elements[1 - this.#turn]; }
  get track() { return this.queue[this.at] || null; }
  get isPlaying() { return Boolean(this.track) && !this.audio.paused; }
  get position() { return this.track ? this.audio.currentTime || this.startAt || 0 : 0; }
  get duration() {
    const { duration } = this.audio;
    return isFinite(duration) && duration > 0 ? duration : this.track?.duration_s || 0;
  }
  get hasClicks() { return this.#clicks.isOn; }
  #tell(name) { this.dispatchEvent(new Event(name)); }

  /** How many tracks the queue has with those that are still on the server. */
  get total() { return this.queue.length + (this.source ? this.source.count - this.source.offset : 0); }

  /** Plays a list from one of its tracks, and then what is behind it in `source`. Files that failed are left out. */
  play(tracks, at = 0, position = 0, source = null) {
    this.queue = playable(tracks);
    if (!this.queue.length) return toast('Nothing here can be played.');
    this.source = source && source.offset < source.count ? source : null;
    this.#tell('queue');
    this.#start(Math.min(tracks.slice(0, at).filter(isPlayable).length, this.queue.length - 1), position);
  }

  toggle() {
    if (!this.track) return;
    if (this.audio.paused) this.resume();
      else this.audio.pause();
  }
  resume() {
    if (!this.audio.getAttribute('src')) return this.#start(this.at, this.startAt || 0);
    if (this.#isRouted) audioContext();
    this.audio.play().catch(error => this.#refused(error));
  }
  pause() { this.audio.pause(); }

  seek(seconds) {
    if (!this.track) return;
    this.#cancelJoin();
    const position = Math.max(0, Math.min(this.duration - .05, seconds));
    if (this.audio.getAttribute('src')) this.audio.currentTime = position;
      else this.startAt = position;
    this.#tell('time');
  }

  async next() {
    if (this.at + 1 >= this.queue.length) await this.#extend();
    if (this.at + 1 < this.queue.length) this.#start(this.at + 1);
  }
  /** To the beginning, or near it to the track before. */
  previous() {
    if (this.position > 4 || this.at < 1) this.seek(0);
      else this.#start(this.at - 1);
  }

  /** Puts tracks at the end of the queue, or behind the one that plays. */
  add(tracks, isNext = false) {
    if (!this.track) return this.play(tracks);
    this.queue.splice(isNext ? this.at + 1 : this.queue.length, 0, ...playable(tracks));
    this.#queueChanged();
  }
  remove(index) {
    if (index === this.at) {
      const wasPlaying = this.isPlaying;
      this.queue.splice(index, 1);
      this.#stop();
      this.at = -1;
      if (index < this.queue.length) this.#start(index, 0, wasPlaying);
        else this.#tell('track');
    } else {
      this.queue.splice(index, 1);
      if (index < this.at) this.at--;
    }
    this.#queueChanged();
  }
  move(from, to) {
    const playing = this.track, [moved] = this.queue.splice(from, 1);
    this.queue.splice(to, 0, moved);
    this.at = this.queue.indexOf(playing);
    this.#queueChanged();
  }
  jump(index) { this.#start(index); }
  clearAfter() {
    this.queue.length = this.at + 1;
    this.source = null;
    this.#queueChanged();
  }

  /** Clicks on the beats of the track that plays. */
  toggleClicks() {
    if (!this.hasClicks) this.#route();
    this.#clicks.setOn(!this.hasClicks, this.audio);
    if (this.hasClicks) this.#loadBeats();
    this.#tell('clicks');
  }
  /** Clicks where a correction would put the beats; null for those that are stored. */
  setBeats(id, beats, downbeats) {
    if (this.track?.id === id) this.#clicks.setBeats(beats, downbeats);
  }
  /** Both audio elements and the clicks, for a test that listens. */
  get outputs() { return { music: this.#sources, clicks: this.#clicks.output }; }

  async #loadBeats() {
    const { track } = this;
    if (!track) return;
    this.#clicks.setBeats([], null);
    try {
      const { tempo } = await ask(`tracks/${track.id}`);
      if (track !== this.track) return;
      if (tempo?.beats_s?.length) this.#clicks.setBeats(tempo.beats_s, tempo.downbeats_s);
        else toast('No beats are known for this track.');
    } catch (error) {
      toast(error.message);
    }
  }

  #start(index, position = 0, plays = true) {
    this.#cancelJoin();
    this.at = index;
    this.startAt = 0;
    const { track } = this, next = this.#other;
    if (next.dataset.id === track.id && position === 0 && next.readyState >= 2 && next.currentTime < .02) this.#swap();
    else {
      this.#stop();
      this.audio.dataset.id = track.id;
      this.audio.src = `/media/tracks/${track.id}`;
      if (position) this.audio.currentTime = position;
    }
    this.#trackChanged();
    if (plays) this.resume();
  }
  #stop() {
    for (const audio of this.#elements) {
      audio.pause();
      audio.removeAttribute('src');
      delete audio.dataset.id;
      audio.load();
    }
  }
  /** The element that has the next track takes over. */
  #swap() {
    const old = this.audio;
    this.#turn = 1 - this.#turn;
    old.pause();
    old.removeAttribute('src');
    delete old.dataset.id;
    old.load();
  }

  #prepareNext() {
    const next = this.queue[this.at + 1], left = this.duration - this.audio.currentTime;
    if (!next || this.audio.paused || left > PRELOAD) return;
    if (this.#other.dataset.id !== next.id) {
      this.#other.dataset.id = next.id;
      this.#other.src = `/media/tracks/${next.id}`;
    }
    if (left < 1 && !this.#join) {
      this.#join = setTimeout(() => {
        if (!this.audio.paused) this.#other.play().catch(() => { /* starts at the end then */ });
      }, Math.max(0, (this.duration - this.audio.currentTime - START) * 1000));
    }
  }
  #cancelJoin() {
    clearTimeout(this.#join);
    this.#join = 0;
    if (!this.#other.paused) {
      this.#other.pause();
      this.#other.currentTime = 0;
    }
  }
  async #goOn() {
    this.#join = 0;
    if (this.at + 1 >= this.queue.length) {
      const { track } = this;
      await this.#extend();
      if (track !== this.track) return;
      if (this.at + 1 >= this.queue.length) return this.#changed();
    }
    if (this.#other.dataset.id === this.queue[this.at + 1].id) {
      this.at++;
      this.#swap();
      this.#trackChanged();
      if (this.audio.paused) this.resume();
    } else {
      this.#start(this.at + 1);
    }
  }

  #extension = null;
  /** Asks for more of a longer list. */
  async #extend() {
    const isShort = () => this.source && this.queue.length - this.at <= AHEAD;
    if (!isShort()) return;
    this.#extension ??= (async () => {
      try {
        while (isShort()) {
          const { source } = this, found = await ask(`${source.path}${query({ ...source.values, limit: STEP, offset: source.offset })}`);
          if (source !== this.source) continue;
          const { items } = found.tracks || found, offset = source.offset + items.length;
          this.source = items.length && offset < source.count ? { ...source, offset } : null;
          this.queue.push(...playable(items));
          this.#tell('queue');
          this.#keep();
        }
      } catch (error) {
        toast(`The rest of the list is not there. ${error.message}`);
      } finally {
        this.#extension = null;
      }
    })();
    await this.#extension;
  }

  #failed() {
    const { track } = this;
    toast(`${track.title || track.file} cannot be played here.`);
    if (this.at + 1 < this.queue.length) this.#start(this.at + 1);
      else this.#changed();
  }
  #refused(error) {
    if (error.name === 'NotAllowedError') toast('The browser wants a click before it plays. Press Play.');
    this.#changed();
  }

  #changed() {
    this.#clicks.restart();
    if ('mediaSession' in navigator) navigator.mediaSession.playbackState = this.isPlaying ? 'playing' : 'paused';
    this.#tell('state');
  }
  #trackChanged() {
    const { track } = this;
    this.#clicks.follow(this.audio);
    if (this.hasClicks) this.#loadBeats();
    this.#tell('track');
    this.#tell('state');
    say(`Now: ${track.title || track.file}`);
    this.#keep();
    this.#extend();
    if (!('mediaSession' in navigator)) return;
    navigator.mediaSession.metadata = new MediaMetadata({ title: track.title || track.file, artist: track.artist || '',
      album: track.album?.name || '' });
    const acts = { play: () => this.resume(), pause: () => this.pause(), nexttrack: () => this.next(),
      previoustrack: () => this.previous(), seekto: event => this.seek(event.seekTime),
      seekbackward: event => this.seek(this.position - (event.seekOffset || 10)),
      seekforward: event => this.seek(this.position + (event.seekOffset || 10)), stop: () => this.pause() };
    for (const [name, act] of Object.entries(acts)) {
      try { navigator.mediaSession.setActionHandler(name, act); } catch { /* not in this browser */ }
    }
  }
  #queueChanged() {
    this.#cancelJoin();
    this.#tell('queue');
    this.#keep();
  }

  #sources = null;
  /** Music and clicks go through one context, so that both are equally late. */
  #route() {
    if (this.#isRouted) return;
    this.#isRouted = true;
    const context = audioContext();
    this.#sources = this.#elements.map(audio => context.createMediaElementSource(audio));
    for (const source of this.#sources) source.connect(context.destination);
    this.#clicks.connect(context);
  }

  /** The queue outlives the page, without playing. */
  #keep() {
    const first = Math.max(0, this.at - KEPT_BEFORE), end = first + KEPT;
    kept.write('queue', { tracks: this.queue.slice(first, end), at: this.at - first, position: Math.round(this.position),
      source: end < this.queue.length ? null : this.source });
  }
  #restore() {
    const { tracks, at, position, source } = kept.read('queue', {});
    if (!Array.isArray(tracks) || !tracks[at]) return;
    [this.queue, this.at, this.startAt, this.source] = [tracks, at, position || 0, source || null];
  }
}

export const player = new Player();
