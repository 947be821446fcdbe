// The metronome's screen.

import { element, oneDecimal } from './shared.js';
import { button, title } from './parts.js';
import { SOUNDS, Taps } from './clicks.js';
import { FASTEST, metronome, SLOWEST } from './metronome.js';
import { player } from './player.js';
import { ask } from './server.js';

export async function showMetronome(_, parameters) {
  if (+parameters.get('bpm')) metronome.setTempo(+parameters.get('bpm'));
  const taps = new Taps(), number = element('div', { class: 'number', id: 'metronome-bpm', role: 'status' }),
    unit = element('p', { class: 'unit' }), dots = element('div', { class: 'beats-row', 'aria-hidden': 'true' });
  const range = element('input', { type: 'range', min: SLOWEST, max: FASTEST, step: 1, 'aria-label': 'Tempo, BPM' });
  range.addEventListener('input', () => metronome.setTempo(+range.value));
  const step = (text, by, label) =>
    button(text, { class: 'step', 'aria-label': label, id: `step${by}` }, () => metronome.setTempo(metronome.bpm + by));
  const go = button('Start', { class: 'btn primary go', id: 'go' }, () => metronome.toggle());
  const tap = button('Tap', { id: 'metronome-tap', title: 'Or press T' }, () => {
    const bpm = taps.add(performance.now());
    if (bpm) metronome.setTempo(bpm);
  });
  const use = button('Use track’s tempo', { id: 'use-tempo' }, async () => {
    const { track } = await ask(`tracks/${player.track.id}`);
    if (track.tempo_bpm != null) metronome.setTempo(track.tempo_bpm);
  });
  const choice = (id, text, options, value, act) => {
    const node = element('select', { id }, options.map(([each, name]) => element('option', { value: each, text: name, selected: each === value })));
    node.addEventListener('change', () => act(node.value));
    return element('label', {}, text, node);
  };
  const meters = choice('meter', 'Beats in a bar', [['1', 'none'], ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(count => [String(count), String(count)])],
    String(metronome.beats), value => metronome.set({ beats: +value }));
  const sounds = choice('sound', 'Sound', Object.entries(SOUNDS), metronome.sound, value => metronome.set({ sound: value }));

  const paint = () => {
    const { bpm, beats, isRunning } = metronome;
    number.textContent = bpm % 1 ? oneDecimal(bpm) : String(bpm);
    unit.textContent = `BPM · ${(60 / bpm).toFixed(3)} s between clicks`;
    range.value = bpm;
    range.setAttribute('aria-valuetext', `${bpm} BPM`);
    go.textContent = isRunning ? 'Stop' : 'Start';
    use.disabled = player.track?.tempo_bpm == null;
    if (dots.childElementCount !== beats) dots.replaceChildren(...Array.from({ length: beats }, () => element('i')));
    if (!isRunning) light(0);
  };
  const light = beat => { for (const [index, dot] of [...dots.children].entries()) dot.classList.toggle('on', index === beat); };
  const beat = event => light(event.detail);
  const key = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.target.matches('input, select')) return;
    const acts = { t: () => tap.click(), ArrowUp: () => metronome.setTempo(metronome.bpm + 1), s: () => metronome.toggle(),
      ArrowDown: () => metronome.setTempo(metronome.bpm - 1), ArrowRight: () => metronome.setTempo(metronome.bpm + 5),
      ArrowLeft: () => metronome.setTempo(metronome.bpm - 5) };
    const act = acts[event.key];
    if (!act || (event.repeat && event.key === 't')) return;
    event.preventDefault();
    act();
  };
  paint();
  return {
    name: 'Metronome',
    nodes: [element('div', { class: 'metronome' }, title('Metronome', { class: 'sr' }), number, unit, dots,
      element('div', { class: 'slider' }, step('−5', -5, 'Slower by 5 BPM'), step('−1', -1, 'Slower by 1 BPM'), range,
        step('+1', 1, 'Faster by 1 BPM'), step('+5', 5, 'Faster by 5 BPM')),
      element('div', { class: 'btns' }, tap, go, use),
      element('div', { class: 'btns' }, meters, sounds),
      element('p', { class: 'hint keys' }, 'Keys: ', element('kbd', { text: 'S' }), ' start and stop, ', element('kbd', { text: 'T' }),
        ' tap, ', element('kbd', { text: '↑' }), ' ', element('kbd', { text: '↓' }), ' 1 BPM, ', element('kbd', { text: '←' }), ' ',
        element('kbd', { text: '→' }), ' 5 BPM'))],
    shown: () => {
      metronome.addEventListener('change', paint);
      metronome.addEventListener('beat', beat);
      player.addEventListener('track', paint);
      addEventListener('keydown', key);
    },
    leave: () => {
      metronome.removeEventListener('change', paint);
      metronome.removeEventListener('beat', beat);
      player.removeEventListener('track', paint);
      removeEventListener('keydown', key);
    }
  };
}
