// "What is playing?", from the microphone or a file.

import { clock, element, oneDecimal, percent, plural, shortened } from './shared.js';
import { art } from './art.js';
import { address, button, heading, kept, none, say, title } from './parts.js';
import { Microphone } from './microphone.js';
import { player } from './player.js';
import { ask, request, server } from './server.js';

/** Seconds without a match after which the app says so; it goes on listening. */
const PATIENCE = 12, HEARD = 50;

let state = { name: 'idle' }, microphone = null, match = null, began = 0;
const changes = new EventTarget();
function setState(next) {
  state = next;
  changes.dispatchEvent(new Event('change'));
}

/** What was heard, newest first. */
const heard = kept.read('heard', []);
function remember(entry) {
  heard.unshift({ at: new Date().toISOString(), ...entry });
  heard.length = Math.min(heard.length, HEARD);
  kept.write('heard', heard);
}

const trackID = item => item.properties?.track_id || null;
const nameOf = item => item.title || item.subtitle || item.reference;

async function listen() {
  setState({ name: 'asking' });
  stop();
  let noticed = false;
  began = performance.now();
  const mine = new Microphone({
    ready: () => { began = performance.now(); setState({ name: 'listening' }); },
    level: peak => changes.dispatchEvent(new CustomEvent('level', { detail: peak })),
    match: item => {
      const seconds = (performance.now() - began) / 1000;
      noticed = true;
      remember({ title: nameOf(item), artist: item.artist, track: trackID(item), seconds });
      found(item, { seconds, live: true });
    },
    noMatch: () => {
      if (noticed || (performance.now() - began) / 1000 < PATIENCE) return;
      noticed = true;
      remember({ title: null, seconds: (performance.now() - began) / 1000 });
      setState({ name: 'none', live: true });
    },
    trackEnded: () => {
      noticed = false;
      began = performance.now();
      if (state.name === 'found') setState({ ...state, isOver: true });
    },
    failed: message => setState({ name: 'failed', message })
  });
  microphone = mine;
  try {
    await mine.start();
  } catch (error) {
    if (microphone !== mine) return;
    stop();
    setState({ name: ['NotAllowedError', 'SecurityError'].includes(error.name) ? 'refused' : 'failed',
      message: error.name === 'NotFoundError' ? 'There is no microphone. Connect one, or drop a file here.' : error.message });
  }
}
function stop() {
  microphone?.stop();
  microphone = null;
  match = null;
}

/** Shows a match, once its page in the library has answered: a button that moved under the pointer would lose the click. */
async function found(item, more) {
  const id = trackID(item), at = performance.now();
  match = item;
  let track = null;
  try {
    if (id) ({ track } = await ask(`tracks/${id}`));
  } catch { /* what was recognized is shown without its page */ }
  if (match !== item) return;
  setState({ name: 'found', item, at, track, ...more });
  say(`Found: ${nameOf(item)}${item.artist ? ` by ${item.artist}` : ''}`);
}

/** Asks what is in a file, which may hold several tracks. */
async function matchFile(file) {
  stop();
  setState({ name: 'file', file: file.name });
  try {
    const answer = await (await request('/v1/match', { method: 'POST', body: file,
      headers: { 'Content-Type': file.type || 'application/octet-stream' } })).json();
    const [first, ...others] = answer.tracks || [];
    if (first) {
      for (const track of answer.tracks) remember({ title: nameOf(track), artist: track.artist, track: trackID(track), file: file.name });
      found(first, { file: file.name, others });
    } else {
      remember({ title: null, file: file.name });
      setState({ name: 'none', file: file.name });
    }
  } catch (error) {
    setState({ name: 'failed', message: error.message });
  }
}

/** How sure a match is, in words. */
function sureness({ confidence, alternatives }) {
  const count = alternatives?.length || 0;
  if (confidence == null) return '';
  if (confidence >= .9 && !count) return 'Sure: nothing else comes close.';
  return `${percent(confidence)} sure.${count ? ` ${plural(count, 'other track')} of the catalog ${count === 1 ? 'holds' : 'hold'
    } the same recording.` : ''}`;
}

export async function showListen() {
  const box = element('section', { class: 'listen', id: 'listen', 'aria-live': 'polite', 'aria-label': 'Listening' });
  const history = element('section', { id: 'heard' });
  const picker = element('input', { type: 'file', accept: 'audio/*,video/*', class: 'sr', tabindex: -1, id: 'file', 'aria-label': 'A file to recognize' });
  picker.addEventListener('change', () => { if (picker.files[0]) matchFile(picker.files[0]); picker.value = ''; });
  let bars = [];

  const orb = isLive => {
    bars = Array.from({ length: 11 }, () => element('b'));
    return element('div', { class: isLive ? 'orb live' : 'orb', role: 'img', 'aria-label': isLive ? 'Listening' : 'Not listening' },
      element('i'), element('i'), element('i'), element('span', { class: 'levels' }, bars));
  };
  const choose = text => button(text, { id: 'choose' }, () => picker.click());
  const screens = {
    idle: () => [orb(false), element('h2', { text: 'Ready' }),
      element('p', { class: 'say', text: 'Hold the device near the speaker and start, or drop an audio file here.' }),
      element('div', { class: 'btns' }, button('Listen', { class: 'btn primary', id: 'start' }, listen), choose('Choose a file'))],
    asking: () => [orb(false), element('h2', { text: 'Waiting for permission' }),
      element('p', { class: 'say', text: 'The browser asks whether this page may use the microphone. Choose Allow.' }),
      element('div', { class: 'btns' }, button('Cancel', {}, () => { stop(); setState({ name: 'idle' }); }))],
    listening: () => [orb(true), element('h2', { text: 'Listening…' }),
      element('p', { class: 'say', text: 'Hold the device near the speaker. Stop at any time.' }),
      element('div', { class: 'btns' }, button('Stop', { id: 'stop' }, () => { stop(); setState({ name: 'idle' }); }))],
    file: () => [orb(false), element('h2', { class: 'tag', text: shortened(state.file, 80) }),
      element('p', { class: 'say', text: 'Looking for its recordings in the catalog.' })],
    found: () => {
      const { item, track, file, others = [], live } = state, id = trackID(item);
      const offset = item.track_offset_s + (live ? (performance.now() - state.at) / 1000 * (item.speed || 1) : 0);
      const where = file ? `from ${clock(item.start_s)} to ${clock(item.end_s)} of the file`
        : `playing at ${clock(Math.max(0, offset))}${track?.duration_s ? ` of ${clock(track.duration_s)}` : ''}`;
      return [id ? art(id, 200) : orb(false), element('h2', { class: 'tag', text: shortened(nameOf(item), 200) }),
        element('p', { class: 'say tag', text: [item.artist || (track && `${track.folder}/`), track?.tempo_bpm != null && `${oneDecimal(track.tempo_bpm)} BPM`,
          state.isOver ? 'over now' : where].filter(Boolean).join(' · ') }),
        element('p', { class: 'say', text: [state.seconds && `Matched after ${Math.max(1, Math.round(state.seconds))} s.`,
          sureness(item)].filter(Boolean).join(' ') }),
        others.length > 0 && element('p', { class: 'say tag', text: `Then: ${others.map(nameOf).join(', ')}` }),
        element('div', { class: 'btns' },
          id && element('a', { class: 'btn primary', id: 'open-track', href: address('track', id), text: 'Open track' }),
          id && track && button('Play from here', {}, () => {
            stop();
            player.play([track], 0, Math.max(0, offset));
            setState({ name: 'idle' });
          }),
          button('Listen again', { id: 'again' }, listen),
          live && microphone && button('Stop', { id: 'stop' }, () => { stop(); setState({ ...state, live: false }); }))];
    },
    none: () => [orb(Boolean(microphone)), element('h2', { text: 'Not in your catalog' }),
      element('p', { class: 'say', text: state.live ? 'Still listening. If the recording is in your library, run analyze catalog build.'
        : 'If the recording is in your library, run analyze catalog build.' }),
      element('div', { class: 'btns' }, microphone ? button('Stop', { id: 'stop' }, () => { stop(); setState({ name: 'idle' }); })
        : button('Listen', { class: 'btn primary', id: 'start' }, listen), choose('Choose a file'))],
    refused: () => [orb(false), element('h2', { text: 'No microphone' }),
      element('p', { class: 'say', text: 'The browser does not give it to this page. Open the site settings beside the address, allow the microphone, and try again. A file works without it.' }),
      element('div', { class: 'btns' }, button('Try again', { class: 'btn primary', id: 'start' }, listen), choose('Choose a file'))],
    failed: () => [orb(false), element('h2', { text: 'This did not work' }), element('p', { class: 'say', role: 'alert', text: state.message }),
      element('div', { class: 'btns' }, button('Try again', { class: 'btn primary', id: 'start' }, listen), choose('Choose a file'))]
  };
  const paint = () => {
    const focused = box.contains(document.activeElement) ? document.activeElement.id : null;
    box.dataset.state = state.name;
    box.replaceChildren(...screens[state.name]().filter(Boolean));
    if (focused != null) (box.querySelector(`#${focused || 'none'}`) || box.querySelector('a.btn, button'))?.focus();
    const clear = button('Clear', { class: 'link', id: 'clear-heard' }, () => { heard.length = 0; kept.write('heard', heard); paint(); });
    history.replaceChildren(heading('Heard earlier', heard.length ? clear : undefined),
      heard.length ? element('ol', { class: 'heard' }, heard.map(entry => element('li', {},
        element('span', { class: 'dim', text: new Date(entry.at).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' }) }),
        element('span', { class: 'tag' }, entry.title ? entry.track ? element('a', { class: 'link quiet', href: address('track', entry.track), text: shortened(entry.title, 120) })
          : shortened(entry.title, 120) : 'Not in your catalog', entry.artist && element('span', { class: 'dim', text: ` · ${shortened(entry.artist, 120)}` })),
        element('span', { class: 'dim', text: entry.file ? 'in a file' : entry.title ? `matched in ${Math.max(1, Math.round(entry.seconds))} s`
          : `listened for ${Math.round(entry.seconds)} s` })))) : none('Nothing yet.'));
  };
  const level = event => bars.forEach((bar, index) => {
    const shape = .35 + .65 * Math.abs(Math.sin((index + 1) * 1.9));
    bar.style.transform = `scaleY(${Math.max(.08, Math.min(1, Math.sqrt(event.detail) * shape * 1.2))})`;
  });
  box.addEventListener('dragover', event => { event.preventDefault(); box.classList.add('over'); });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', event => {
    event.preventDefault();
    box.classList.remove('over');
    if (event.dataTransfer.files[0]) matchFile(event.dataTransfer.files[0]);
  });
  paint();
  const about = element('p', { class: 'hint', text: 'Compares what the microphone hears with your own catalog, on this computer. Nothing is kept.' });
  ask('status').then(({ catalog }) => {
    if (catalog && !catalog.is_there) about.textContent = catalog.problem || 'There is no catalog yet. Make one with analyze catalog build.';
  }).catch(() => {});
  return {
    name: 'Listen', nodes: [title('What is playing?'), about, box, picker, history],
    shown: () => {
      changes.addEventListener('change', paint);
      changes.addEventListener('level', level);
      server.addEventListener('gone', stop);
    },
    // Listening ends with its screen: a microphone that nobody sees is none.
    leave: () => {
      changes.removeEventListener('change', paint);
      changes.removeEventListener('level', level);
      server.removeEventListener('gone', stop);
      stop();
      if (state.name !== 'found') state = { name: 'idle' };
    }
  };
}
