// Correcting tempo, beats and bars. The server says what would be; nothing is stored before Save.

import { element, oneDecimal, percent, withOwnTempo } from './shared.js';
import { button, later, say } from './parts.js';
import { Taps } from './clicks.js';
import { player } from './player.js';
import { ask } from './server.js';

const TIMES = [['Half', '1/2'], ['Double', '2'], ['3/2', '3/2'], ['2/3', '2/3']];

/** What a person wants, as the body of a request; null if it is what there is. */
class Wish {
  constructor() { this.clear(); }
  clear() { Object.assign(this, { times: null, bpm: null, halfBeat: false, shift: 0, bar: 0 }); }
  body(bpm) {
    const body = {};
    if (this.times) body.times = this.times;
    if (this.bpm) body.bpm = this.bpm;
    // The half beat and the milliseconds are one shift: a request has one.
    if (this.halfBeat && !this.shift) body.shift_beats = .5;
      else if (this.halfBeat) body.shift_ms = Math.round(30_000 / bpm) + this.shift;
      else if (this.shift) body.shift_ms = this.shift;
    if (this.bar) body.move_bar = this.bar;
    return Object.keys(body).length ? body : null;
  }
}

/** `{nodes, start, knows}`; `show` draws a tempo's beats. */
export function correction({ track, tempo: stored }, show) {
  const wish = new Wish(), taps = new Taps();
  let tempo = stored, preview = null, isBusy = false, note = '', step = 0;
  const path = `tracks/${track.id}/tempo`, nodes = {};
  const shown = () => preview || tempo;

  const send = async (address, options, quiet) => {
    isBusy = true;
    paint();
    try {
      const answer = await ask(address, options);
      note = answer.text;
      if (!quiet) say(answer.text);
      return answer;
    } catch (error) {
      note = error.message;
      say(note);
      return null;
    } finally {
      isBusy = false;
    }
  };
  const changed = async () => {
    const body = wish.body((preview || tempo).bpm || 120), mine = ++step;
    if (!body) {
      preview = null;
      note = '';
    } else {
      const answer = await send(path, { method: 'PUT', body: { ...body, preview: true } }, true);
      if (mine !== step) return;
      preview = answer ? answer.tempo : null;
    }
    show(shown());
    paint();
  };
  const soon = later(120, changed);
  const want = values => { Object.assign(wish, values); paint(); soon(); };
  const store = async (address, options) => {
    step++;
    const answer = await send(address, options);
    if (answer) {
      tempo = answer.tempo;
      preview = null;
      wish.clear();
      taps.times = [];
    }
    show(shown());
    paint();
  };

  const candidates = element('ul', { class: 'candidates' });
  const choices = () => {
    const found = (tempo.candidates || []).filter(each => each.weight >= .005).map(each => [each.bpm, each.weight]);
    return (tempo.bpm != null && found.length ? withOwnTempo(found, tempo.bpm) : found).slice(0, 5);
  };
  const paintCandidates = () => candidates.replaceChildren(...choices().map(([bpm, weight]) => {
    const isShown = shown().bpm != null && Math.abs(bpm / shown().bpm - 1) < .005;
    const share = element('i');
    share.style.width = percent(Math.min(1, weight ?? 0));
    const node = element('button', { type: 'button', 'aria-pressed': String(isShown), class: 'candidate' },
      element('span', { class: 'num', text: `${oneDecimal(bpm)} BPM` }), element('span', { class: 'track' }, share),
      element('span', { class: 'dim', text: weight != null ? `${percent(weight)} of the evidence`
        : tempo.locked ? 'set by you' : 'not among the first five' }));
    node.addEventListener('click', () => want({ times: null, bpm: bpm === tempo.bpm ? null : bpm }));
    return element('li', {}, node);
  }));

  function paint() {
    const now = shown(), isChanged = wish.body(1) != null, { bpm } = now;
    nodes.bpm.textContent = bpm == null ? 'no beat' : oneDecimal(bpm);
    nodes.unit.textContent = bpm == null ? '' : now.metre && now.downbeats_s ? `BPM · ${now.metre}` : 'BPM';
    nodes.why.textContent = isChanged && tempo.bpm != null ? `Before: ${oneDecimal(tempo.bpm)} BPM. Now: ${
      preview?.bpm != null ? `${oneDecimal(preview.bpm)} BPM` : '…'}` : tempo.bpm == null
      ? tempo.reason || 'No steady beat was found. Ambient, spoken or very free music often has none.'
      : tempo.locked ? `Set by you.${tempo.found?.bpm ? ` The analysis found ${oneDecimal(tempo.found.bpm)} BPM.` : ''}` : tempo.text;
    for (const [text, times] of TIMES) nodes[text].setAttribute('aria-pressed', wish.times === times);
    nodes.halfBeat.setAttribute('aria-pressed', wish.halfBeat);
    const shift = wish.shift + (wish.halfBeat && bpm ? 30_000 / bpm : 0), milliseconds = Math.abs(Math.round(shift));
    nodes.shift.textContent = [`Grid shift: ${shift < 0 ? '−' : shift > 0 ? '+' : ''}${milliseconds} ms`,
      wish.bar ? `bar start +${wish.bar}` : ''].filter(Boolean).join(' · ');
    for (const name of ['earlier', 'later', 'halfBeat']) nodes[name].disabled = !now.beats_s?.length;
    nodes.bar.disabled = !now.downbeats_s;
    nodes.bar.title = now.downbeats_s ? '' : 'No bars are known for this track.';
    nodes.save.disabled = !isChanged || isBusy;
    nodes.reset.hidden = !isChanged;
    nodes.undo.disabled = isBusy || !tempo.states?.length;
    nodes.original.hidden = !tempo.locked || isChanged;
    nodes.note.textContent = isChanged && !isBusy ? `Not saved yet. ${note}`.trim()
      : note || (tempo.locked ? 'Your value is stored. Corrections survive every later run.'
        : 'No changes. Corrections survive every later run.');
    const { times } = taps, tapped = taps.bpm;
    nodes.tap.textContent = !times.length ? 'Tap the beat' : tapped ? `${oneDecimal(tapped)} BPM from ${times.length} taps`
      : 'Keep tapping';
    nodes.history.replaceChildren(...(tempo.states || []).map(state => element('li', {},
      element('span', { class: 'dim', text: new Date(state.at).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' }) }),
      element('span', { text: state.text }),
      button('Back to this', { class: 'link', 'aria-label': `Back to ${state.text}` }, () =>
        store(`${path}/undo`, { method: 'POST', body: { to: state.id } })))));
    nodes.past.hidden = !tempo.states?.length;
    paintCandidates();
  }

  const make = (name, text, attributes, act) => { nodes[name] = button(text, attributes, act); return nodes[name]; };
  nodes.bpm = element('span', { id: 'bpm' });
  nodes.unit = element('small');
  nodes.why = element('p', { class: 'say', id: 'why' });
  nodes.shift = element('p', { class: 'say', id: 'shift' });
  nodes.note = element('span', { id: 'note' });
  nodes.history = element('ol', { class: 'history' });
  nodes.past = element('details', { class: 'past' }, element('summary', { text: 'Earlier values' }), nodes.history);
  const tap = make('tap', 'Tap the beat', { class: 'tap', id: 'tap', title: 'Or press T' }, () => {
    taps.add(performance.now());
    if (taps.times.length >= 4) want({ times: null, bpm: Math.round(taps.bpm * 10) / 10 });
      else paint();
  });
  const all = [
    element('section', { class: 'fix', 'aria-label': 'Tempo and its correction' },
      element('div', {}, element('h2', { text: 'Tempo' }), element('div', { class: 'tempo-now' }, nodes.bpm, nodes.unit), nodes.why,
        candidates),
      element('div', {}, element('h2', { text: 'Wrong speed?' }), element('div', { class: 'btns' }, TIMES.map(([text, times]) =>
        make(text, text, { 'aria-pressed': false, 'aria-label': { '3/2': 'Times three halves', '2/3': 'Times two thirds' }[text] },
          () => want({ bpm: null, times: wish.times === times ? null : times })))), tap),
      element('div', {}, element('h2', { text: 'Beats off?' }), element('div', { class: 'btns' },
        make('earlier', 'Earlier', { title: '10 ms' }, () => want({ shift: wish.shift - 10 })),
        make('later', 'Later', { title: '10 ms' }, () => want({ shift: wish.shift + 10 })),
        make('halfBeat', 'Half a beat', { 'aria-pressed': false }, () => want({ halfBeat: !wish.halfBeat }))),
      element('div', { class: 'btns' }, make('bar', 'Move bar start one beat', {}, () => want({ bar: wish.bar + 1 }))), nodes.shift)),
    element('div', { class: 'save' },
      make('save', 'Save', { class: 'btn primary', id: 'save' }, () =>
        store(path, { method: 'PUT', body: wish.body(tempo.bpm || 120) })),
      make('reset', 'Cancel', {}, () => { wish.clear(); taps.times = []; changed(); }),
      make('undo', 'Undo', { id: 'undo', title: 'Back to the value before' }, () => store(`${path}/undo`, { method: 'POST', body: {} })),
      make('original', 'Use what was found', {}, () => store(path, { method: 'DELETE' })), nodes.note),
    nodes.past
  ];
  paint();
  return {
    nodes: all,
    /** Whether a change that the server tells of is known here, or about to be. */
    knows: change => isBusy || (change.bpm === tempo.bpm && change.locked === tempo.locked),
    start() {
      const key = event => {
        if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.metaKey || event.altKey || event.repeat
          || event.target.matches('input:not([type=range]), select, textarea')) return;
        event.preventDefault();
        tap.click();
      };
      // Taps count from the press: a click comes when the button is released.
      tap.addEventListener('pointerdown', event => event.preventDefault());
      addEventListener('keydown', key);
      return () => {
        removeEventListener('keydown', key);
        player.setBeats(track.id, tempo.beats_s || [], tempo.downbeats_s);
      };
    }
  };
}
