// Tests of the app's modules. The page is that of `analyze serve`; what it asks the server for is in `stage.answers`.
'use strict';

const from = name => import(`/app/${name}.js`);
const find = selector => document.querySelector(selector);
const times = (count, act) => Array.from({ length: count }, (_, index) => act(index));
const song = (id, more) => ({ id: String(id), title: `Title ${id}`, artist: `Artist ${id}`, file: `${id}.flac`, folder: 'Folder', status: 'ok',
  duration_s: 100,
  tempo_bpm: 120, tempo_confidence: .9, key_camelot: '8A', ...more });
const songs = (count, first = 1) => times(count, index => song(first + index));
const failed = (id, more) => song(id, { title: null, status: 'failed', problem: { name: 'No audio', what: 'It is no audio.', do: 'Delete it.' },
  ...more });
const base64 = bytes => btoa(String.fromCharCode(...bytes));
const asked = () => stage.asked.splice(0).map(({ method, address, body }) => [method === 'GET' ? '' : `${method} `, address.replace('/app/api/', ''),
  body ? ` ${JSON.stringify(body)}` : ''].join(''));
const answers = values => { stage.answers = values; stage.asked.length = 0; };
/** Opens a screen as an address does. */
async function go(hash) {
  history.replaceState(null, '', hash);
  dispatchEvent(new Event('hashchange'));
  await stage.pass(0);
}
const heard = (target, ...names) => {
  const list = [], hear = event => list.push(event instanceof CustomEvent && event.detail !== null && event.detail !== undefined ? [event.type,
    event.detail] : event.type);
  for (const name of names) target.addEventListener(name, hear);
  list.stop = () => { for (const name of names) target.removeEventListener(name, hear); return list.splice(0); };
  return list;
};
/** The page with these nodes in it, while `act` runs. */
async function shown(nodes, act) {
  const host = document.createElement('div');
  host.append(...[nodes].flat().filter(Boolean));
  document.body.append(host);
  try { return await act(host); } finally { host.remove(); }
}
const button = (words, within = document) => [...within.querySelectorAll('button')].find(node => node.textContent.startsWith(words));
/** Answers the question that is open. */
async function answered(act) {
  const dialog = find('#dialog'), closed = new Promise(done => dialog.addEventListener('close', done, { once: true }));
  act(dialog);
  await closed;
  await stage.calm();
}
const toasted = () => { const { textContent } = find('#toast'); find('#toast').textContent = ''; return textContent; };
const said = () => find('#live').textContent;
const size = (node, width, height) => { Object.defineProperty(node, 'clientWidth', { value: width, configurable: true });
  Object.defineProperty(node, 'clientHeight', { value: height, configurable: true }); return node; };

/* The server */

tests.query = async () => {
  const { query } = await from('server');
  cases('query', query, [[{}, ''], [{ a: 1, b: '', c: null, d: undefined, e: 0, f: false }, '?a=1&e=0&f=false'], [{ q: 'a b&c' }, '?q=a+b%26c']]);
};

tests.asking = async () => {
  const { ask, request, server, ServerError } = await from('server');
  const events = heard(server, 'gone', 'back', 'locked');
  answers({ 'x': { a: 1 }, '/v1/y': [2], 'POST x': { posted: true }, 'DELETE x': new Response(null, { status: 204 }) });
  same([await ask('x'), await ask('/v1/y'), await ask('x', { method: 'POST', body: { b: 1 } }), await ask('x', { method: 'DELETE' })],
    [{ a: 1 }, [2], { posted: true }, null], 'answers');
  same(asked(), ['x', '/v1/y', 'POST x {"b":1}', 'DELETE x'], 'what was asked');
  const options = [], old = window.fetch;
  window.fetch = async (address, more) => { options.push([address, more.method, more.body, more.headers]); return new Response('1'); };
  await ask('x');
  await ask('x', { method: 'PUT', body: {} });
  await ask('x', { method: 'PUT', body: null });
  window.fetch = old;
  same(options, [['/app/api/x', 'GET', undefined, {}], ['/app/api/x', 'PUT', '{}', { 'Content-Type': 'application/json' }],
    ['/app/api/x', 'PUT', 'null', { 'Content-Type': 'application/json' }]], 'as JSON');
  const error = async answer => { answers({ x: () => answer }); try { await ask('x'); } catch (error) { return [error instanceof ServerError,
    error.status, error.message, error.details]; } return null; };
  same(await error(stage.error(400, 'No such field.', 'bad')), [true, 400, 'No such field.', { message: 'No such field.', code: 'bad' }],
    'a sentence of the server');
  same(await error(stage.error(502)), [true, 502, 'The server answered 502.', {}], 'a page of a proxy');
  same(await error(new Response('{}', { status: 500 })), [true, 500, 'The server answered 500.', {}], 'no sentence');
  same(events.splice(0), [], 'all of these are answers');
  const aborter = new AbortController();
  aborter.abort();
  same([await ask('x', { signal: aborter.signal }).catch(error => error.name), events.splice(0)], ['AbortError', []],
    'what was called off is no failure');
  answers({ x: () => new Response('as it is') });
  same(await (await request('/app/api/x')).text(), 'as it is', 'a response');
  events.stop();
};

tests.serverGone = async () => {
  const { ask, server } = await from('server'), events = heard(server, 'gone', 'back');
  stage.port.sent.length = 0;
  const status = { text: '3 tracks', tracks: 3, revision: 1, run: null };
  answers({ x: new TypeError('network'), status: new TypeError('network') });
  const failure = await ask('x').catch(error => [error.status, error.message]);
  same([failure, events.splice(0)], [[0, 'The server does not answer.'], ['gone']], 'gone');
  same([find('#gone').hidden, find('#gone').textContent], [false, 'The server stopped. Run analyze serve again; this page reconnects by itself.'],
    'a banner');
  await ask('x').catch(() => {});
  same(events.splice(0), [], 'told once');
  asked();
  await stage.pass(1999);
  same(asked(), [], 'asked again');
  await stage.pass(1);
  same(asked(), ['status'], 'every two seconds');
  await stage.pass(2000);
  same([asked(), events.splice(0)], [['status'], []], 'and again');
  stage.answers.status = status;
  await stage.pass(2000);
  same([events.splice(0), find('#gone').hidden, said(), stage.port.sent], [['back'], true, 'The server answers again.', [true]],
    'until it is back; then events are heard again');
  asked();
  await stage.pass(5000);
  same(asked(), [], 'and asked no more');
  answers({ x: new TypeError('network'), status });
  await ask('x').catch(() => {});
  stage.answers.x = {};
  await ask('x');
  same(events.splice(0), ['gone', 'back'], 'any answer brings it back');
  await stage.pass(2000);
  same(events.splice(0), [], 'once');
  events.stop();
};

tests.serverEvents = async () => {
  const { server, connect, disconnect } = await from('server'), events = heard(server, 'hello', 'library', 'catalog', 'run', 'run-ended', 'watch',
    'tempo', 'missed', 'gone', 'back');
  answers({ status: { text: 'T', tracks: 3, revision: 7, run: null } });
  const tell = (name, data) => stage.port.onmessage({ data: { name, data: data && JSON.stringify(data) } });
  tell('tempo', { id: '1' });
  tell('library', { text: 'L', revision: 8 });
  same(events.splice(0), [['tempo', { id: '1' }], ['library', { text: 'L', revision: 8 }]], 'events are told');
  stage.port.sent.length = 0;
  const hide = isHidden => { Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange')); };
  connect();
  await stage.calm();
  same([stage.port.sent.splice(0), events.splice(0).map(([name]) => name)], [[true], ['hello']], 'a page that comes asks how things are');
  tell('library', { text: 'L', revision: 8 });
  hide(true);
  await stage.calm();
  same([stage.port.sent.splice(0), events.splice(0).length], [[false], 1], 'a page out of sight hears nothing');
  stage.answers.status.revision = 9;
  hide(false);
  await stage.calm();
  same([stage.port.sent.splice(0), events.splice(0).map(each => each[1]?.text ? [each[0], each[1].text, each[1].tracks] : each)],
    [[true], [['hello', 'T', 3], ['library', 'T', 3], 'missed']], 'and in sight again learns what it has missed');
  hide(true);
  hide(false);
  await stage.calm();
  same(events.splice(0).map(([name]) => name), ['hello'], 'if anything');
  tell('library', { text: 'L', revision: 10 });
  tell('tempo', { id: '1' });
  events.splice(0);
  hide(true);
  stage.answers.status.revision = 10;
  hide(false);
  await stage.calm();
  same(events.splice(0).map(([name]) => name), ['hello'], 'what it was told it has not missed');
  asked();
  tell('error');
  await stage.calm();
  same(asked(), ['status'], 'an error of the stream: a request tells whether the server is gone');
  tell('open');
  same(events.splice(0), [], 'a stream that is open');
  stage.port.sent.length = 0;
  dispatchEvent(new Event('pagehide'));
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  same(stage.port.sent.splice(0), [false], 'a page that goes');
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  same(stage.port.sent.splice(0), [true], 'and comes back');
  disconnect();
  same(stage.port.sent.splice(0), [false], 'an end');
  hide(true);
  hide(false);
  dispatchEvent(new Event('pagehide'));
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  same(stage.port.sent.splice(0), [], 'after which nothing is heard');
  connect();
  delete document.hidden;
  await stage.calm();
  stage.answers.status = new TypeError('network');
  tell('error');
  await stage.calm();
  same(events.stop().at(-1), 'gone', 'the server may be gone');
  stage.answers.status = { text: '', revision: 1 };
  await stage.pass(2000);
};

tests.ownStream = async () => {
  const worker = window.SharedWorker;
  delete window.SharedWorker;
  const { server, connect, disconnect } = await import('/app/server.js?own'), events = heard(server, 'library', 'tempo', 'gone', 'back');
  answers({ status: { revision: 1 } });
  stage.sources.length = 0;
  connect();
  await stage.calm();
  const [stream] = stage.sources;
  same([stage.sources.length, stream.address], [1, '/app/api/events'], 'a stream of its own');
  for (const name of ['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo']) stream.tell(name, { name });
  same(events.splice(0), [['library', { name: 'library' }], ['tempo', { name: 'tempo' }]], 'events');
  stage.answers.status = new TypeError('network');
  stream.tell('error');
  await stage.calm();
  stream.tell('open');
  same(events.stop(), ['gone', 'back'], 'open and error');
  disconnect();
  same(stream.readyState, 2, 'closed');
  connect();
  connect();
  same([stage.sources.length, stage.sources[1].readyState], [3, 2], 'never two');
  disconnect();
  stage.answers.status = {};
  await stage.pass(4000);
  window.SharedWorker = worker;
};

tests.eventsWorker = async () => {
  await import('/app/events-worker.js');
  stage.sources.length = 0;
  const page = () => { const port = Object.assign(new EventTarget(), { told: [], isStarted: false, postMessage: message => port.told.push(message),
    start: () => { port.isStarted = true; } });
    dispatchEvent(Object.assign(new Event('connect'), { ports: [port] })); port.watch = isWatching => port.dispatchEvent(new MessageEvent('message',
      { data: isWatching })); return port; };
  const [a, b] = [page(), page()], open = () => stage.sources.filter(source => source.readyState !== 2).length;
  same([a.isStarted, stage.sources.length], [true, 0], 'no page in sight, no stream');
  a.watch(false);
  same(stage.sources.length, 0, 'nor one out of sight');
  a.watch(true);
  b.watch(true);
  same([stage.sources.length, stage.sources[0].address], [1, '/app/api/events'], 'one stream for all');
  for (const name of ['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo']) stage.sources[0].tell(name, `"${name}"`);
  stage.sources[0].tell('open');
  stage.sources[0].tell('error');
  const wanted = [...['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo'].map(name => ({ name, data: `"${name}"` })),
    { name: 'open' }, { name: 'error' }];
  same([a.told, b.told], [wanted, wanted], 'all hear it');
  a.watch(false);
  stage.sources[0].tell('run', '1');
  same([a.told.length, b.told.length, open()], [9, 10, 1], 'those in sight');
  b.watch(false);
  same([open(), stage.sources.length], [0, 1], 'with the last page it ends');
  b.watch(false);
  a.watch(true);
  same([open(), stage.sources.length], [1, 2], 'and begins with the next');
  stage.sources[1].readyState = 2;
  b.watch(true);
  same([open(), stage.sources.length], [1, 3], 'one that was refused is opened again');
  a.watch(false);
  b.watch(false);
};

tests.locked = async () => {
  const module = await from('server'), { ask, server } = module, events = heard(server, 'locked');
  answers({ x: () => stage.error(401, 'A token is needed.'), status: { text: '', revision: 1 }, search: { tracks: { items: [], count: 0 } } });
  stage.port.sent.length = 0;
  same([await ask('x').catch(error => error.message), await ask('x').catch(error => error.status), events.stop(), module.isLocked],
    ['A token is needed.', 401, ['locked'], true], 'told once');
  same([find('h1').textContent, document.title, document.activeElement.id, find('#player').hidden, stage.port.sent],
    ['This server wants a token', 'Log in · Nocturne', 'token', true, [false]], 'the question');
  const form = find('form.login'), alert = () => stage.text('.login [role=alert]'), submit = async () => { form.requestSubmit(); await stage.calm();
    }, field = find('#token');
  same(field.required, true, 'without a token nothing is sent');
  field.value = '  secret ';
  for (const [status, words] of [[401, 'That is not one of its tokens. Check for missing characters.'],
    [403, 'That is not one of its tokens. Check for missing characters.'], [500, 'The server answered 500. Try again later.']]) {
    stage.answers.login = () => stage.error(status);
    await submit();
    same(alert(), words, `status ${status}`);
  }
  same([field.selectionStart, field.selectionEnd], [0, 9], 'the token is selected');
  stage.answers.login = new TypeError('network');
  await submit();
  same(alert(), 'The server does not answer. Try again later.', 'no answer');
  asked();
  stage.answers.login = {};
  history.replaceState(null, '', '#/search');
  await submit();
  await stage.calm();
  same(asked().slice(0, 2), ['POST login {"token":"secret"}', 'status'], 'the token is sent');
  same([module.isLocked, find('h1').textContent, find('#q') !== null, stage.port.sent.at(-1)], [false, 'Search', true, true], 'and the screen comes');
};

/* Time and sound */

tests.audio = async () => {
  const { audioContext, Ticker } = await from('audio'), context = audioContext();
  same([context === audioContext(), context.options, stage.contexts.filter(each => each.options).length], [true, { latencyHint: 'interactive' }, 1],
    'one context');
  const resumed = context.resumed;
  audioContext();
  same(context.resumed, resumed, 'which runs');
  context.state = 'suspended';
  audioContext();
  same(context.resumed, resumed + 1, 'or goes on');
  const ahead = [], ticker = new Ticker(seconds => ahead.push(seconds));
  ticker.start();
  same(ahead, [.15], 'at once');
  ticker.start();
  await stage.pass(50);
  same(ahead.length, 3, 'and forty times a second');
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  await stage.pass(25);
  same(ahead.at(-1), 1.6, 'further ahead out of sight');
  delete document.hidden;
  ticker.stop();
  await stage.pass(100);
  same([ahead.length, ticker.timer], [4, 0], 'until it ends');
  ticker.start();
  same(ahead.length, 5, 'and it can begin again');
  ticker.stop();
};

tests.clicks = async () => {
  const { click, SOUNDS } = await from('clicks'), context = new AudioContext();
  context.sampleRate = 8000;
  same(SOUNDS, { click: 'Click', wood: 'Wood block', beep: 'Beep', tick: 'Tick' }, 'sounds');
  const lines = [];
  for (const sound of Object.keys(SOUNDS)) {
    for (const isHigh of [false, true]) {
      const { length, rate, getChannelData } = click(context, context.destination, 1, { sound, isHigh }).buffer, data = getChannelData();
      lines.push([sound, isHigh, length, rate, ...[0, 1, 2, 3, 7, 30, length - 17, length - 16, length - 9,
        length - 1].map(index => data[index].toFixed(4))].join(' '));
    }
  }
  stage.picture('clicks', lines.join('\n'));
  const one = click(context, context.destination, 2.5), two = click(context, context.destination, 3, { sound: 'click' }),
    odd = click(context, context.destination, 4, { sound: 'odd' });
  same([one.time, one.connected[0] === context.destination, one.buffer === two.buffer, odd.buffer.length, one.buffer.channels],
    [2.5, true, true, one.buffer.length, 1], 'at its time; computed once');
  same(click(new AudioContext(), context.destination, 1).buffer === one.buffer, false, 'for each context');
};

tests.pulse = async () => {
  const { Pulse } = await from('clicks'), pulse = new Pulse(120, 10);
  same(pulse.take(10), [], 'none before the end');
  same(pulse.take(11.1), [{ beat: 0, time: 10 }, { beat: 1, time: 10.5 }, { beat: 2, time: 11 }], 'beats');
  same([pulse.take(11.5), pulse.next], [[], 11.5], 'each once');
  pulse.setTempo(60);
  same([pulse.next, pulse.take(13.1)], [12, [{ beat: 3, time: 12 }, { beat: 4, time: 13 }]], 'a new tempo counts from the last beat');
  pulse.setTempo(120);
  pulse.setTempo(240);
  same(pulse.next, 13.25, 'of which the last counts');
  const fresh = new Pulse(120, 10);
  fresh.setTempo(60);
  same([fresh.next, fresh.take(11.5)], [10, [{ beat: 0, time: 10 }, { beat: 1, time: 11 }]], 'before the first beat too');
};

tests.taps = async () => {
  const { Taps } = await from('clicks'), taps = new Taps();
  same([taps.bpm, taps.add(1000), taps.add(1500), taps.add(2000)], [null, null, 120, 120], 'two taps are a tempo');
  same(Math.round(taps.add(2520) * 10) / 10, 118.6, 'a late one moves it little');
  taps.add(4520);
  same(taps.times.length, 5, 'two seconds are a slow beat');
  same([taps.add(6521), taps.times], [null, [6521]], 'more is a pause');
  for (let index = 1; index < 20; index++) taps.add(6521 + index * 500);
  same([taps.times.length, taps.times[0], taps.bpm], [16, 6521 + 4 * 500, 120], 'the last sixteen count');
};

tests.clickTrack = async () => {
  const { ClickTrack } = await from('click-track'), context = new AudioContext(), track = new ClickTrack();
  track.connect(context);
  same([track.output.gain.value, track.output.connected[0] === context.destination, track.isOn], [.8, true, false], 'softer than the music');
  const audio = { paused: false, seeking: false, readyState: 4, currentTime: 20 };
  const tick = async (count = 1) => { for (let turn = 0; turn < count; turn++) { context.currentTime += .025; audio.currentTime += .025;
    await stage.pass(25); } };
  context.currentTime = 5;
  track.setBeats([19, 20, 20.1, 20.2, 20.3, 21, 22], [20.2]);
  track.setOn(true, audio);
  await tick(2);
  same([track.isOn, context.clicks.length], [true, 0], 'three readings are not enough');
  await tick();
  same(context.clicks.map(({ time }) => +time.toFixed(3)), [5.1, 5.2], 'four are; beats by the clock of the context, from now on');
  same(context.clicks.map(({ buffer }) => buffer.getChannelData()[1] === context.clicks[1].buffer.getChannelData()[1]), [false, true],
    'a start of a bar sounds higher');
  same(context.clicks[0].connected[0] === track.output, true, 'through the output');
  await tick(4);
  same(context.clicks.map(({ time }) => +time.toFixed(3)), [5.1, 5.2, 5.3], 'each once');
  const pending = context.clicks.map(({ stopped }) => stopped);
  same(pending, [false, false, false], 'none is stopped');
  context.currentTime = 5.15;
  track.setBeats([21], null);
  same(context.clicks.map(({ stopped }) => stopped), [false, true, true], 'other beats: those that have not sounded do not');
  audio.currentTime = 20.9;
  context.currentTime = 5.9;
  context.clicks.length = 0;
  await tick();
  same(context.clicks.map(({ time }) => +time.toFixed(3)), [6], 'readings go on');
  track.restart();
  same(context.clicks[0].stopped, true, 'a jump stops it');
  audio.currentTime = 20.85;
  context.clicks.length = 0;
  await tick(3);
  same(context.clicks.length, 0, 'and readings begin anew');
  await tick();
  same(context.clicks.length, 1, 'four of them');
  for (const [name, value, old] of [['paused', true, false], ['seeking', true, false], ['readyState', 2, 4]]) {
    track.restart();
    context.clicks.length = 0;
    audio.currentTime = 20.8;
    audio[name] = value;
    await tick(6);
    same(context.clicks.length, 0, name);
    audio[name] = old;
  }
  audio.readyState = 3;
  track.restart();
  audio.currentTime = 20.8;
  context.clicks.length = 0;
  await tick(5);
  same(context.clicks.length, 1, 'as much as is needed has come');
  // A single late reading of the clock moves nothing.
  track.setBeats(times(400, index => 30 + index * .5), []);
  track.restart();
  audio.currentTime = 30;
  context.currentTime = 40;
  context.clicks.length = 0;
  for (let turn = 0; turn < 80; turn++) { context.currentTime += .025;
    audio.currentTime = 30 + context.currentTime - 40 + (turn % 9 === 4 ? .009 : 0); await stage.pass(25); }
  same(context.clicks.map(({ time }) => +time.toFixed(4)), [40.5, 41, 41.5, 42], 'the middle of the readings counts');
  const other = { ...audio, currentTime: 100 };
  track.follow(other);
  same(context.clicks.at(-1).stopped, true, 'another track');
  track.setOn(false, other);
  const before = context.clicks.length;
  await tick(8);
  same([track.isOn, context.clicks.length], [false, before], 'off');
  const alone = new ClickTrack();
  alone.restart();
  alone.setBeats([1], [1]);
  same(alone.isOn, false, 'nothing to stop before it is connected');
  track.setOn(true, null);
  await tick(5);
  same(context.clicks.length, before, 'nothing plays');
  track.setOn(false, null);
};

tests.metronome = async () => {
  localStorage.removeItem('nocturne-metronome');
  const { metronome, scheduleClicks, SLOWEST, FASTEST } = await import('/app/metronome.js?probe'), { audioContext } = await from('audio'),
    context = audioContext();
  const { Pulse } = await from('clicks'), events = heard(metronome, 'change', 'beat');
  same([SLOWEST, FASTEST, metronome.bpm, metronome.beats, metronome.sound, metronome.isRunning], [30, 300, 90, 4, 'click', false], 'as it begins');
  const scheduled = beats => scheduleClicks(context, context.destination, new Pulse(60, context.currentTime), context.currentTime + 4.5,
    { beats, sound: 'beep' });
  const high = list => list.map(({ source }) => source.buffer.getChannelData()[1].toFixed(3) !== list[1].source.buffer.getChannelData()[1].toFixed(3));
  same([high(scheduled(4)), high(scheduled(2)), high(scheduled(1))], [[true, false, false, false, true], [true, false, true, false, true],
    [false, false, false, false, false]], 'the first beat of a bar is higher; one beat is no bar');
  context.clicks.length = 0;
  context.currentTime = 100;
  metronome.setTempo(120);
  same([metronome.bpm, JSON.parse(localStorage.getItem('nocturne-metronome')), events.splice(0)],
    [120, { bpm: 120, beats: 4, sound: 'click' }, ['change']], 'kept');
  cases('setTempo', bpm => { metronome.setTempo(bpm); return metronome.bpm; }, [[29, 30], [301, 300], [120.04, 120], [120.06, 120.1], [30, 30],
    [300, 300]]);
  metronome.setTempo(120);
  events.splice(0);
  same(metronome.output === metronome.output && metronome.output.connected[0] === context.destination, true, 'one output');
  metronome.toggle();
  same([metronome.isRunning, context.clicks.map(({ time }) => +time.toFixed(3)), events.splice(0)], [true, [100.08], ['change']],
    'it starts after a moment');
  const tick = async count => { for (let turn = 0; turn < count; turn++) { context.currentTime += .025; await stage.pass(25); } };
  await tick(4);
  same(events.splice(0), [['beat', 0]], 'a beat is told when it sounds');
  await tick(18);
  same([context.clicks.map(({ time }) => +time.toFixed(3)), events.splice(0)], [[100.08, 100.58], []], 'the next is scheduled');
  metronome.setTempo(60);
  same(context.clicks.map(({ stopped }) => stopped), [false, true], 'at another tempo it is taken back');
  await tick(30);
  same([+context.clicks.at(-1).time.toFixed(3), context.clicks.length], [101.08, 3], 'and scheduled again from the last beat');
  metronome.setTempo(240);
  events.splice(0);
  await tick(20);
  same(context.clicks.slice(-2).map(({ time, stopped }) => [+time.toFixed(3), stopped]).every(([time, stopped]) => time > 101.3 && !stopped), true,
    'beats that are past are left out');
  const outputs = context.clicks.length;
  metronome.toggle();
  same([metronome.isRunning, events.splice(0).at(-1), context.clicks.slice(0, -3).some(({ stopped, time }) => stopped && time < 100.3)],
    [false, 'change', false], 'it stops');
  await tick(20);
  same([context.clicks.length, events.splice(0).filter(each => each[0] === 'beat')], [outputs, []], 'nothing sounds, and no beat is told');
  metronome.set({ beats: 3, sound: 'wood' });
  same([metronome.beats, metronome.sound, JSON.parse(localStorage.getItem('nocturne-metronome'))],
    [3, 'wood', { bpm: 240, beats: 3, sound: 'wood' }], 'set');
  const restored = async (name, values) => { localStorage.setItem('nocturne-metronome', JSON.stringify(values));
    const { metronome } = await import(`/app/metronome.js?${name}`); return [metronome.bpm, metronome.beats, metronome.sound]; };
  same(await restored('a', { bpm: 30, beats: 1, sound: 'tick' }), [30, 1, 'tick'], 'restored');
  same(await restored('b', { bpm: 300, beats: 12, sound: 'odd' }), [300, 12, 'click'], 'the largest');
  same(await restored('c', { bpm: 29.9, beats: 0, sound: null }), [90, 4, 'click'], 'too small');
  same(await restored('d', { bpm: 300.1, beats: 13 }), [90, 4, 'click'], 'too large');
  localStorage.removeItem('nocturne-metronome');
  events.stop();
};

tests.lateBeats = async () => {
  const { metronome } = await import('/app/metronome.js?late'), { audioContext } = await from('audio'), context = audioContext(),
    events = heard(metronome, 'beat');
  context.currentTime = 200;
  context.outputLatency = .1;
  metronome.setTempo(60);
  metronome.start();
  await stage.pass(179);
  same(events.splice(0), [], 'what is heard later is told later');
  await stage.pass(2);
  same(events.splice(0), [['beat', 0]], 'by the latency of the output');
  metronome.stop();
  context.outputLatency = context.currentTime = context.clicks.length = 0;
  metronome.start();
  metronome.stop();
  same(context.clicks.map(({ stopped }) => stopped), [true], 'at once: nothing is heard');
  events.stop();
  localStorage.removeItem('nocturne-metronome');
};

tests.metronomeScreen = async () => {
  const { metronome } = await from('metronome'), { player } = await from('player');
  metronome.set({ bpm: 90, beats: 4, sound: 'click' });
  player.queue = [];
  player.at = -1;
  answers({});
  await go('#/metronome?bpm=100');
  const number = () => stage.text('#metronome-bpm'), lit = () => [...find('.beats-row').children].map(node => node.className).join();
  same([document.title, number(), stage.text('.unit'), find('#go').textContent, find('#use-tempo').disabled, lit(), find('input[type=range]').value,
    find('input[type=range]').getAttribute('aria-valuetext')],
    ['Metronome · Nocturne', '100', 'BPM · 0.600 s between clicks', 'Start', true, 'on,,,', '100', '100 BPM'], 'the screen');
  stage.picture('metronome', find('#main'));
  const press = (key, more) => { const taken = stage.key(document.body, key, more); return [taken, metronome.bpm]; };
  cases('press', press, [['ArrowUp', [true, 101]], ['ArrowDown', [true, 100]], ['ArrowRight', [true, 105]], ['ArrowLeft', [true, 100]],
    ['x', [false, 100]], ['ArrowUp', { ctrlKey: true }, [false, 100]],
    ['ArrowUp', { metaKey: true }, [false, 100]], ['ArrowUp', { altKey: true }, [false, 100]], ['ArrowUp', { repeat: true }, [true, 101]],
      ['t', { repeat: true }, [false, 101]], ['ArrowDown', [true, 100]]]);
  same([stage.key(find('input[type=range]'), 'ArrowUp'), stage.key(find('#meter'), 'ArrowUp'), metronome.bpm], [false, false, 100],
    'fields have their own keys');
  for (const [id, bpm] of [['step5', 105], ['step1', 106], ['step-1', 105], ['step-5', 100]]) { document.getElementById(id).click();
    same(metronome.bpm, bpm, id); }
  find('input[type=range]').value = 150;
  find('input[type=range]').dispatchEvent(new Event('input'));
  same(number(), '150', 'the slider');
  metronome.setTempo(97.3);
  same([number(), stage.text('.unit')], ['97.3', 'BPM · 0.617 s between clicks'], 'a tempo with tenths');
  find('#metronome-tap').click();
  same(metronome.bpm, 97.3, 'one tap is none');
  await stage.pass(500);
  press('t');
  same(metronome.bpm, 120, 'two are a tempo');
  const change = (id, value) => { document.getElementById(id).value = value; document.getElementById(id).dispatchEvent(new Event('change')); };
  change('meter', '3');
  same([metronome.beats, lit()], [3, 'on,,'], 'beats in a bar');
  change('sound', 'wood');
  same([metronome.sound, find('#meter').options.length, find('#sound').options.length], ['wood', 12, 4], 'a sound');
  press('s');
  same([metronome.isRunning, find('#go').textContent], [true, 'Stop'], 'S starts');
  metronome.dispatchEvent(new CustomEvent('beat', { detail: 2 }));
  same(lit(), ',,on', 'a beat is shown');
  metronome.setTempo(100);
  same(lit(), ',,on', 'and stays while it runs');
  find('#go').click();
  same([metronome.isRunning, find('#go').textContent, lit()], [false, 'Start', 'on,,'], 'and stops');
  player.queue = [song(1, { tempo_bpm: 97 })];
  player.at = 0;
  player.dispatchEvent(new Event('track'));
  same(find('#use-tempo').disabled, false, 'the tempo of the track that plays');
  answers({ 'tracks/1': { track: { tempo_bpm: 98.5 } } });
  find('#use-tempo').click();
  await stage.calm();
  same(metronome.bpm, 98.5, 'as it is stored');
  answers({ 'tracks/1': { track: { tempo_bpm: null } } });
  find('#use-tempo').click();
  await stage.calm();
  same(metronome.bpm, 98.5, 'or none');
  player.queue = [];
  player.at = -1;
  await go('#/metronome');
  same([find('#meter').value, find('#sound').value, metronome.bpm], ['3', 'wood', 98.5], 'as it was left');
  await go('#/metronome?bpm=x');
  same(metronome.bpm, 98.5, 'no tempo in the address');
  answers({ queue: {} });
  await go('#/queue');
  same([stage.key(document.body, 'ArrowUp'), metronome.bpm], [false, 98.5], 'another screen has no such keys');
  localStorage.removeItem('nocturne-metronome');
  metronome.set({ beats: 4, sound: 'click' });
};

tests.worklet = async () => {
  window.AudioWorkletProcessor = class { port = { sent: [], postMessage: (...values) => this.port.sent.push(values) }; };
  let Microphone = null;
  window.registerProcessor = (name, type) => { if (name === 'microphone') Microphone = type; };
  await import('/app/microphone-worklet.js');
  const node = new Microphone({ processorOptions: { frames: 4 } });
  same([node.process([[]]), node.process([[new Float32Array(0)]]), node.port.sent.length], [true, true, 0], 'nothing is connected');
  node.process([[Float32Array.of(.5, -1), Float32Array.of(.25, -1)]]);
  same(node.port.sent.length, 0, 'a chunk is not full');
  same(node.process([[Float32Array.of(1, -.5, .125)]]), true, 'it goes on');
  const [{ samples, peak }, moved] = node.port.sent[0];
  same([[...samples], peak, moved[0] === samples.buffer], [[12288, -32768, 32767, -16384], 1, true],
    'the mean of the channels, in 16 bits, and the highest of them');
  node.process([[Float32Array.of(.25, .125, -.0625)]]);
  same([[...node.port.sent[1][0].samples], node.port.sent[1][0].peak, node.filled], [[4096, 8192, 4096, -2048], .25, 0], 'each chunk has its own');
};

tests.microphone = async () => {
  const { Microphone } = await from('microphone'), log = [];
  const on = Object.fromEntries(['ready', 'level', 'match', 'noMatch', 'trackEnded', 'failed'].map(name => [name,
    value => log.push(value === undefined ? name : [name, value])]));
  const stopped = [], stream = { getTracks: () => [{ stop: () => stopped.push(1) }, { stop: () => stopped.push(2) }] };
  const devices = { getUserMedia: async options => { devices.options = options; return stream; } };
  const given = Object.getOwnPropertyDescriptor(Navigator.prototype, 'mediaDevices');
  Object.defineProperty(navigator, 'mediaDevices', { value: undefined, configurable: true });
  same(await new Microphone(on).start().catch(error => [error.status, error.message]), [0,
    'The browser gives the microphone only to pages from this computer or over HTTPS.'], 'no microphone');
  Object.defineProperty(navigator, 'mediaDevices', { value: devices, configurable: true });
  const session = { id: 's1', events: '/v1/sessions/s1/events', audio: '/v1/sessions/s1/audio' }, audio = `POST ${session.audio}`;
  let answer = {};
  answers({ 'POST /v1/sessions': session, 'DELETE /v1/sessions/s1': {}, [audio]: async (asked,
    options) => { asked.type = options.headers['Content-Type']; return typeof answer === 'function' ? answer() : answer; } });
  stage.sources.length = 0;
  const microphone = new Microphone(on);
  await microphone.start();
  const { context, node } = microphone, [events] = stage.sources;
  same([devices.options, context.worklet, node.name, node.options, events.address, log.splice(0), context.resumed],
    [{ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } },
    '/app/microphone-worklet.js', 'microphone', { numberOfOutputs: 0, processorOptions: { frames: 250 } }, session.events, ['ready'], 1], 'started');
  const chunk = (peak = .5) => node.port.onmessage({ data: { peak, samples: Int16Array.of(1) } }),
    sent = () => stage.asked.filter(({ address }) => address.startsWith(session.audio)).map(({ address,
    type }) => `${address.split('?')[1]} ${type}`);
  chunk();
  chunk(.25);
  await stage.calm();
  same([log.splice(0), sent()], [[['level', .5], ['level', .25]], ['sequence=0 audio/pcm;rate=1000;channels=1;encoding=s16le',
    'sequence=1 audio/pcm;rate=1000;channels=1;encoding=s16le']], 'chunks with their numbers');
  answer = () => stage.error(429, 'Wait.');
  stage.asked.length = 0;
  chunk();
  await stage.pass(499);
  same(sent().length, 1, 'a server that is busy');
  answer = () => stage.error(503, 'Wait.');
  await stage.pass(1);
  same(sent().map(line => line.split(' ')[0]), ['sequence=2', 'sequence=2'], 'gets the same chunk again');
  answer = {};
  await stage.pass(500);
  chunk();
  await stage.calm();
  same([sent().at(-1).split(' ')[0], log.filter(([name]) => name === 'failed')], ['sequence=3', []], 'and the next one then');
  log.length = 0;
  events.tell('match', { title: 'A' });
  events.tell('no-match', {});
  events.tell('track-ended', {});
  events.tell('error');
  same(log.splice(0), [['match', { title: 'A' }], ['noMatch', {}], ['trackEnded', {}]], 'events; an error of the connection alone is none');
  asked();
  microphone.stop();
  same([stopped.splice(0), events.readyState, context.state, asked()], [[1, 2], 2, 'closed', ['DELETE /v1/sessions/s1']], 'stopped');
  microphone.stop();
  events.tell('match', { title: 'B' });
  same([asked(), log.splice(0)], [[], []], 'once, and nothing is heard then');
  const failing = async act => { const one = new Microphone(on); stage.sources.length = 0; answer = {}; await one.start(); log.length = 0;
    await act(one, stage.sources[0]); const found = log.filter(([name]) => name === 'failed'); one.stop(); stopped.length = 0; return found; };
  same(await failing((_, events) => events.tell('error', { message: 'Broken.' })), [['failed', 'Broken.']], 'an error of the session');
  same(await failing((_, events) => events.tell('end', { reason: 'It is over.' })), [['failed', 'It is over.']], 'its end');
  same(await failing(async one => { answer = () => stage.error(400, 'No.'); one.node.port.onmessage({ data: { peak: 0,
    samples: Int16Array.of(1) } }); await stage.calm(); }), [['failed', 'No.']], 'a chunk that is refused');
  const behind = count => failing(async one => { answer = () => new Promise(() => {}); for (let turn = 0; turn < count;
    turn++) one.node.port.onmessage({ data: { peak: 0, samples: Int16Array.of(1) } }); await stage.calm(); });
  same([await behind(40), await behind(41)], [[], [['failed', 'The server does not keep up.']]], 'forty chunks are kept, and no more');
  const early = new Microphone(on);
  log.length = stage.sources.length = 0;
  const starting = early.start();
  early.stop();
  await starting;
  same([stopped.splice(0), early.session, stage.sources.length, log], [[1, 2], undefined, 0, []], 'stopped before the microphone was given');
  let go = null;
  stage.answers['POST /v1/sessions'] = () => new Promise(done => { go = done; });
  const late = new Microphone(on), begun = late.start();
  await stage.calm();
  late.stop();
  go(session);
  await begun;
  same([late.context.state, stage.sources.length, log], ['closed', 0, []], 'or before the session was there');
  if (given) delete navigator.mediaDevices;
};

/* Parts */

tests.partsWords = async () => {
  const parts = await from('parts');
  cases('byline', parts.byline, [[{ artist: 'A' }, 'A'], [{ folder: 'F' }, 'F/'], [{}, '–']]);
  cases('counts', parts.counts, [[{ count: 1 }, '1 track'], [{ count: 273, failed: 0 }, '273 tracks'],
    [{ count: 278, failed: 5 }, '273 tracks, 5 failed'], [{ count: 5, failed: 5 }, '5 failed files'],
    [{ count: 1, failed: 1 }, '1 failed file'], [{ count: 500, count_is_exact: false }, 'more than 500 tracks'],
      [{ count: 500, count_is_exact: true }, '500 tracks'], [{ count: 500, failed: 1, count_is_exact: false }, 'more than 499 tracks, 1 failed'],
    [{ count: 2000, failed: 1000 }, '1,000 tracks, 1,000 failed']]);
  cases('length', parts.length, [[null, '–'], [undefined, '–'], [0, '0:00'], [61, '1:01']]);
  cases('tempo', parts.tempo, [[null, 'no beat'], [120, '120.0 BPM'], [0, '0.0 BPM']]);
  cases('address', parts.address, [['track', 'a/b c', '#/track/a%2Fb%20c']]);
  cases('isPlayable', parts.isPlayable, [[{ status: 'failed' }, false], [{ status: 'partial' }, true], [{}, true]]);
  const html = (text, ranges) => parts.marked(text, ranges).map(part => part.outerHTML ?? part);
  cases('marked', html, [['abc', [], ['abc']], ['', [], []], ['abcdef', [[0, 1], [3, 5]], ['<mark>a</mark>', 'bc', '<mark>de</mark>', 'f']],
    ['abc', [[0, 3]], ['<mark>abc</mark>']], ['abc', [[0, 4]], ['abc']],
    ['abcd', [[0, 2], [1, 3], [2, 4]], ['<mark>ab</mark>', '<mark>cd</mark>']], ['x'.repeat(401), [], [`${'x'.repeat(400)}…`]]]);
  same(parts.marked('ab'), ['ab'], 'without ranges');
  const titled = text => { const node = parts.title(text); return [node.localName, node.tabIndex, node.textContent.length, node.className,
    node.title.length]; };
  cases('title', titled, [['x'.repeat(60), ['h1', -1, 60, '', 0]], ['x'.repeat(61), ['h1', -1, 61, 'long', 61]],
    ['x'.repeat(2100), ['h1', -1, 401, 'long', 2001]]]);
  same(parts.none('N').outerHTML, '<p class="none">N</p>', 'a sentence in place of what is not there');
  same(parts.link('L', '#/x', { id: 'i' }).outerHTML, '<a class="link" href="#/x" id="i">L</a>', 'a link');
  same([parts.heading('H').outerHTML, parts.heading('H', 'a').outerHTML, parts.heading('H', parts.none('N')).outerHTML],
    ['<div class="sec-head"><h2>H</h2></div>', '<div class="sec-head"><h2>H</h2><span>a</span></div>',
    '<div class="sec-head"><h2>H</h2><p class="none">N</p></div>'], 'headings');
  const meter = confidence => { const node = parts.meter(confidence); return [node.className, node.title, node.getAttribute('aria-label'),
    node.firstChild.style.width]; };
  cases('meter', meter, [[.5, ['meter', 'Worth a listen', 'Worth a listen, 50%', '50%']], [.49, ['meter low', 'A guess', 'A guess, 49%', '49%']]]);
  cases('round', name => parts.round(name).textContent, [[' abc', 'A'], ['', '–'], ['🎵x', '🎵']]);
};

tests.kept = async () => {
  const { kept, later } = await from('parts');
  kept.write('probe', { a: 1 });
  same([kept.read('probe'), kept.read('nothing', 5), localStorage.getItem('nocturne-probe')], [{ a: 1 }, 5, '{"a":1}'], 'kept');
  localStorage.setItem('nocturne-probe', '{');
  same(kept.read('probe', 6), 6, 'what cannot be read is as if it were not there');
  localStorage.setItem('nocturne-probe', 'null');
  same(kept.read('probe', 7), 7, 'nothing');
  localStorage.removeItem('nocturne-probe');
  const own = Object.getOwnPropertyDescriptor(window, 'localStorage');
  Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); }, configurable: true });
  kept.write('probe', 1);
  same(kept.read('probe', 8), 8, 'a private window keeps nothing');
  Object.defineProperty(window, 'localStorage', own);
  const calls = [], soon = later(100, (...values) => calls.push(values));
  soon(1);
  await stage.pass(99);
  soon(2, 3);
  await stage.pass(99);
  same(calls, [], 'later');
  await stage.pass(1);
  same(calls, [[2, 3]], 'once');
};

tests.rows = async () => {
  const { trackRow, plainRow, square, markPlaying } = await from('parts');
  markPlaying(null);
  const picture = [
    trackRow(song(1), { play() {} }), trackRow(song(2, { title: null, artist: null, is_untitled: true, marks: { file: [[0, 1]] }, tempo_bpm: null,
      key_camelot: null, duration_s: null }), { number: '–' }),
    trackRow(song(3, { status: 'partial', marks: { title: [[0, 5]], artist: [[0, 6]] }, problem: { what: 'It ends early.', do: 'Copy it.' } }),
      { byline: 'below', handle: 'H', number: 0 }),
    trackRow(song(4, { tempo_confidence: null, is_untitled: true, marks: { title: [[0, 1]] } })),
      trackRow(failed(5, { marks: { file: [[0, 1]] } }), { menu: [['Remove', () => {}]], handle: 'H' }),
    trackRow(failed(6, { problem: null })), plainRow({ picture: 'P', name: 'Name', nameMarks: [[0, 1]], below: 'Below', belowMarks: [[0, 2]],
      aside: 'Aside', href: '#/x' }), plainRow({ picture: square('7'), name: 'N', href: '#' })];
  stage.picture('rows', picture.map(node => outline(node)).join(''));
  const list = [1, 2].map(id => trackRow(song(id)));
  await shown(list, () => {
    markPlaying('2');
    same(list.map(row => [row.className, row.getAttribute('aria-current')]), [['row', null], ['row playing', 'true']], 'the row that plays');
    same(trackRow(song(2)).className, 'row playing', 'in lists that come, too');
    markPlaying(null);
    same(list[1].className, 'row', 'and no more');
  });
  await stage.pass(16);
};

tests.trackList = async () => {
  const { trackList } = await from('parts'), plays = [], player = { play: (...values) => plays.push(values) }, tracks = songs(3),
    among = [song(0), ...tracks];
  const list = trackList(tracks, { player, among, source: 'S' });
  await shown(list, () => {
    list.children[1].querySelector('.start').click();
    same(plays.splice(0), [[among, 2, 0, 'S']], 'plays on from there');
    const name = row => list.children[row].querySelector('.name'),
      at = () => [...list.children].findIndex(row => row.contains(document.activeElement));
    name(0).focus();
    const press = (row, key, more) => { name(row).focus(); const taken = stage.key(name(row), key, more); return [taken, at()]; };
    cases('press', press, [[0, 'ArrowDown', [true, 1]], [1, 'ArrowUp', [true, 0]], [0, 'ArrowUp', [true, 0]], [2, 'ArrowDown', [true, 2]],
      [0, 'End', [true, 2]], [2, 'Home', [true, 0]], [0, 'x', [false, 0]],
      [0, 'ArrowDown', { altKey: true }, [false, 0]]]);
    const far = heard(document.body, 'keydown');
    same([stage.key(name(2), ' '), plays.splice(0).length, far.length, stage.key(list.children[2].querySelector('.start'), ' '),
      stage.key(list, ' '), plays.length, far.stop().length], [true, 1, 0, false, true, 0, 2], 'the space bar plays');
    same(stage.key(list, 'ArrowDown'), false, 'between rows nothing');
  });
  const numbered = trackList([song(1, { track: 7 }), song(2)], { player, numbers: true });
  same(stage.texts('.number', numbered), ['7', '–'], 'numbers');
  numbered.children[1].querySelector('.start').click();
  same(plays.splice(0)[0][1], 1, 'of its own list');
  await stage.pass(16);
};

tests.menu = async () => {
  const { openMenu, trackRow } = await from('parts'), { player } = await from('player'), menu = find('#menu');
  const anchor = box => ({ getBoundingClientRect: () => ({ ...box }) }), done = [];
  Object.defineProperty(menu, 'offsetWidth', { value: 200, configurable: true });
  Object.defineProperty(menu, 'offsetHeight', { value: 100, configurable: true });
  const at = box => { openMenu(anchor(box), [['One', () => done.push(1)], null, ['Two', () => done.push(2)]]);
    return [menu.style.left, menu.style.top]; };
  cases('at', at, [[{ right: 500, bottom: 100, top: 80 }, ['300px', '104px']], [{ right: 100, bottom: 100, top: 80 }, ['8px', '104px']],
    [{ right: innerWidth, bottom: 100, top: 80 }, [`${innerWidth - 208}px`, '104px']],
    [{ right: 500, bottom: innerHeight - 108, top: 700 }, ['300px', `${innerHeight - 104}px`]],
      [{ right: 500, bottom: innerHeight - 107, top: 700 }, ['300px', '596px']], [{ right: 500, bottom: innerHeight, top: 50 }, ['300px', '8px']]]);
  same([stage.texts('#menu button'), document.activeElement.textContent, menu.matches(':popover-open')], [['One', 'Two'], 'One', true], 'open');
  const press = key => { const taken = stage.key(document.activeElement, key); return [taken, document.activeElement.textContent]; };
  cases('press', press, [['ArrowDown', [true, 'Two']], ['ArrowDown', [true, 'Two']], ['ArrowUp', [true, 'One']], ['x', [false, 'One']]]);
  menu.children[1].click();
  same([done, menu.matches(':popover-open')], [[2], false], 'chosen');
  delete menu.offsetWidth;
  delete menu.offsetHeight;
  const row = trackRow(song(1, { album: { id: 'a' }, artists: [{ id: 'b' }] }), { menu: [['Further', () => done.push(3)]] });
  await shown(row, async () => {
    const open = async () => { row.querySelector('.more').click(); await stage.calm(); return stage.texts('#menu button'); },
      pick = async words => { await open(); button(words, menu).click(); await stage.calm(); };
    same(await open(), ['Play next', 'Add to the queue', 'Add to a playlist…', 'Open the album', 'Open the artist', 'Further'],
      'entries for a track');
    const added = stage.spy(player, 'add');
    await pick('Play next');
    same([added.splice(0).map(([tracks, isNext]) => [tracks[0].id, isNext]), toasted()], [[['1', true]], 'Plays next'], 'next');
    await pick('Add to the queue');
    same([added.splice(0).map(([tracks, isNext]) => [tracks[0].id, isNext]), toasted()], [[['1', undefined]], 'Added to the queue'], 'at the end');
    added.restore();
    answers({});
    await pick('Open the album');
    same(location.hash, '#/album/a', 'the album');
    await pick('Open the artist');
    same(location.hash, '#/artist/b', 'the artist');
    await pick('Further');
    same(done, [2, 3], 'and more');
    history.replaceState(null, '', '#/queue');
  });
  const plain = trackRow(song(1, { album: { name: 'A' }, artists: [] }));
  await shown(plain, async () => {
    plain.querySelector('.more').click();
    await stage.calm();
    same(stage.texts('#menu button').length, 3, 'without an album and an artist');
    menu.hidePopover();
  });
  const broken = trackRow(failed(1), { menu: [['Remove', () => done.push(4)]] });
  await shown(broken, async () => {
    broken.querySelector('.more').click();
    await stage.calm();
    same(stage.texts('#menu button'), ['Remove'], 'a file that failed cannot be played');
    menu.children[0].click();
    same(done.at(-1), 4, 'but removed');
  });
  await stage.pass(16);
};

tests.toasts = async () => {
  const { toast, say } = await from('parts');
  toast('one');
  same([find('#toast').textContent, find('#toast').className], ['one', 'toast on'], 'told');
  await stage.pass(2000);
  toast('two');
  await stage.pass(2599);
  same(find('#toast').className, 'toast on', 'for a while');
  await stage.pass(1);
  same(find('#toast').className, 'toast', 'and no longer');
  say('words');
  same(said(), 'words', 'for screen readers');
};

tests.dialog = async () => {
  const { askFor } = await from('parts'), dialog = find('#dialog'), open = options => { const answer = askFor(options);
    return { answer, field: dialog.querySelector('input'), form: dialog.querySelector('form') }; };
  let { answer, field, form } = open({ heading: 'H', label: 'Name', value: 'old', confirm: 'OK' });
  same([dialog.open, document.activeElement === field, field.value, field.selectionEnd, stage.texts('#dialog button'), field.placeholder,
    field.maxLength], [true, true, 'old', 3, ['OK', 'Cancel'], 'Name', 200], 'a question');
  field.value = '  ';
  form.requestSubmit();
  same(dialog.open, true, 'nothing is no answer');
  field.value = ' new ';
  form.requestSubmit();
  same([await answer, dialog.open], [{ text: 'new' }, false], 'an answer');
  ({ answer } = open({ heading: 'H', label: 'Name', confirm: 'OK' }));
  button('Cancel', dialog).click();
  same(await answer, null, 'called off');
  ({ answer } = open({ heading: 'H', label: 'Name', confirm: 'OK' }));
  dialog.close();
  same(await answer, null, 'closed');
  ({ answer, form } = open({ heading: 'Delete?', confirm: 'Delete' }));
  same([document.activeElement.textContent, dialog.querySelector('input')], ['Delete', null], 'only whether');
  form.requestSubmit();
  same(await answer, { text: '' }, 'yes');
  ({ answer } = open({ heading: 'H', label: 'Name', confirm: 'OK', choices: [['A', 1], ['x'.repeat(121), 2]] }));
  same([document.activeElement.textContent, stage.texts('.choice').map(text => text.length)], ['A', [1, 121]], 'choices');
  dialog.querySelectorAll('.choice')[1].click();
  same(await answer, { choice: 2 }, 'chosen');
};

tests.addToPlaylist = async () => {
  const { addToPlaylist } = await from('parts'), dialog = find('#dialog');
  answers({ playlists: { items: [{ id: 'p', name: 'Late' }] }, 'POST playlists': { playlist: { id: 'n' } }, 'POST playlists/p/entries': {},
    'POST playlists/n/entries': {} });
  let adding = addToPlaylist([song(1), failed(2), song(3)]);
  await stage.calm();
  same([stage.text('#dialog h2'), stage.texts('.choice')], ['Add 2 tracks to', ['Late']], 'files that failed are left out');
  dialog.querySelector('.choice').click();
  await adding;
  same([asked(), toasted()], [['playlists', 'POST playlists/p/entries {"tracks":["1","3"]}'], 'Added to Late'], 'to a list');
  adding = addToPlaylist([song(1)]);
  await stage.calm();
  dialog.querySelector('input').value = 'N'.repeat(61);
  dialog.querySelector('form').requestSubmit();
  await adding;
  same([asked().slice(1), toasted()], [[`POST playlists {"name":"${'N'.repeat(61)}","tracks":[]}`, 'POST playlists/n/entries {"tracks":["1"]}'],
    `Added to ${'N'.repeat(60)}…`], 'to a new list');
  adding = addToPlaylist(songs(1001));
  await stage.calm();
  dialog.querySelector('.choice').click();
  await adding;
  same(stage.asked.filter(({ method }) => method === 'POST').map(({ body }) => body.tracks.length), [1000, 1], 'a thousand at a time');
  adding = addToPlaylist(songs(1));
  await stage.calm();
  asked();
  toasted();
  button('Cancel', dialog).click();
  await adding;
  same([asked(), toasted()], [[], ''], 'called off');
  answers({ playlists: () => stage.error(500, 'Not now.') });
  await addToPlaylist(songs(1));
  same(toasted(), 'Not now.', 'an error is told');
};

/* Covers and prints */

tests.art = async () => {
  const { art } = await from('art'), points = [9, 1, 5];
  answers({ prints: ({ address }) => ({ prints: Object.fromEntries(new URLSearchParams(address.split('?')[1]).get('ids').split(',').filter(id => id !== 'none').map(id => [id,
    points])) }) });
  const address = node => node.querySelector('img')?.getAttribute('data-src') ?? null,
    fail = node => node.querySelector('img').dispatchEvent(new Event('error'));
  const own = Object.getOwnPropertyDescriptor(window, 'devicePixelRatio'), ratio = value => Object.defineProperty(window, 'devicePixelRatio',
    { value, configurable: true });
  ratio(1);
  cases('size', pixels => address(art('s', pixels)), [[64, '/media/covers/s?size=64&missing=empty'], [65, '/media/covers/s?size=160&missing=empty'],
    [161, '/media/covers/s?size=300&missing=empty'],
    [301, '/media/covers/s?size=640&missing=empty'], [641, '/media/covers/s?size=640&missing=empty'],
      [640, '/media/covers/s?size=640&missing=empty']]);
  ratio(2);
  same(address(art('s', 40)), '/media/covers/s?size=160&missing=empty', 'at the resolution of the screen');
  ratio(1);
  const one = art('p1', 40), two = art('p2', 61, 'c2'), none = art('none', 60), three = art('p3', 40);
  same([one.style.width, one.style.height, address(two)], ['40px', '40px', '/media/covers/c2?size=64&missing=empty'], 'a cover');
  for (const node of [one, two, none, three]) fail(node);
  await stage.pass(16);
  same(asked(), ['prints?ids=p1,none,p3&points=36', 'prints?ids=p2&points=120'], 'prints are asked for together');
  same([one.querySelector('svg') !== null, address(one), two.querySelector('svg').getAttribute('width'), none.className, none.childElementCount],
    [true, null, '61', 'cover blank', 0], 'and drawn');
  same([address(art('p1', 40)), address(art('x', 40, 'c2'))], [null, null], 'a cover that is not there is not asked for again');
  await stage.pass(16);
  same(asked(), ['prints?ids=x&points=36'], 'nor is a print');
  const many = times(101, index => art(`m${index}`, 40));
  for (const node of many) fail(node);
  await stage.pass(16);
  same(stage.asked.splice(0).map(({ address }) => address.split(',').length), [100, 1], 'a hundred at a time');
  answers({ prints: () => stage.error(500, 'x') });
  const broken = art('broken', 40);
  fail(broken);
  await stage.pass(16);
  same(broken.className, 'cover blank', 'a list without prints is still a list');
  Object.defineProperty(window, 'devicePixelRatio', own);
};

/* Router */

tests.router = async () => {
  const { route, setParameters, screen, show } = await from('router'), { server } = await from('server');
  const at = hash => { history.replaceState(null, '', hash); const { parts, parameters } = route(); return [parts, String(parameters)]; };
  cases('route', at, [['#/track/a%2Fb?tab=x&y=1', [['track', 'a/b'], 'tab=x&y=1']], ['#track', [['track'], '']], ['#/', [[], '']],
    ['#/a//b', [['a', 'b'], '']], ['#/a%', [['a%'], '']]]);
  history.replaceState({ s: 1 }, '', '#/library');
  const set = values => { setParameters(values); return [location.hash, history.state]; };
  cases('setParameters', set, [[{ q: 'a b', x: '', y: null }, ['#/library?q=a+b', { s: 1 }]], [{}, ['#/library', { s: 1 }]]]);
  history.replaceState(null, '', location.pathname);
  same(set({ q: 'x' })[0], '#/search?q=x', 'without a screen');
  const log = [], page = (name, more = {}) => async (parts, parameters, tools) => { log.push([name, ...parts, String(parameters)]);
    page.tools = tools; const h1 = document.createElement('h1'); h1.tabIndex = -1; h1.textContent = name;
    return { name, nodes: [h1], leave: () => log.push(`leave ${name}`), shown: () => log.push(`shown ${name} ${Boolean(find('#main h1') === h1)}`),
      ...more }; };
  screen('probe', 'listen', page('Probe'));
  screen('other', '', page('Nocturne', { leave: undefined, shown: undefined }));
  log.length = 0;
  await go('#/probe/a?b=c');
  same([log.splice(0), document.title, stage.texts('[aria-current=page]'), document.activeElement.textContent],
    [[['Probe', 'a', 'b=c'], 'shown Probe true'], 'Probe · Nocturne', ['Listen'], 'Probe'], 'a screen');
  const own = Object.getOwnPropertyDescriptor(window, 'scrollY');
  Object.defineProperty(window, 'scrollY', { value: 300, configurable: true });
  const scrolls = stage.spy(window, 'scrollTo');
  await go('#/other');
  same([log.splice(0), document.title, stage.texts('[aria-current=page]'), scrolls.splice(0)],
    [[['Nocturne', ''], 'leave Probe'], 'Nocturne', [], [[0, 0]]], 'another, from its top');
  dispatchEvent(new Event('popstate'));
  await go('#/probe/a?b=c');
  same(scrolls.splice(0), [[0, 300]], 'back to where it was');
  await go('#/other');
  dispatchEvent(new Event('popstate'));
  const link = document.createElement('a');
  await shown(link, async () => { link.dispatchEvent(new MouseEvent('click', { bubbles: true })); await stage.calm(); });
  await go('#/probe/a?b=c');
  same(scrolls.splice(0), [[0, 0], [0, 0]], 'a link begins at the top');
  await go('#/other');
  await go('#/probe/a?b=c');
  same(scrolls.splice(0).at(-1), [0, 0], 'as does an address');
  dispatchEvent(new Event('popstate'));
  await go('#/probe/new');
  same(scrolls.splice(0), [[0, 0]], 'a screen that was not seen');
  scrolls.length = log.length = 0;
  find('#main h1').focus();
  await page.tools.reload();
  same([scrolls.length, document.activeElement.id], [0, 'main'], 'a screen that is shown again stays; the focus stays in it');
  find('#theme').focus();
  await page.tools.reload();
  same(document.activeElement.id, 'theme', 'or where else it was');
  log.length = 0;
  server.dispatchEvent(new Event('back'));
  await stage.calm();
  same([log.splice(0).length > 0, scrolls.length], [true, 0], 'when the server is back the screen is shown again');
  let fail = null;
  screen('broken', '', async () => { throw fail; });
  const broken = async error => { fail = error; await go('#/other'); await go('#/broken'); return [stage.text('h1'), stage.text('#main .none')]; },
    error = (status, message) => Object.assign(new Error(message), { status });
  same(await broken(error(404, 'No such track.')), ['Not found', 'No such track.'], 'not found');
  same(await broken(error(500, 'Broken.')), ['This did not work', 'Broken.'], 'an error');
  for (const each of [error(401, 'x'), error(0, 'x'), Object.assign(new Error('x'), { name: 'AbortError' })]) same(await broken(each),
    ['Nocturne', null], 'the old screen stays');
  const complaints = stage.spy(console, 'error');
  same([await broken(new Error('A bug.')), complaints.length], [['This did not work', 'A bug.'], 1], 'what no one expected is on the console');
  await broken(error(500, 'x'));
  same(complaints.length, 1, 'what the server says is not');
  complaints.restore();
  let release = null, signal = null;
  screen('slow', '', (_, __, tools) => { ({ signal } = tools); return new Promise(done => { release = () => done({ name: 'Slow',
    nodes: [document.createElement('h1')] }); }); });
  await go('#/slow');
  await stage.pass(299);
  same(find('#loading').hidden, true, 'a screen that comes soon');
  await stage.pass(1);
  same([find('#loading').hidden, signal.aborted], [false, false], 'or not');
  const late = release;
  await go('#/other');
  same([find('#loading').hidden, signal.aborted, stage.text('h1')], [true, true, 'Nocturne'], 'another screen goes first');
  late();
  await stage.calm();
  same([stage.text('h1'), find('#loading').hidden], ['Nocturne', true], 'and stays');
  await stage.pass(300);
  same(find('#loading').hidden, true, 'nothing is loading');
  await go('#/nonsense');
  same(stage.text('h1'), 'Search', 'an address that is none is the search');
  same(history.scrollRestoration, 'manual', 'the app scrolls by itself');
  Object.defineProperty(window, 'scrollY', own);
  scrolls.restore();
  same(typeof show, 'function', '');
};

/* The player */

const other = player => stage.audios.find(audio => audio !== player.audio && audio.isOfPlayer);
/** A player that has nothing to play. */
async function silent() {
  const { player } = await from('player');
  stage.audios.slice(0, 2).forEach(audio => { audio.isOfPlayer = true; });
  answers({});
  if (player.hasClicks) player.toggleClicks();
  player.pause();
  [player.queue, player.at, player.source, player.startAt] = [[], -1, null, 0];
  for (const audio of stage.audios) { audio.removeAttribute('src'); delete audio.dataset.id;
    Object.assign(audio, { paused: true, duration: NaN, readyState: 0 }); audio.load(); }
  player.dispatchEvent(new Event('track'));
  stage.refusal = null;
  await stage.calm();
  toasted();
  return player;
}
const ids = player => player.queue.map(track => track.id).join('');
const keptQueue = () => JSON.parse(localStorage.getItem('nocturne-queue'));

tests.playing = async () => {
  const player = await silent(), events = heard(player, 'track', 'state', 'queue', 'time', 'clicks');
  same([player.track, player.isPlaying, player.position, player.duration, player.total], [null, false, 0, 0, 0], 'nothing');
  player.toggle();
  player.seek(5);
  same(events.splice(0), [], 'nothing to do');
  player.play([song(1, { marks: { title: [] } }), failed(2), song(3), song(4)], 2);
  await stage.calm();
  same([ids(player), player.at, player.audio.src, player.audio.dataset.id, player.isPlaying, 'marks' in player.queue[0], said()],
    ['134', 1, '/media/tracks/3', '3', true, false, 'Now: Title 3'], 'a list from one of its tracks, without files that failed');
  same(events.splice(0), ['queue', 'state', 'track', 'state'].filter((_, index) => index !== 1).concat('state'), 'told');
  same([keptQueue().tracks.map(track => track.id), keptQueue().at, keptQueue().position, keptQueue().source], [['1', '3', '4'], 1, 0, null], 'kept');
  same([find('#player').hidden, document.body.classList.contains('has-player'), stage.text('#player-track .nm'), stage.text('#player-track .sub')],
    [false, true, 'Title 3', 'Artist 3'], 'the bar');
  player.play([song(1), failed(2)], 1);
  same(player.at, 0, 'a file that failed: from the track before');
  player.play([failed(2)]);
  same([toasted(), player.queue], ['Nothing here can be played.', []], 'nothing can be played');
  player.play(songs(2), 0, 30, { path: 'tracks', offset: 2, count: 3 });
  same([player.audio.currentTime, player.source.count, player.total], [30, 3, 3], 'from a place, and more on the server');
  player.play(songs(2), 0, 0, { path: 'tracks', offset: 3, count: 3 });
  same([player.source, player.total], [null, 2], 'or no more');
  await stage.calm();
  player.toggle();
  same([player.isPlaying, events.splice(0).at(-1)], [false, 'state'], 'paused');
  player.toggle();
  await stage.calm();
  same(player.isPlaying, true, 'and on');
  player.audio.duration = 80;
  const seek = seconds => { player.seek(seconds); return [player.position, events.splice(0).filter(each => each === 'time').length]; };
  cases('seek', seek, [[10, [10, 1]], [-5, [0, 1]], [200, [79.95, 1]]]);
  cases('duration', duration => { player.audio.duration = duration; return player.duration; }, [[80, 80], [0, 100], [Infinity, 100], [NaN, 100]]);
  player.queue[0].duration_s = undefined;
  same(player.duration, 0, 'not known');
  events.stop();
  await silent();
};

tests.stepping = async () => {
  const player = await silent();
  player.play(songs(3), 1);
  await stage.calm();
  await player.next();
  same(player.at, 2, 'next');
  await player.next();
  same(player.at, 2, 'there is no next');
  player.audio.currentTime = 4;
  player.previous();
  same([player.at, player.audio.currentTime], [1, 0], 'previous');
  player.audio.currentTime = 4.1;
  player.previous();
  same([player.at, player.audio.currentTime], [1, 0], 'to the beginning first');
  player.previous();
  player.audio.currentTime = 2;
  player.previous();
  same([player.at, player.audio.currentTime], [0, 0], 'of the first one too');
  player.jump(2);
  same(player.track.id, '3', 'to any');
  await silent();
};

tests.editing = async () => {
  const player = await silent(), events = heard(player, 'queue', 'track');
  player.add([song(1), failed(9)]);
  same([ids(player), player.at, player.audio.src], ['1', 0, '/media/tracks/1'], 'the first one plays');
  await stage.calm();
  events.splice(0);
  player.add([song(2), failed(9)]);
  player.add([song(3)], true);
  same([ids(player), events.splice(0), keptQueue().tracks.length], ['132', ['queue', 'queue'], 3], 'at the end, or next');
  player.move(0, 2);
  same([ids(player), player.at, player.track.id, events.splice(0)], ['321', 2, '1', ['queue']], 'moved');
  player.move(0, 1);
  same([ids(player), player.at], ['231', 2], 'others');
  events.splice(0);
  player.remove(0);
  same([ids(player), player.at, events.splice(0)], ['31', 1, ['queue']], 'one before is taken out');
  player.add([song(4)]);
  player.remove(2);
  same([ids(player), player.at], ['31', 1], 'one behind');
  player.add([song(5)]);
  events.splice(0);
  player.remove(1);
  await stage.calm();
  same([ids(player), player.at, player.track.id, player.isPlaying, events.splice(0)], ['35', 1, '5', true, ['track', 'queue']],
    'the one that plays: the next goes on');
  player.pause();
  player.jump(0);
  player.pause();
  player.remove(0);
  await stage.calm();
  same([player.track.id, player.isPlaying], ['5', false], 'or waits, if it was paused');
  player.remove(0);
  same([player.track, player.at, player.audio.src, find('#player').hidden], [null, -1, '', true], 'the last one');
  player.play(songs(4), 1, 0, { path: 'tracks', values: {}, offset: 4, count: 400 });
  player.clearAfter();
  same([ids(player), player.source], ['12', null], 'what follows is cleared');
  events.stop();
  await silent();
};

tests.joining = async () => {
  const player = await silent();
  player.play(songs(3));
  await stage.calm();
  const audio = player.audio, next = other(player);
  audio.duration = 100;
  audio.reach(74.9);
  same(next.src, '', 'not before its time');
  audio.reach(75);
  same([next.src, next.dataset.id], ['/media/tracks/2', '2'], 'the next is loaded 25 seconds before the end');
  const loaded = next.currentTime = 0;
  next.readyState = 4;
  audio.reach(80);
  same([next.currentTime, next.readyState], [loaded, 4], 'once');
  const timers = stage.timers();
  audio.reach(99);
  same(stage.timers(), timers, 'a second before it waits');
  audio.reach(99.5);
  audio.reach(99.6);
  same(stage.timers(), timers + 1, 'then it is about to start');
  await stage.pass(487);
  same(next.paused, true, 'a little before the end');
  await stage.pass(1);
  same(next.paused, false, 'it does');
  next.reach(.01);
  audio.dispatchEvent(new Event('ended'));
  await stage.calm();
  same([player.at, player.audio === next, audio.src, audio.paused, audio.dataset.id, player.isPlaying, player.track.id],
    [1, true, '', true, undefined, true, '2'], 'and takes over');
  audio.dispatchEvent(new Event('ended'));
  audio.dispatchEvent(new Event('pause'));
  same(player.at, 1, 'the other one says nothing');
  next.duration = 100;
  next.reach(99.5);
  await stage.calm();
  player.seek(50);
  await stage.pass(1000);
  same(audio.paused, true, 'a jump back calls it off');
  next.reach(99.5);
  await stage.pass(488);
  same(audio.paused, false, 'it has started');
  audio.reach(.3);
  player.seek(50);
  same([audio.paused, audio.currentTime], [true, 0], 'a jump ends it');
  next.reach(99.5);
  player.pause();
  await stage.pass(1000);
  same(audio.paused, true, 'a pause does too');
  next.reach(99);
  same(stage.timers() >= 0, true, '');
  player.resume();
  await stage.calm();
  delete audio.dataset.id;
  next.dispatchEvent(new Event('ended'));
  await stage.calm();
  same([player.at, player.audio.src, player.isPlaying], [2, '/media/tracks/3', true], 'what was not loaded starts then');
  player.audio.duration = 100;
  player.audio.reach(99.9);
  same(other(player).src, '', 'behind the last there is none');
  player.audio.paused = true;
  const states = heard(player, 'state', 'track');
  player.audio.dispatchEvent(new Event('ended'));
  await stage.calm();
  same([player.at, states.stop()], [2, ['state']], 'the end of the queue');
  await silent();
};

tests.takingOver = async () => {
  const player = await silent(), prepared = async act => {
    player.play(songs(2));
    await stage.calm();
    player.audio.duration = 100;
    player.audio.reach(80);
    const next = other(player);
    act(next);
    const loads = next.loads;
    await player.next();
    await stage.calm();
    return [player.track.id, player.audio === next && next.loads === loads];
  };
  same(await prepared(() => {}), ['2', true], 'what is loaded takes over at once');
  same(await prepared(next => { next.readyState = 2; }), ['2', true], 'as soon as it can begin');
  same(await prepared(next => { next.readyState = 1; }), ['2', false], 'not before');
  same(await prepared(next => { next.currentTime = .01; }), ['2', true], 'at its beginning');
  same(await prepared(next => { next.currentTime = .02; }), ['2', false], 'not from elsewhere');
  same(await prepared(next => { next.dataset.id = 'x'; }), ['2', false], 'nor another track');
  player.play(songs(2));
  await stage.calm();
  player.audio.duration = 100;
  player.audio.reach(80);
  player.play(songs(2), 1, 30);
  same([player.audio.src, player.audio.currentTime], ['/media/tracks/2', 30], 'nor for another place');
  await silent();
};

tests.extending = async () => {
  const player = await silent(), all = songs(450), page = ({ address }) => { const values = new URLSearchParams(address.split('?')[1]),
    offset = +values.get('offset'); return { items: all.slice(offset, offset + +values.get('limit')), count: 450 }; };
  const queues = heard(player, 'queue');
  answers({ tracks: page });
  player.play(all.slice(0, 30), 9, 0, { path: 'tracks', values: { q: 'x' }, offset: 30, count: 450 });
  await stage.calm();
  same([stage.asked.map(({ address }) => address).filter(address => address.includes('limit')), player.queue.length, queues.splice(0).length],
    [[], 30, 1], 'twenty to come are enough');
  await player.next();
  await stage.calm();
  same([stage.asked.map(({ address }) => address).filter(address => address.includes('limit')), player.queue.length, player.source.offset,
    player.total, queues.splice(0).length],
    [['/app/api/tracks?q=x&limit=200&offset=30'], 230, 230, 450, 1], 'fewer are not');
  player.jump(225);
  await stage.calm();
  same([player.queue.length, player.source.offset], [430, 430], 'and more');
  player.jump(425);
  await stage.calm();
  same([player.queue.length, player.source, keptQueue().tracks.length, keptQueue().at, keptQueue().tracks[0].id], [450, null, 125, 100, '326'],
    'to the end; those before are not kept for ever');
  answers({ artists: { tracks: { items: [song('a'), failed('b')] } } });
  player.play(songs(1), 0, 0, { path: 'artists', values: {}, offset: 1, count: 3 });
  await stage.calm();
  same([ids(player), player.source], ['1a', null], 'tracks of an artist, without files that failed');
  answers({ tracks: { items: [] } });
  player.play(songs(1), 0, 0, { path: 'tracks', values: {}, offset: 1, count: 3 });
  await stage.calm();
  same([ids(player), player.source], ['1', null], 'nothing more');
  answers({ tracks: () => stage.error(500, 'Not now.') });
  player.play(songs(1), 0, 0, { path: 'tracks', values: {}, offset: 1, count: 3 });
  await stage.calm();
  same([ids(player), player.source !== null, toasted()], ['1', true, 'The rest of the list is not there. Not now.'], 'an error');
  answers({ tracks: page });
  player.audio.dispatchEvent(new Event('ended'));
  await stage.calm();
  same(player.track.id, '2', 'the end of a track asks again');
  let asking = null;
  answers({ tracks: () => new Promise(done => { asking = () => done({ items: [] }); }) });
  player.play(songs(2, 7), 0, 0, { path: 'tracks', values: {}, offset: 2, count: 3 });
  await stage.calm();
  player.audio.dispatchEvent(new Event('ended'));
  await stage.calm();
  same(player.track.id, '8', 'what is there plays meanwhile');
  asking();
  await stage.calm();
  let release = null;
  answers({ tracks: () => new Promise(done => { release = () => done({ items: [song('late')] }); }) });
  player.play(songs(1), 0, 0, { path: 'tracks', values: {}, offset: 1, count: 2 });
  player.play(songs(1, 5));
  await stage.calm();
  release();
  await stage.calm();
  same(ids(player), '5', 'another list has come');
  player.play(songs(1), 0, 0, { path: 'tracks', values: {}, offset: 1, count: 2 });
  await stage.calm();
  player.audio.dispatchEvent(new Event('ended'));
  player.play(songs(2, 7));
  await stage.calm();
  release?.();
  await stage.calm();
  same([ids(player), player.at], ['78', 0], 'another track has come');
  player.play(songs(800), 750, 0, { path: 'tracks', values: {}, offset: 800, count: 900 });
  same([keptQueue().tracks.length, keptQueue().at, keptQueue().source?.count], [150, 100, 900], 'the rest is kept with the queue');
  player.play(songs(800), 100, 0, { path: 'tracks', values: {}, offset: 800, count: 900 });
  same([keptQueue().tracks.length, keptQueue().at, keptQueue().source], [700, 100, null], 'but for 700 tracks');
  queues.stop();
  await silent();
};

tests.failing = async () => {
  const player = await silent(), states = heard(player, 'state');
  player.play([song(1, { title: null }), song(2)]);
  await stage.calm();
  player.audio.dispatchEvent(new Event('error'));
  same([toasted(), player.track.id], ['1.flac cannot be played here.', '2'], 'a track that cannot be played is passed over');
  await stage.calm();
  states.splice(0);
  player.audio.dispatchEvent(new Event('error'));
  same([toasted(), player.track.id, states.splice(0)], ['Title 2 cannot be played here.', '2', ['state']], 'the last one stays');
  player.audio.removeAttribute('src');
  player.audio.dispatchEvent(new Event('error'));
  other(player).dispatchEvent(new Event('error'));
  same(toasted(), '', 'an element without a track has no error');
  stage.refusal = new DOMException('x', 'NotAllowedError');
  player.play(songs(1));
  await stage.calm();
  same([toasted(), player.isPlaying], ['The browser wants a click before it plays. Press Play.', false], 'refused');
  stage.refusal = new DOMException('x', 'AbortError');
  states.splice(0);
  player.resume();
  await stage.calm();
  same([toasted(), states.stop()], ['', ['state']], 'or called off');
  await silent();
};

tests.session = async () => {
  const handlers = {}, session = { setActionHandler: (name, act) => { if (name === 'stop') throw new Error('not here'); handlers[name] = act; } };
  Object.defineProperty(navigator, 'mediaSession', { value: session, configurable: true });
  const player = await silent();
  player.play([song(1, { album: { name: 'Album' } }), song(2, { title: null, artist: null })]);
  await stage.calm();
  const about = () => [session.metadata.title, session.metadata.artist, session.metadata.album, session.playbackState];
  same(about(), ['Title 1', 'Artist 1', 'Album', 'playing'], 'the system knows what plays');
  player.audio.currentTime = 50;
  handlers.pause();
  same([player.isPlaying, session.playbackState], [false, 'paused'], 'its keys pause');
  handlers.play();
  await stage.calm();
  same(player.isPlaying, true, 'play');
  const at = (name, event) => { player.audio.currentTime = 50; handlers[name](event); return player.position; };
  cases('at', at, [['seekto', { seekTime: 7 }, 7], ['seekbackward', {}, 40], ['seekforward', {}, 60], ['seekbackward', { seekOffset: 5 }, 45],
    ['seekforward', { seekOffset: 5 }, 55]]);
  handlers.nexttrack();
  await stage.calm();
  same(about(), ['2.flac', '', '', 'playing'], 'and step');
  player.audio.currentTime = 0;
  handlers.previoustrack();
  same(player.at, 0, 'back');
  delete navigator.mediaSession;
  await silent();
};

tests.restoring = async () => {
  const restored = async (name, values) => { localStorage.setItem('nocturne-queue', JSON.stringify(values));
    const { player } = await import(`/app/player.js?${name}`); return player; };
  const player = await restored('full', { tracks: songs(3), at: 1, position: 42, source: { path: 'tracks', values: {}, offset: 3, count: 3 } });
  same([player.track.id, player.position, player.isPlaying, player.source.count, player.audio.src], ['2', 42, false, 3, ''],
    'the queue outlives the page, without playing');
  player.seek(50);
  same([player.position, player.audio.src], [50, ''], 'a jump before it plays');
  player.resume();
  await stage.calm();
  same([player.audio.src, player.audio.currentTime, player.isPlaying], ['/media/tracks/2', 50, true], 'it plays from there');
  dispatchEvent(new Event('pagehide'));
  player.pause();
  const more = await restored('plain', { tracks: songs(1), at: 0 });
  same([more.track.id, more.position, more.source], ['1', 0, null], 'with nothing but tracks');
  for (const [name, values] of [['none', {}], ['odd', { tracks: 'x', at: 0 }], ['beyond', { tracks: songs(1), at: 1 }]]) same((await restored(name,
    values)).track, null, name);
  localStorage.removeItem('nocturne-queue');
};

tests.clicksOfPlayer = async () => {
  const player = await silent(), events = heard(player, 'clicks'), beats = { tempo: { beats_s: [1, 2], downbeats_s: [1] } };
  answers({ 'tracks/1': beats, 'tracks/2': { tempo: { beats_s: [] } }, 'tracks/3': () => stage.error(500, 'Not now.') });
  player.play(songs(3));
  await stage.calm();
  asked();
  player.toggleClicks();
  await stage.calm();
  const { music, clicks } = player.outputs;
  same([player.hasClicks, asked(), events.splice(0), music.map(({ audio }) => stage.audios.indexOf(audio)),
    music.map(({ connected, context }) => connected[0] === context.destination), clicks.gain.value],
    [true, ['tracks/1'], ['clicks'], [0, 1], [true, true], .8], 'music and clicks go through one context');
  same(toasted(), '', 'beats are known');
  await player.next();
  await stage.calm();
  same(toasted(), 'No beats are known for this track.', 'or not');
  await player.next();
  await stage.calm();
  same(toasted(), 'Not now.', 'an error');
  const context = clicks.context;
  context.state = 'suspended';
  const resumed = context.resumed;
  player.pause();
  player.resume();
  same(context.resumed, resumed + 1, 'the context goes on with the music');
  player.toggleClicks();
  player.toggleClicks();
  same(player.outputs.music === music, true, 'routed once');
  answers({ 'tracks/1': beats });
  player.play(songs(1));
  await stage.calm();
  const audio = player.audio, ticks = async count => { for (let turn = 0; turn < count; turn++) { context.currentTime += .025;
    audio.reach(audio.currentTime + .025); await stage.pass(25); } };
  player.audio.reach(.6);
  context.clicks.length = 0;
  await ticks(16);
  same(context.clicks.length, 1, 'the beats of the track are heard');
  player.setBeats('1', [1.3], null);
  player.setBeats('x', [1.25, 1.3], null);
  context.clicks.length = 0;
  await ticks(8);
  same(context.clicks.length, 1, 'or those of a correction');
  answers({ 'tracks/2': () => new Promise(() => {}) });
  player.play(songs(1, 2));
  await stage.calm();
  player.audio.reach(1);
  context.clicks.length = 0;
  await ticks(20);
  same(context.clicks.length, 0, 'those of the track before are not heard');
  player.toggleClicks();
  same([player.hasClicks, events.stop().length > 2], [false, true], 'off');
  let release = null;
  toasted();
  answers({ 'tracks/1': () => new Promise(done => { release = () => done(beats); }), 'tracks/2': { tempo: { beats_s: [9] } } });
  player.play(songs(2));
  player.toggleClicks();
  await player.next();
  await stage.calm();
  release();
  await stage.calm();
  same(toasted(), '', 'beats that come too late are not taken');
  await silent();
};

tests.playerBar = async () => {
  const player = await silent(), strip = find('#player-strip');
  answers({ 'tracks/1': { tempo: null, has_waveform: false } });
  player.play([song(1), song(2, { title: null, artist: null })]);
  await stage.pass(16);
  player.audio.duration = 200;
  player.audio.currentTime = 10.6;
  player.audio.dispatchEvent(new Event('durationchange'));
  const bar = () => [stage.text('#player-now'), stage.text('#player-end'), find('#player-play').getAttribute('aria-label'),
    find('#player-play path').getAttribute('d').length, find('#player-next').disabled, stage.text('#player-queue')];
  same(bar(), ['0:10', '3:20', 'Pause', 24, false, 'Queue 1/2'], 'the bar');
  same([strip.getAttribute('aria-valuemax'), strip.getAttribute('aria-valuenow'), strip.getAttribute('aria-valuetext'),
    find('#player-track').getAttribute('href'), find('#player-track .cover').style.width], ['200', '11', '0:11 of 3:20', '#/track/1', '44px'],
    'its slider');
  player.pause();
  same(bar().slice(2, 4), ['Play', 16], 'paused');
  find('#player-play').click();
  await stage.calm();
  same(player.isPlaying, true, 'play');
  player.audio.duration = 300;
  player.audio.dispatchEvent(new Event('durationchange'));
  same(stage.text('#player-end'), '5:00', 'another length');
  find('#player-next').click();
  await stage.calm();
  same([stage.text('#player-track .nm'), stage.text('#player-track .sub'), bar().slice(4)], ['2.flac', 'Folder/', [true, 'Queue 2/2']], 'next');
  find('#player-previous').click();
  same(player.at, 0, 'previous');
  player.clearAfter();
  same(bar().slice(4), [true, 'Queue'], 'a queue of one');
  find('#player-clicks').click();
  same(find('#player-clicks').getAttribute('aria-pressed'), 'true', 'clicks');
  find('#player-clicks').click();
  same(find('#player-clicks').getAttribute('aria-pressed'), 'false', 'and none');
  size(strip, 300, 30);
  player.audio.duration = 100;
  const redrawn = async seconds => { const before = player.audio.currentTime; strip.getContext('2d'); player.audio.reach(seconds);
    await stage.pass(16); void before; return [stage.drawn(strip) !== '', stage.text('#player-now')]; };
  await redrawn(20);
  same(await redrawn(20.5), [false, '0:20'], 'drawn only when the playhead has moved');
  same(await redrawn(21), [true, '0:21'], 'by a column');
  strip.getContext('2d');
  dispatchEvent(new Event('theme'));
  same(stage.drawn(strip) !== '', true, 'in the colors of the theme');
  strip.getContext('2d');
  dispatchEvent(new Event('resize'));
  same(stage.drawn(strip) !== '', true, 'and its size');
  const frames = stage.timers();
  player.dispatchEvent(new Event('state'));
  player.dispatchEvent(new Event('state'));
  await stage.pass(16);
  same(stage.timers() <= frames, true, 'one loop follows');
  player.pause();
  await stage.pass(32);
  strip.getContext('2d');
  player.audio.reach(60);
  await stage.pass(32);
  same(stage.drawn(strip), '', 'none while it is paused');
  delete strip.clientWidth;
  delete strip.clientHeight;
  await silent();
};

/* Strips */

tests.sounds = async () => {
  const { soundOf, soundOfTrack, windowOf } = await from('strips');
  const waveform = { minima: base64([0, 128, 255, 1]), maxima: base64([128, 128, 255, 200]), rms: base64([0, 255, 51, 102]) }, f = Math.fround;
  same(soundOf(waveform, null), { peaks: [128 / 127, 0, 1, 1].map(f), levels: [0, 1, f(.2), f(.4)], onsets: null }, 'a waveform');
  same(soundOf({ ...waveform, onsets: base64([1, 2]), onset_step_s: .1 }, { onsets: { step_s: 1, values: [1] } }).onsets,
    { step: .1, values: [.5, 1] }, 'with onsets');
  same(soundOf(waveform, { onsets: { step_s: .5, values: [2, 4] } }).onsets, { step: .5, values: [.5, 1] }, 'or those of the tempo');
  same(soundOf(null, { onsets: { step_s: .5, values: [2, 4] } }), { peaks: [.5, 1], levels: null, onsets: { step: .5, values: [.5, 1] } },
    'without a waveform');
  same([soundOf(null, null), soundOf(null, {})], Array(2).fill({ peaks: [], levels: null, onsets: null }), 'nothing');
  cases('windowOf', windowOf, [[499, 5], [500, 10]]);
  answers({ 'tracks/w1': { has_waveform: true }, 'tracks/w1/waveform': waveform, 'tracks/w2': { has_waveform: false,
    tempo: { onsets: { step_s: 1, values: [1] } } } });
  same([(await soundOfTrack(song('w1'))).levels.length, (await soundOfTrack(song('w2'))).peaks.length,
    (await soundOfTrack(song('w3'))).peaks.length], [4, 1, 0], 'of a track; none if the server has none');
  await soundOfTrack(song('w1'));
  same(asked(), ['tracks/w1', 'tracks/w1/waveform', 'tracks/w2', 'tracks/w3'], 'asked for once');
  for (let index = 0; index < 28; index++) await soundOfTrack(song(`x${index}`));
  asked();
  await soundOfTrack(song('w1'));
  const kept = asked();
  for (let index = 0; index < 40; index++) await soundOfTrack(song(`y${index}`));
  asked();
  await soundOfTrack(song('w1'));
  same([kept, asked()], [[], ['tracks/w1', 'tracks/w1/waveform']], 'some are kept');
};

const NAMES = ['bar', 'faint', 'accent', 'text', 'line', 'bad'];
tests.stripDrawings = async () => {
  const { drawOverview, drawCloseUp, tellPosition } = await from('strips'), { themeColors } = await from('shared'), colors = themeColors(),
    canvas = document.createElement('canvas');
  same(Object.keys(colors), NAMES, 'colors');
  document.body.append(canvas);
  canvas.style.color = 'rgb(1, 2, 3)';
  const sound = { peaks: times(20, index => index / 20), levels: times(20, index => index / 40),
    onsets: { step: .5, values: times(300, index => index % 5 / 4) } };
  const sections = [{ start_s: 0, end_s: 30, label: 'A' }, { start_s: 30, end_s: 31, label: 'Bridge' }, { start_s: 31, end_s: 100, label: 'C' }],
    faults = [{ start_s: 10, end_s: 12 }];
  const overview = (width, height, values) => { size(canvas, width, height); canvas.getContext('2d');
    drawOverview(canvas, { sound, duration: 100, position: 40, ...values }); return stage.drawn(canvas, colors); };
  stage.picture('overview', overview(31, 100, { sections, faults }));
  stage.picture('overview-plain', overview(31, 61, { sections: sections.slice(0, 1), sound: { ...sound, levels: null } }));
  stage.picture('overview-low', overview(31, 60, { sound: { ...sound, levels: null } }));
  const labels = (position, list, width = 300) => overview(width, 86, { sections: list, position,
    sound: { peaks: [], levels: null } }).split('\n').filter(line => line.startsWith('fillText'));
  same(labels(30, sections), ['fillText A 0 83', 'fillText C 93 83'], 'labels that have room');
  const room = wide => labels(0, [{ start_s: 0, end_s: wide + 3, label: 'A' }, { start_s: 50, end_s: 100, label: 'B' }],
    100).filter(line => line.startsWith('fillText A')).length;
  same([room(8), room(8.1)], [0, 1], 'two pixels more than they need');
  const lit = position => overview(300, 80, { sections, position, sound: { peaks: [], levels: null } }).split('\n').map((line, index,
    all) => line === 'fillStyle = accent' && all[index + 1].startsWith('fillRect') && /^fillRect [\d.]+ (60) .* 3$/.test(all[index + 1]) ? all[index + 1].split(' ')[1] : null).filter(Boolean);
  same([lit(0), lit(29.9), lit(30), lit(31), lit(100)], [['0'], ['0'], ['90'], ['93'], []], 'the section that plays');
  same(overview(31, 61, { duration: 0, sound: { peaks: [], levels: null } }).includes('NaN'), false, 'no length');
  same(overview(0, 60, {}), 'scale 1 1', 'no width');
  dispatchEvent(new Event('theme'));
  const closeUp = (values, width = 100) => { size(canvas, width, 60); canvas.getContext('2d');
    drawCloseUp(canvas, { sound: { onsets: null }, duration: 100, position: 12, beats: [10, 11, 12, 13, 14, 15], downbeats: null, ...values });
    return stage.drawn(canvas, colors); };
  stage.picture('close-up', closeUp({}));
  same(closeUp({ position: 14.9 }).split('\n').at(-1), 'fillRect 97.25 0 1.5 40', 'the playhead moves where nothing else should');
  same(closeUp({ position: 15 }).split('\n').at(-1), 'fillRect -0.75 0 1.5 40', 'and then the next seconds come');
  same(closeUp({}, 0), 'scale 1 1', 'no width');
  tellPosition(canvas, 61.4, 99.6);
  same(['max', 'now', 'text'].map(name => canvas.getAttribute(`aria-value${name}`)), ['100', '61', '1:01 of 1:40'], 'told');
  canvas.remove();
};

tests.steering = async () => {
  const { steer } = await from('strips'), canvas = document.createElement('canvas'), seeks = [];
  document.body.append(canvas);
  canvas.getBoundingClientRect = () => ({ left: 100, width: 200 });
  steer(canvas, { seek: seconds => seeks.push(seconds), place: () => ({ position: 40, duration: 100 }) });
  const press = (key, more) => { const taken = stage.key(canvas, key, more); return [taken, ...seeks.splice(0)]; };
  cases('press', press, [['ArrowLeft', [true, 35]], ['ArrowDown', [true, 35]], ['ArrowRight', [true, 45]], ['ArrowUp', [true, 45]],
    ['PageUp', [true, 70]], ['PageDown', [true, 10]], ['Home', [true, 0]], ['End', [true, 100]],
    ['x', [false]], ['ArrowLeft', { ctrlKey: true }, [false]], ['ArrowLeft', { metaKey: true }, [false]], ['ArrowLeft', { altKey: true }, [false]]]);
  stage.pointer(canvas, 'pointermove', 150);
  stage.pointer(canvas, 'pointerdown', 150, 0, { button: 2 });
  stage.pointer(canvas, 'pointermove', 150);
  same(seeks.splice(0), [], 'not pressed');
  for (const end of ['pointerup', 'pointercancel']) {
    stage.pointer(canvas, 'pointerdown', 150);
    stage.pointer(canvas, 'pointermove', 200);
    stage.pointer(canvas, 'pointermove', 50);
    stage.pointer(canvas, 'pointermove', 500);
    stage.pointer(canvas, end);
    stage.pointer(canvas, 'pointermove', 150);
    same(seeks.splice(0), [25, 50, 0, 100], end);
  }
  let held = null;
  canvas.addEventListener('pointerdown', () => { canvas.setPointerCapture = id => { held = id; }; }, { capture: true });
  stage.pointer(canvas, 'pointerdown', 150);
  stage.pointer(canvas, 'pointerup');
  same(held, 1, 'the pointer is held');
  const far = [], hear = event => far.push(event.key);
  document.body.addEventListener('keydown', hear);
  stage.key(canvas, 'Home');
  stage.key(canvas, 'x');
  document.body.removeEventListener('keydown', hear);
  same(far, ['x'], 'its keys are its own');
  canvas.remove();
  const bounds = document.createElement('canvas'), places = [];
  steer(bounds, { seek: seconds => places.push(seconds), place: () => ({ position: 98, duration: 100 }) });
  stage.key(bounds, 'ArrowRight');
  steer(bounds, { seek: seconds => places.push(seconds), place: () => ({ position: 2, duration: 100 }) });
  stage.key(bounds, 'PageDown');
  same(places, [100, 68, 0], 'within the track');
};

/* Lyrics, reordering */

tests.lyrics = async () => {
  const { lyricsSection } = await from('lyrics'), seeks = [];
  same([lyricsSection({}).node, lyricsSection({ has_lyrics: true }).node.textContent, lyricsSection({}).follow(1)],
    [null, 'LyricsThe tags have lyrics that are too long to be kept here.', undefined], 'none, or too many');
  const heading = (description, language) => stage.text('.sec-head', lyricsSection({ lyrics: [{ description, language, text: 'T',
    lines: [] }] }).node);
  cases('heading', heading, [[null, null, 'Lyrics'], ['D', 'eng', 'LyricsD, eng'], [null, 'und', 'Lyrics'], [null, 'XXX', 'Lyrics'],
    ['D', null, 'LyricsD']]);
  same(lyricsSection({ lyrics: [{ text: 'All words', lines: [] }] }).node.querySelector('.words').outerHTML,
    '<p class="words tag" dir="auto">All words</p>', 'without times');
  const { node, follow } = lyricsSection({ lyrics: [{ text: '', lines: [{ start_s: 1, text: 'One' }, { start_s: 5, text: '' },
    { start_s: 9, text: 'Three' }] }] }, seconds => seeks.push(seconds));
  await shown(node, () => {
    const lines = [...node.querySelectorAll('button')], sung = () => lines.map(line => line.getAttribute('aria-current')),
      list = node.querySelector('ol');
    same([lines.map(line => line.textContent), list.tabIndex], [['One', '…', 'Three'], 0], 'lines');
    lines[2].click();
    same(seeks, [9], 'a click plays from there');
    const at = seconds => { follow(seconds); return sung().indexOf('true'); };
    cases('at', at, [[0, -1], [.94, -1], [.95, 0], [4.9, 0], [5, 1], [100, 2], [1, 0], [0, -1]]);
    for (const [name, value] of [['offsetTop', 100], ['clientHeight', 40]]) Object.defineProperty(list, name, { value, configurable: true });
    lines.forEach((line, index) => Object.defineProperty(line.parentNode, 'offsetTop', { value: 100 + index * 300, configurable: true }));
    let top = null;
    Object.defineProperty(list, 'scrollTop', { set: value => { top = value; }, configurable: true });
    follow(9);
    same([top, sung()], [580, [null, null, 'true']], 'the line comes to the middle of the list');
    top = null;
    follow(9.5);
    same(top, null, 'once');
  });
};

tests.reordering = async () => {
  const { handle, reorderable } = await from('reorder'), moves = [], list = document.createElement('ol');
  const rows = ['a', 'b', 'c', 'd'].map(name => { const row = document.createElement('li'); row.className = 'row'; row.dataset.name = name;
    row.append(handle(name), document.createElement('b')); return row; });
  list.append(...rows);
  same(handle('x').outerHTML, '<button type="button" class="handle" aria-label="Move x" title="Drag, or press ↑ and ↓">⠿</button>', 'a handle');
  reorderable(list, (...values) => moves.push(values));
  const names = () => [...list.children].map(row => row.dataset.name).join(''), grip = row => rows[row].querySelector('.handle');
  await shown(list, async () => {
    for (const row of rows) row.getBoundingClientRect = () => { const top = 300 + 50 * [...list.children].indexOf(row);
      return { top, height: 50, bottom: top + 50 }; };
    const press = (row, key) => { const taken = stage.key(grip(row), key); return [taken, names(), moves.splice(0)]; };
    cases('press', press, [[0, 'ArrowDown', [true, 'bacd', [[0, 1]]]], [0, 'ArrowUp', [true, 'abcd', [[1, 0]]]], [0, 'ArrowUp', [false, 'abcd', []]],
      [3, 'ArrowDown', [false, 'abcd', []]], [1, 'x', [false, 'abcd', []]]]);
    stage.key(grip(2), 'ArrowUp');
    same([document.activeElement === grip(2), said()], [true, 'Place 2 of 4'], 'the focus stays, the place is told');
    stage.key(grip(2), 'ArrowDown');
    moves.length = 0;
    same([stage.key(rows[0].querySelector('b'), 'ArrowDown'), names()], [false, 'abcd'], 'only handles move');
    const scrolls = stage.spy(window, 'scrollBy');
    stage.pointer(list, 'pointermove', 0, 400);
    stage.pointer(list, 'pointerup');
    stage.pointer(rows[0].querySelector('b'), 'pointerdown', 0, 325);
    stage.pointer(grip(0), 'pointerdown', 0, 325, { button: 2 });
    stage.pointer(list, 'pointermove', 0, 400);
    same([names(), rows[0].className, moves, scrolls.length], ['abcd', 'row', [], 0], 'nothing is lifted');
    stage.pointer(grip(0), 'pointerdown', 0, 325);
    same(rows[0].classList.contains('lifted'), true, 'lifted');
    const to = y => { stage.pointer(list, 'pointermove', 0, y); return names(); };
    cases('to', to, [[375, 'abcd'], [376, 'bacd'], [360, 'bacd'], [325, 'bacd'], [324, 'abcd'], [400, 'abcd'], [399, 'bacd'], [426, 'bcad'],
      [560, 'bcad']]);
    stage.pointer(list, 'pointerup');
    same([moves.splice(0), rows[0].className], [[[0, 2]], 'row'], 'dropped');
    stage.pointer(list, 'pointermove', 0, 300);
    same(names(), 'bcad', 'and no more');
    scrolls.length = 0;
    stage.pointer(grip(0), 'pointerdown', 0, 420);
    list.append(rows[0]);
    for (const y of [innerHeight - 131, innerHeight - 130]) stage.pointer(list, 'pointermove', 0, y);
    same(scrolls.splice(0), [], 'no scrolling in the middle');
    stage.pointer(list, 'pointermove', 0, innerHeight - 129);
    same(scrolls.splice(0), [[0, 12]], 'down');
    list.prepend(rows[0]);
    stage.pointer(list, 'pointermove', 0, 70);
    same(scrolls.splice(0), [], 'nor at the top');
    stage.pointer(list, 'pointermove', 0, 69);
    same(scrolls.splice(0), [[0, -12]], 'up');
    list.insertBefore(rows[0], list.children[3]);
    stage.pointer(list, 'pointercancel');
    same(moves.splice(0), [], 'dropped where it was: no move');
    scrolls.restore();
  });
};

/* A list of any length */

tests.virtualRows = async () => {
  const { VirtualRows } = await from('virtual-rows'), fetches = [], counts = [];
  let count = 1000, answer = (offset, limit) => ({ count, items: times(Math.min(limit, count - offset), index => offset + index) });
  const clicked = [], make = item => { const row = document.createElement('li'); row.className = 'row';
    row.innerHTML = '<button class="start"></button><a class="name" href="#" tabindex="0"></a>'; row.querySelector('.name').textContent = `N${item}`;
    row.querySelector('.start').onclick = () => clicked.push(item); return row; };
  const list = new VirtualRows({ fetch: async (offset, limit) => { fetches.push([offset, limit]); return answer(offset, limit); }, make,
    counted: found => counts.push(found.count) });
  let top = 200, follows = false;
  list.node.getBoundingClientRect = () => ({ top });
  const scrolls = stage.spy(window, 'scrollBy', (_, by) => { if (follows) top -= by; }), rows = () => [...list.node.children],
    range = () => [+rows()[0]?.dataset.index, +rows().at(-1)?.dataset.index, rows().length];
  await shown(list.node, async () => {
    await list.reload();
    same([fetches.splice(0), counts, list.count, list.node.style.height, range()], [[[0, 100]], [1000], 1000, '56000px',
      [0, Math.ceil(700 / 56) + 9, Math.ceil(700 / 56) + 10]], 'the first rows');
    same([rows()[1].style.top, rows()[1].getAttribute('aria-posinset'), rows()[1].getAttribute('aria-setsize'), rows()[1].textContent],
      ['56px', '2', '1000', 'N1'], 'a row');
    const first = rows()[5];
    top = -56 * 11;
    list.paint();
    same([range(), rows().includes(first)], [[1, 11 + Math.ceil(900 / 56) + 9, 10 + Math.ceil(900 / 56) + 10 - 1 + 0].with(2, range()[2]), true],
      'rows are kept');
    same(range(), [1, Math.ceil((56 * 11 + 900) / 56) + 9, Math.ceil((56 * 11 + 900) / 56) + 9], 'ten more on both sides');
    top = -56 * 95;
    list.paint();
    same([fetches.splice(0), stage.texts('.waiting', list.node).length], [[[100, 100]], range()[1] - 99], 'rows that are not there wait');
    const waiting = rows().find(row => row.dataset.index === '105');
    same(waiting.textContent, '…', 'as dots');
    list.goTo(105);
    same(document.activeElement.textContent, '…', 'and can have the focus');
    await stage.calm();
    same([stage.texts('.waiting', list.node), document.activeElement.textContent, fetches], [[], 'N105', []], 'until they are');
    top = -56 * 500;
    list.paint();
    await stage.calm();
    const order = rows().map(row => +row.dataset.index);
    same([order.includes(105), order.every((index, place) => !place || index > order[place - 1]), fetches.splice(0)],
      [true, true, [[400, 100], [500, 100]]], 'the row with the focus stays; rows stand in their order');
    top = -56 * 990;
    list.paint();
    same(range()[1], 999, 'to the last');
    document.activeElement.blur();
    answer = () => { throw new Error('gone'); };
    top = -56 * 700;
    list.paint();
    await stage.calm();
    fetches.length = 0;
    answer = (offset, limit) => ({ count, items: times(limit, index => offset + index) });
    list.paint();
    await stage.calm();
    same([fetches.splice(0), stage.texts('.waiting', list.node).length], [[[600, 100], [700, 100]], 0],
      'a page that did not come is asked for again');
    const at = (place, index) => { top = place; scrolls.length = 0; list.goTo(index); return scrolls.flat(); };
    same([at(70, 0), at(69, 0), at(innerHeight - 206, 0), at(innerHeight - 205, 0)], [[], [0, -1], [], [0, 1]], 'into sight');
    top = 200;
    list.goTo(-3);
    same(document.activeElement.closest('.row').dataset.index, '0', 'not before the first');
    top = -56 * 990;
    list.goTo(4000);
    await stage.calm();
    same(document.activeElement.closest('.row').dataset.index, '999', 'nor behind the last');
    follows = true;
    const press = (index, key, more) => { top = 300 - 56 * index; list.goTo(index); const taken = stage.key(document.activeElement, key, more);
      return [taken, +document.activeElement.closest('.row').dataset.index]; }, page = Math.floor(900 / 56) - 4;
    cases('press', press, [[50, 'ArrowDown', [true, 51]], [50, 'ArrowUp', [true, 49]], [0, 'ArrowUp', [true, 0]],
      [50, 'PageDown', [true, 50 + page]], [50, 'PageUp', [true, 50 - page]], [50, 'Home', [true, 0]],
      [50, 'x', [false, 50]], [50, 'ArrowDown', { altKey: true }, [false, 50]], [50, 'ArrowDown', { ctrlKey: true }, [false, 50]],
        [50, 'ArrowDown', { metaKey: true }, [false, 50]]]);
    top = 300 - 56 * 999;
    list.goTo(998);
    stage.key(document.activeElement, 'End');
    same(document.activeElement.closest('.row').dataset.index, '999', 'to the end');
    const far = heard(document.body, 'keydown');
    same([stage.key(document.activeElement, ' '), clicked.splice(0), far.length], [true, [999], 0], 'the space bar plays');
    const start = document.activeElement.closest('.row').querySelector('.start');
    stage.key(start, ' ');
    same([clicked, far.stop().length], [[], 1], 'the button has its own');
    start.focus();
    const inner = innerHeight;
    Object.defineProperty(window, 'innerHeight', { value: 200, configurable: true });
    same(press(50, 'PageDown')[1], 51, 'a page is at least a row');
    Object.defineProperty(window, 'innerHeight', { value: inner, configurable: true, writable: true });
    follows = false;
    top = 119;
    scrolls.length = 0;
    list.toTop();
    same(scrolls.splice(0), [[0, -1]], 'to the first row');
    top = 120;
    list.toTop();
    same(scrolls.splice(0), [], 'which is in sight');
    list.goTo(9);
    count = 5;
    answer = (offset, limit) => ({ count, items: times(Math.min(limit, count - offset), index => `new ${index}`) });
    await list.reload();
    same([rows().map(row => row.textContent), document.activeElement.textContent, counts.at(-1)], [times(5, index => `Nnew ${index}`), 'Nnew 4', 5],
      'shown again; the focus stays among the rows');
    document.activeElement.blur();
    await list.reload();
    same(document.activeElement === document.body, true, 'if it was there');
    count = 0;
    await list.reload();
    list.goTo(0);
    same([rows().length, list.node.style.height], [0, '0px'], 'nothing');
    let painted = 0;
    list.paint = () => { painted++; };
    list.start();
    for (const name of ['scroll', 'resize']) dispatchEvent(new Event(name));
    list.stop();
    for (const name of ['scroll', 'resize']) dispatchEvent(new Event(name));
    same(painted, 2, 'follows the window');
    delete list.paint;
    count = 50;
    await list.reload();
    const width = Object.getOwnPropertyDescriptor(window, 'innerWidth');
    for (const [pixels, height] of [[640, '3000px'], [641, '2800px']]) { Object.defineProperty(window, 'innerWidth',
      { value: pixels, configurable: true }); list.paint(); same(list.node.style.height, height, `${pixels} pixels`); }
    Object.defineProperty(window, 'innerWidth', width);
  });
  scrolls.restore();
};

tests.lateRows = async () => {
  const { VirtualRows } = await from('virtual-rows'), make = item => { const row = document.createElement('li'); row.className = 'row';
    row.innerHTML = `<a class="name" href="#">${item}</a>`; return row; };
  let release = null, answer = offset => ({ count: 300, items: times(100, index => `old ${offset + index}`) });
  const list = new VirtualRows({ fetch: async offset => answer(offset), make, counted() {} });
  list.node.getBoundingClientRect = () => ({ top: -56 * 150 });
  await shown(list.node, async () => {
    await list.reload();
    await stage.calm();
    answer = offset => offset ? new Promise(done => { release = () => done({ count: 300, items: times(100, index => `late ${offset + index}`) });
      }) : { count: 300, items: times(100, index => `new ${index}`) };
    await list.reload();
    const late = release;
    answer = offset => ({ count: 300, items: times(100, index => `newest ${offset + index}`) });
    await list.reload();
    await stage.calm();
    late();
    await stage.calm();
    same(stage.texts('.name', list.node).every(text => text.startsWith('newest')), true, 'what comes too late is not shown');
  });
};

tests.stillFocus = async () => {
  await silent();
  answers({ search: { tracks: { items: [], count: 0 } } });
  const { screen } = await from('router'), { VirtualRows } = await from('virtual-rows');
  screen('still', '', async (_, __, tools) => { screen.tools = tools; return { name: 'Still',
    nodes: [Object.assign(document.createElement('h1'), { tabIndex: -1 })] }; });
  await go('#/queue');
  same(await stage.focusing(() => go('#/still')), [true], 'a screen does not scroll');
  same(await stage.focusing(() => screen.tools.reload()), [true], 'nor does one that is shown again');
  same((await stage.focusing(() => go('#/search')))[0], true, 'nor the search');
  const list = new VirtualRows({ fetch: async () => ({ count: 300, items: times(100, index => index) }), counted() {},
    make: () => { const row = document.createElement('li'); row.className = 'row'; row.innerHTML = '<a class="name" href="#"></a>'; return row; } });
  await shown(list.node, async () => {
    await list.reload();
    list.node.getBoundingClientRect = () => ({ top: 200 - 56 * 150 });
    same(await stage.focusing(async () => { list.goTo(150); await stage.calm(); }), [true, true], 'nor a row, also if it comes later');
  });
};

/* Search */

tests.searchScreen = async () => {
  await silent();
  const found = { tracks: { items: [song(1), failed(2)], count: 2 }, albums: { items: [{ id: 'a', name: 'Album', artist: 'A', year: 1999, tracks: 1,
    marks: { name: [[0, 2]], artist: [[0, 1]] } }, { id: 'b', name: 'B', tracks: 2, marks: { artist: [[0, 1]] } }], count: 2 },
    artists: { items: [{ id: 'c', name: 'C', tracks: 2 }], count: 1 }, genres: { items: times(4, index => ({ name: `G${index}`, tracks: index })),
      count: 1200, count_is_exact: false }, playlists: { items: [{ id: 'p', name: 'P', tracks: 3, duration_s: 3600 },
      { id: 'e', name: 'E', tracks: 0, duration_s: 0 }], count: 2 } };
  answers({ search: found });
  await go('#/search?q=x');
  same([asked(), find('#q').value, document.title, document.activeElement.id, said()], [['search?q=x&limit=8'], 'x', 'Search · Nocturne', 'q',
    '2 tracks, 2 albums, 1 artist'], 'a search');
  stage.picture('search', find('#main'));
  const typed = async text => { find('#q').value = text; find('#q').dispatchEvent(new Event('input')); await stage.pass(59);
    const early = stage.asked.length; await stage.pass(1); return [early, ...asked()]; };
  stage.answers.search = { tracks: { items: [], count: 0 } };
  same(await typed(' ab '), [0, 'search?q=ab&limit=8'], 'as you type, after a moment');
  same([location.hash, stage.text('#results .none'), stage.text('#results .sec-head span'), said(), find('#results > .wide') !== null],
    ['#/search?q=ab', 'No tracks match. Try fewer letters, or part of the file name.', '0 tracks', 'Nothing found', true], 'nothing');
  await typed('');
  same([location.hash, stage.text('#results .none'), stage.text('#results .sec-head span'), said()],
    ['#/search', 'No tracks yet. Analyze a folder: analyze run /path/to/music', 'newest first', 'Nothing found'], 'no words');
  const aside = async tracks => { stage.answers.search = { tracks }; await typed(`${stage.now}`);
    return stage.text('#results .sec-head :is(span, a)'); };
  same(await aside({ items: songs(1), count: 1 }), '1 track', 'one');
  same(await aside({ items: songs(2), count: 1200 }), '2 of 1,200', 'more');
  same(find('#results .sec-head a').getAttribute('href'), `#/library?q=${find('#q').value}`, 'in the library');
  same(await aside({ items: songs(2), count: 1200, count_is_exact: false }), '2 of 1,200+', 'at least');
  same(await aside({ items: [song(1), failed(2)], count: 2 }), '1 track, 1 failed', 'files that failed');
  const q = find('#q'), press = key => stage.key(q, key);
  same([press('ArrowDown'), document.activeElement.className, press('x')], [true, 'name', false], '↓ goes to the results');
  q.focus();
  same([press('Enter'), document.activeElement.className], [true, 'name'], 'so does Enter');
  q.focus();
  q.value = 'new';
  q.dispatchEvent(new Event('input'));
  same([press('ArrowDown'), document.activeElement.id], [true, 'q'], 'right after typing it waits');
  await stage.pass(60);
  same(document.activeElement.className, 'name', 'for what was typed for');
  q.focus();
  q.value = 'newer';
  q.dispatchEvent(new Event('input'));
  press('ArrowDown');
  q.dispatchEvent(new Event('input'));
  await stage.pass(60);
  same(document.activeElement.id, 'q', 'more letters call that off');
  find('#results .name').focus();
  await typed('other');
  same(document.activeElement.className, 'name', 'a focus in the results stays there');
  stage.answers.search = { tracks: { items: [], count: 0 } };
  await typed('none');
  same(document.activeElement.id, 'q', 'or goes to the field');
  same([press('Escape'), q.value], [true, ''], 'Escape clears');
  await stage.pass(60);
  same(asked(), ['search?limit=8'], 'and shows everything');
  press('Escape');
  same(document.activeElement.id === 'q', false, 'and leaves');
  stage.answers.search = () => stage.error(500, 'Not now.');
  await typed('z');
  same(stage.text('#results'), 'Not now.', 'an error');
  let release = null;
  stage.answers.search = () => new Promise(done => { release = () => done({ tracks: { items: songs(1), count: 1 } }); });
  await typed('slow');
  const late = release;
  stage.answers.search = { tracks: { items: songs(2), count: 2 } };
  await typed('fast');
  late();
  await stage.calm();
  same(stage.texts('#results .row').length, 2, 'an answer that comes too late is not shown');
  const submit = new Event('submit', { cancelable: true });
  find('.big').dispatchEvent(submit);
  same(submit.defaultPrevented, true, 'Enter sends no form');
  stage.answers.search = { tracks: { items: [], count: 0 } };
};

/* Library */

tests.library = async () => {
  let count = 3;
  const list = ({ address }) => ({ count, items: songs(Math.min(count,
    100)).slice(+(new URLSearchParams(address.split('?')[1]).get('offset') ?? 0)) });
  answers({ tracks: list });
  await go('#/library?bpm=120-128&genre=a"b&q=x&sort=-bpm&lossless=yes&where=key:8A&status=odd');
  const where = encodeURIComponent('bpm:120..128 genre:"a b" lossless:yes status:odd key:8A').replaceAll('%20', '+');
  same(asked(), [`tracks?q=x&where=${where}&sort=-bpm&limit=100&offset=0`], 'filters as the command line has them');
  same([stage.text('#count'), said(), stage.texts('.chip'), find('#filters').open, find('#q').value, find('.tools select').value],
    ['3 tracks', '3 tracks',
    ['Tempo, BPM: 120-128 ×', 'Genre: a"b ×', 'Lossless: Lossless ×', 'Status: odd ×', 'key:8A ×'], true, 'x', '-bpm'], 'shown');
  same([find('.chip').getAttribute('aria-label'), button('Clear all').id, stage.texts('.subnav [aria-current=page]'), document.title],
    ['Remove the filter Tempo, BPM: 120-128', 'clear', ['Tracks'], 'Library · Nocturne'], 'and said');
  stage.picture('library', outline(find('.tools')) + outline(find('#filters')));
  button('Clear all').click();
  await stage.pass(149);
  same(asked(), [], 'after a moment');
  await stage.pass(1);
  same([asked(), location.hash, find('#q').value, stage.texts('.chip')], [['tracks?sort=-bpm&limit=100&offset=0'], '#/library?sort=-bpm', '', []],
    'all are cleared but the order');
  const set = async (label, value) => { const field = [...document.querySelectorAll('#filters label')].find(node => node.textContent.startsWith(label)).querySelector('input, select');
    field.value = value;
    field.dispatchEvent(new Event(field.localName === 'select' ? 'change' : 'input')); await stage.pass(150);
      return new URLSearchParams(stage.asked.splice(0).at(-1)?.address.split('?')[1]).get('where'); };
  for (const [label, value, wanted] of [['Tempo, BPM', ' 120 – 128 ', 'bpm:120..128'], ['Tempo, BPM', '120', 'bpm:120'], ['Tempo, BPM', '', null],
    ['Key', '8A ~', 'key:8A~'], ['Key', '', null], ['Loudness', '−14 - −9', 'lufs:-14--9'], ['Loudness', '-14--9', 'lufs:-14..-9'],
    ['Loudness', '', null], ['Length', '3:00-5:00', 'duration:3:00..5:00'], ['Length', '', null], ['Artist', ' A b ', 'artist:"A b"'],
      ['Artist', '', null], ['Codec', ' flac ', 'codec:flac'], ['Codec', '', null], ['Confidence', '..0.5', 'confidence:..0.5'],
      ['Confidence', '', null],
    ['Tempo set by you', 'no', 'locked:no'], ['Tempo set by you', '', null], ['Added', '7d', 'added:7d'], ['Added', '', null],
      ['Missing', 'isrc', 'missing:isrc'], ['Missing', '', null], ['As on', 'a b', 'a b'], ['As on', '', null]]) same(await set(label, value),
      wanted, `${label} ${value}`);
  find('.tools select').value = '';
  find('.tools select').dispatchEvent(new Event('change'));
  await stage.pass(150);
  same([asked(), button('Clear all')], [['tracks?sort=path&limit=100&offset=0'], undefined], 'folders in their order');
  await set('Key', '8A');
  same(button('Clear all'), undefined, 'one filter has its chip');
  const type = async text => { find('#q').value = text; find('#q').dispatchEvent(new Event('input')); await stage.pass(150); return asked().at(-1); };
  same([await type('words '), Boolean(button('Clear all'))], ['tracks?q=words&where=key%3A8A&limit=100&offset=0', true],
    'words: the best hits first');
  find('.chip').click();
  await stage.pass(150);
  same([asked(), stage.texts('.chip'), location.hash], [['tracks?q=words&limit=100&offset=0'], [], '#/library?q=words'], 'a chip removes its filter');
  count = 0;
  await type('none');
  same([stage.text('#count'), said()], ['No tracks match. Remove a filter, or search for fewer words.',
    'No tracks match. Remove a filter, or search for fewer words.'], 'nothing');
  stage.answers.tracks = () => stage.error(400, 'There is no field bmp.');
  await type('bmp:3');
  const warning = find('#main .warning');
  same([warning.hidden, warning.textContent], [false, 'There is no field bmp.'], 'what is wrong is said');
  count = 3;
  stage.answers.tracks = list;
  await type('right');
  same(warning.hidden, true, 'and no more');
  const q = find('#q'), press = key => stage.key(q, key);
  q.focus();
  same([press('ArrowDown'), document.activeElement.className, press('x')], [true, 'name', false], '↓ goes to the rows');
  q.focus();
  same([press('Enter'), document.activeElement.className], [true, 'name'], 'so does Enter');
  q.focus();
  q.value = 'typing';
  q.dispatchEvent(new Event('input'));
  press('ArrowDown');
  same(document.activeElement.id, 'q', 'right after typing it waits');
  await stage.pass(150);
  same(document.activeElement.className, 'name', 'for what was typed for');
  q.focus();
  q.value = 'more';
  q.dispatchEvent(new Event('input'));
  await stage.pass(150);
  same(document.activeElement.id, 'q', 'once');
  asked();
  same([press('Escape'), q.value], [true, ''], 'Escape clears');
  await stage.pass(150);
  same(asked(), ['tracks?sort=path&limit=100&offset=0'], 'and shows everything');
  press('Escape');
  same(document.activeElement.id === 'q', false, 'and leaves');
  const { server } = await from('server');
  server.dispatchEvent(new CustomEvent('library', { detail: { text: '4 tracks' } }));
  count = 4;
  await stage.pass(1499);
  same(stage.text('#count'), '3 tracks', 'a library that changes');
  await stage.pass(1);
  same(stage.text('#count'), '4 tracks', 'is shown after a while');
  const { player } = await from('player'), plays = stage.spy(player, 'play');
  asked();
  button('Play all').click();
  await stage.calm();
  same([asked(), plays.splice(0).map(([tracks, at, position, source]) => [tracks.length, at, position, source])],
    [['tracks?sort=path&limit=200&offset=0'], [[4, 0, 0, { path: 'tracks', values: { q: '', where: '', sort: 'path' }, offset: 4, count: 4 }]]],
    'play all');
  find('.rows .row:nth-child(3) .start').click();
  await stage.calm();
  same([asked(), plays.splice(0).map(([tracks, , , source]) => [tracks[0].id, source.offset])],
    [['tracks?sort=path&limit=200&offset=2'], [['3', 4]]], 'or from a row');
  plays.restore();
  await go('#/library');
  same([find('#filters').open, location.hash], [false, '#/library'], 'without filters they are closed');
  asked();
  await go('#/queue');
  server.dispatchEvent(new CustomEvent('library', { detail: { text: '4 tracks' } }));
  await stage.pass(1500);
  same(asked(), [], 'another screen asks for none');
};

tests.libraryTabs = async () => {
  const albums = times(3, index => ({ id: `a${index}`, name: `Album ${index}`, artists: index ? [{ name: 'A' }, { name: 'B' }] : [],
    year: index ? 1999 : null, cover: index === 1 ? 'c' : null }));
  let pages = [{ items: albums.slice(0, 2), count: 3 }, { items: albums.slice(2), count: 3 }];
  answers({ albums: () => pages.shift() ?? { items: [], count: 3 } });
  await go('#/library/albums?sort=year');
  same([asked(), stage.texts('.tools span'), stage.texts('.tile'), find('.tools select').value, find('.more-rows').hidden,
    stage.texts('.subnav [aria-current=page]')],
    [['albums?sort=year&limit=100&offset=0'], ['3 albums'], ['Album 0Various artists', 'Album 1A, B · 1999'], 'year', false, ['Albums']], 'albums');
  same([...document.querySelectorAll('.tile img')].map(image => image.getAttribute('data-src').split('?')[0]),
    ['/media/covers/a0', '/media/covers/c'], 'with covers');
  find('.more-rows').click();
  await stage.calm();
  same([asked(), stage.texts('.tile').length, find('.more-rows').hidden], [['albums?sort=year&limit=100&offset=2'], 3, true], 'and more');
  pages = [{ items: albums.slice(0, 1), count: 3 }, { items: [], count: 3 }];
  await go('#/library/albums');
  same(asked(), ['albums?sort=name&limit=100&offset=0'], 'by name');
  find('.more-rows').click();
  await stage.calm();
  same(find('.more-rows').hidden, true, 'no more come');
  find('.tools select').value = 'newest';
  find('.tools select').dispatchEvent(new Event('change'));
  same(location.hash, '#/library/albums?sort=newest', 'another order');
  await stage.calm();
  answers({ albums: { items: [], count: 0 }, artists: { items: [], count: 0 }, genres: { items: [] }, playlists: { items: [] } });
  const sentence = async tab => { await go(`#/library/${tab}`); return [stage.text('#main .none'), stage.texts('.subnav [aria-current=page]')]; };
  same(await sentence('albums'), ['No albums: no track has one in its tags.', ['Albums']], 'no albums');
  same(await sentence('artists'), ['No artists: no track has one in its tags.', ['Artists']], 'no artists');
  same(await sentence('genres'), ['No genres: no track has one in its tags.', ['Genres']], 'no genres');
  same([await sentence('playlists'), stage.text('.sec-head h2')], [['None yet. Make one here, or with “Add to a playlist” at any track.',
    ['Playlists']], 'Playlists'], 'no playlists');
  answers({ artists: { items: [{ id: 'a', name: 'A', tracks: 1, albums: 0 }, { id: 'b', name: 'B', tracks: 2, albums: 1 }], count: 2 },
    genres: { items: [{ name: 'G/x', tracks: 1 }] },
    playlists: { items: [{ id: 'p', name: 'P', tracks: 1, duration_s: 60 }, { id: 'q', name: 'Q', tracks: 0, duration_s: 0 }] } });
  const rows = async tab => { await go(`#/library/${tab}`);
    return [...document.querySelectorAll('#main .row')].map(row => `${row.querySelector('.name').getAttribute('href')} ${stage.text('.nm', row)} ${stage.text('.sub', row)}`);
    };
  same(await rows('artists'), ['#/artist/a A 1 track', '#/artist/b B 2 tracks, 1 album'], 'artists');
  same(await rows('genres'), ['#/genre/G%2Fx G/x 1 track'], 'genres');
  same([await rows('playlists'), stage.text('.sec-head h2')], [['#/playlist/p P 1 track, 1 min', '#/playlist/q Q 0 tracks'], '2 playlists'],
    'playlists');
  stage.answers.playlists.items.length = 1;
  await rows('playlists');
  same(stage.text('.sec-head h2'), '1 playlist', 'one');
  Object.assign(stage.answers, { 'POST playlists': { playlist: { id: 'new' } } });
  asked();
  find('#new-playlist').click();
  await stage.calm();
  find('#dialog input').value = 'N';
  await answered(dialog => dialog.querySelector('form').requestSubmit());
  same([asked()[0], location.hash], ['POST playlists {"name":"N","tracks":[]}', '#/playlist/new'], 'a new one');
  await rows('playlists');
  stage.answers['POST playlists'] = () => stage.error(409, 'It is there.');
  asked();
  find('#new-playlist').click();
  await stage.calm();
  find('#dialog input').value = 'N';
  await answered(dialog => dialog.querySelector('form').requestSubmit());
  same([toasted(), asked().at(-1)], ['It is there.', 'playlists'], 'an error; the list is shown again');
  find('#new-playlist').click();
  await stage.calm();
  await answered(dialog => button('Cancel', dialog).click());
  same(asked(), [], 'called off');
};

/* Albums, artists, genres */

tests.albums = async () => {
  const player = await silent(), plays = stage.spy(player, 'play'), adds = stage.spy(player, 'add');
  const tracks = [song(1, { track: 1 }), song(2, { track: 2, disc: 2 }), song(3)];
  answers({ 'albums/a': { album: { id: 'a', name: 'Album', artists: [{ id: 'x', name: 'X' }, { id: 'y', name: 'Y' }], year: 1999, tracks: 3,
    duration_s: 600 }, tracks } });
  await go('#/album/a');
  same([document.title, stage.text('.by'), stage.texts('.block h2'), stage.texts('.block .nm'), stage.texts('.number')],
    ['Album · Nocturne', 'X, Y · 1999 · 3 tracks, 10 min', ['Disc 1', 'Disc 2'], ['Title 1', 'Title 3', 'Title 2'], ['1', '–', '2']], 'discs');
  same([...document.querySelectorAll('.by a')].map(node => node.getAttribute('href')), ['#/artist/x', '#/artist/y'], 'links');
  find('.row[data-id="2"] .start').click();
  same(plays.splice(0).map(([list, at]) => [list.map(track => track.id).join(''), at]), [['123', 1]], 'plays on through the album');
  find('#play-all').click();
  button('Add to the queue').click();
  same([plays.splice(0).map(([list, at, position, source]) => [list.length, at, position, source]), adds.splice(0).map(([list]) => list.length)],
    [[[3, 0, 0, undefined]], [3]], 'all of it');
  answers({ 'albums/b': { album: { id: 'b', name: 'B', artists: [], year: null, tracks: 0, duration_s: 0, cover: 'cov' }, tracks: [] } });
  await go('#/album/b');
  same([stage.text('.by'), find('#play-all').disabled, button('Add to the queue').disabled, button('Add to a playlist').disabled,
    stage.texts('.block').length, find('.page-head img').getAttribute('data-src')],
    ['Various artists · 0 tracks, under 1 min', true, true, true, 0, '/media/covers/cov?size=160&missing=empty'], 'an empty one');
  answers({ 'albums/c': { album: { id: 'c', name: 'C', tracks: 1, duration_s: 60 }, tracks: [song(1)] } });
  await go('#/album/c');
  same([stage.text('.by'), find('#play-all').disabled, stage.texts('.row').length, stage.texts('.block').length],
    ['Various artists · 1 track, 1 min', false, 1, 0], 'one disc');
  answers({ 'artists/x': { artist: { id: 'x', name: 'X', tracks: 3, albums: 1 }, albums: [{ id: 'a', name: 'Album' }],
    tracks: { items: songs(2), count: 3 } } });
  await go('#/artist/x');
  same([stage.text('.by'), stage.texts('.block h2'), stage.texts('.block .sec-head span'), stage.texts('.tile').length],
    ['3 tracks, 1 album', ['Albums', 'Tracks'], ['2 of 3'], 1], 'an artist');
  find('#play-all').click();
  find('.row[data-id="2"] .start').click();
  same(plays.splice(0).map(([list, at, position, source]) => [list.length, at, source]), [[2, 0,
    { path: 'artists/x', values: {}, offset: 2, count: 3 }], [2, 1, { path: 'artists/x', values: {}, offset: 2, count: 3 }]], 'and what is behind');
  answers({ 'artists/y': { artist: { id: 'y', name: 'Y', tracks: 1, albums: 0 }, albums: [], tracks: { items: songs(1), count: 1 } } });
  await go('#/artist/y');
  same([stage.text('.by'), stage.texts('.block h2'), stage.texts('.block .sec-head span')], ['1 track', ['Tracks'], []], 'without albums');
  answers({ tracks: { items: songs(2), count: 3, failed: 1 }, albums: { items: [{ id: 'a', name: 'Album' }] } });
  await go('#/genre/a%22b');
  same([asked(), stage.text('.by'), stage.texts('.block h2'), stage.text('.block .sec-head a'), find('.block .sec-head a').getAttribute('href'),
    document.title], [['tracks?where=genre%3A%22a+b%22&limit=200', 'albums?genre=a%22b&limit=12'], '2 tracks, 1 failed', ['Albums', 'Tracks'],
    'all 3', '#/library?genre=a+b', 'a"b · Nocturne'], 'a genre');
  find('#play-all').click();
  same(plays.splice(0)[0][3], { path: 'tracks', values: { where: 'genre:"a b"' }, offset: 2, count: 3 }, 'and what is behind');
  answers({ tracks: { items: songs(1), count: 1 } });
  await go(`#/genre/${'g'.repeat(200)}`);
  same([stage.asked.length, stage.texts('.block h2'), stage.texts('.block .sec-head a')], [2, ['Tracks'], []], 'no albums; two hundred letters');
  answers({ tracks: { items: songs(1), count: 1 } });
  await go(`#/genre/${'g'.repeat(201)}`);
  same(asked(), [`tracks?where=genre%3A%22${'g'.repeat(200)}%22*&limit=200`], 'so many letters of a name are enough');
  plays.restore();
  adds.restore();
};

/* Queue, playlists */

tests.queueScreen = async () => {
  const player = await silent();
  await go('#/queue');
  same([stage.text('#main .none'), stage.text('.hint'), find('#main .btns').hidden, document.title],
    ['Nothing yet. Play a track, an album or a playlist.', '', true, 'Queue · Nocturne'], 'nothing');
  player.play([...songs(2), song(1)], 1);
  await stage.calm();
  same([stage.text('.hint'), find('#main .btns').hidden, stage.texts('#queue .nm'),
    [...document.querySelectorAll('#queue .row')].map(row => row.className.includes('playing'))],
    ['3 tracks. Drag to reorder.', false, ['Title 1', 'Title 2', 'Title 1'], [false, true, false]], 'the queue');
  player.jump(2);
  same([...document.querySelectorAll('#queue .row')].map(row => row.className.includes('playing')), [false, false, true],
    'a track may stand in it twice');
  find('#queue .start').click();
  same(player.at, 0, 'to any');
  stage.key(find('#queue .handle'), 'ArrowDown');
  same([ids(player), player.at, stage.texts('#queue .nm')], ['211', 1, ['Title 2', 'Title 1', 'Title 1']], 'moved');
  find('#queue .start').click();
  same(player.at, 0, 'a row that was moved plays its track');
  player.jump(1);
  stage.key(find('#queue .handle'), 'ArrowDown');
  stage.key(document.querySelectorAll('#queue .handle')[1], 'ArrowUp');
  find('#queue .more').click();
  await stage.calm();
  button('Remove from the queue', find('#menu')).click();
  same([ids(player), stage.text('.hint')], ['11', '2 tracks. Drag to reorder.'], 'removed');
  player.play(songs(2), 0, 0, { path: 'tracks', values: {}, offset: 2, count: 1502 });
  stage.answers.tracks = () => new Promise(() => {});
  player.dispatchEvent(new Event('queue'));
  same(stage.text('.hint'), '1,502 tracks. Drag to reorder. The first 2 are listed; the others follow as these play.', 'more on the server');
  button('Clear what follows').click();
  same([ids(player), stage.text('.hint')], ['1', '1 track. Drag to reorder.'], 'cleared');
  stage.answers.playlists = { items: [] };
  button('Keep as a playlist').click();
  await stage.calm();
  same(stage.text('#dialog h2'), 'Add 1 track to', 'kept as a playlist');
  await answered(dialog => button('Cancel', dialog).click());
  answers({ search: { tracks: { items: [], count: 0 } } });
  await go('#/search');
  const before = find('#main').innerHTML;
  player.dispatchEvent(new Event('queue'));
  same(find('#main').innerHTML, before, 'another screen is not painted');
  await silent();
};

tests.playlist = async () => {
  const player = await silent(), plays = stage.spy(player, 'play');
  const entries = [{ track: song(1) }, { text: 'Gone song' }, { track: song(2) }, {}];
  let snapshot = 1;
  const list = () => ({ playlist: { id: 'p', name: 'Late', tracks: 2, duration_s: 600, snapshot }, entries });
  answers({ 'playlists/p': list });
  await go('#/playlist/p');
  same([document.title, stage.text('.by'), stage.texts('#entries .nm'), stage.texts('#entries .gone .sub'), find('#export').getAttribute('href'),
    [...document.querySelectorAll('#entries .handle')].map(node => node.getAttribute('aria-label'))],
    ['Late · Nocturne', '2 tracks, 10 min', ['Title 1', 'Gone song', 'Title 2', 'A file that is gone'], ['The file is gone.', 'The file is gone.'],
      '/app/api/playlists/p.m3u8', ['Move Title 1', 'Move Gone song', 'Move Title 2', 'Move A file that is gone']], 'a playlist');
  find('#entries .row[data-id="2"] .start').click();
  find('#play-all').click();
  same(plays.splice(0).map(([tracks, at]) => [tracks.length, at]), [[2, 1], [2, undefined]], 'plays what is there');
  Object.assign(stage.answers, { 'PUT playlists/p/order': () => ({ playlist: { ...list().playlist, snapshot: ++snapshot } }),
    'DELETE playlists/p/entries': {} });
  asked();
  stage.key(document.querySelectorAll('#entries .handle')[0], 'ArrowDown');
  stage.key(document.querySelectorAll('#entries .handle')[3], 'ArrowUp');
  await stage.calm();
  same(asked(), ['PUT playlists/p/order {"start":0,"length":1,"before":2,"snapshot":1}',
    'PUT playlists/p/order {"start":3,"length":1,"before":2,"snapshot":2}'], 'moved, one after the other');
  find('#entries .gone .more').click();
  await stage.calm();
  same(asked().slice(0, 2), ['DELETE playlists/p/entries {"positions":[0],"snapshot":3}', 'playlists/p'], 'removed; the list is shown again');
  find('#entries .row[data-id="2"] .more').click();
  await stage.calm();
  button('Remove from this playlist', find('#menu')).click();
  await stage.calm();
  same(asked()[0], 'DELETE playlists/p/entries {"positions":[2],"snapshot":3}', 'from its menu');
  stage.answers['DELETE playlists/p/entries'] = () => stage.error(409, 'x');
  find('#entries .gone .more').click();
  await stage.calm();
  same([toasted(), asked().length], ['This list has changed elsewhere; here it is again.', 2], 'changed elsewhere');
  stage.answers['DELETE playlists/p/entries'] = () => stage.error(500, 'Not now.');
  find('#entries .gone .more').click();
  await stage.calm();
  same([toasted(), asked().length], ['Not now.', 2], 'an error');
  const answer = async (words, act) => { button(words).click(); await stage.calm(); await answered(act); return asked(); };
  stage.answers['PUT playlists/p'] = {};
  same(await answer('Rename', dialog => { same(dialog.querySelector('input').value, 'Late', 'its name');
    dialog.querySelector('input').value = 'Later'; dialog.querySelector('form').requestSubmit(); }),
    ['PUT playlists/p {"name":"Later"}', 'playlists/p'], 'renamed');
  same(await answer('Rename', dialog => dialog.close()), [], 'or not');
  same(await answer('Delete', dialog => { same(stage.text('h2', dialog), 'Delete Late?', 'asked'); button('Cancel', dialog).click(); }), [],
    'not deleted');
  stage.answers['DELETE playlists/p'] = () => stage.error(500, 'Not now.');
  await answer('Delete', dialog => dialog.querySelector('form').requestSubmit());
  same([toasted(), location.hash], ['Not now.', '#/playlist/p'], 'nor if the server does not');
  stage.answers['DELETE playlists/p'] = {};
  await answer('Delete', dialog => dialog.querySelector('form').requestSubmit());
  same(location.hash, '#/library/playlists', 'deleted');
  await stage.calm();
  answers({ 'playlists/e': { playlist: { id: 'e', name: 'Empty', tracks: 0, duration_s: 0 }, entries: [] } });
  find('#dialog').showModal();
  await go('#/playlist/e');
  same([stage.text('#main .none'), stage.text('.by'), find('#play-all').disabled, find('#dialog').open],
    ['Empty. “Add to a playlist” at any track fills it.', '0 tracks', true, false], 'an empty one; questions are closed');
  plays.restore();
};

/* Report, duplicates */

tests.reportScreen = async () => {
  const cause = (shape, more) => ({ shape, what: `${shape}.`, do: 'Do.', count: 1, files: [{ path: 'a', id: '1', text: 'why' }, { path: 'b' }],
    ...more });
  const report = { title: 'Today', sentence: [{ text: 'Plain ' }, { text: 'bad', is_bad: true }, { text: 'linked', link: 'attention', is_bad: true },
    { text: 'tracks', link: 'tracks' }], subtitle: 'Sub', when: 'When', can_have_new: true, new_count: 2,
    causes: [cause('failed', { count: 3, where: 'status:failed' }), cause('damaged', { where: 'x', count: 2 }), cause('unsure'),
      cause('unsure', { count: 2, where: 'y', files: [] }), cause('odd', { do: null, count: 9 })],
    new: [{ folder: 'F', text: '2 tracks', tracks: times(7, index => index), where: 'folder:F' }, { folder: 'G', text: '1 track' }], run: null };
  answers({ report });
  await go('#/report');
  stage.picture('report', find('#main'));
  same([find('#run').hidden, document.title, document.querySelectorAll('.prints a').length], [true, 'Today · Nocturne', 6], 'no run');
  const { server } = await from('server'), run = detail => server.dispatchEvent(new CustomEvent('run', { detail })),
    bar = () => find('#run progress');
  const words = detail => { run(detail); return [stage.text('#run p'), bar().getAttribute('value')]; };
  cases('words', words, [[{ text: 'T', total: 4, done: 1, eta_s: 90, current: 'file' }, ['T · about 2 minutes left · file', '0.25']],
    [{ text: 'T', total: 0, eta_s: 20 }, ['T · about 1 minute left', null]], [{ text: 'T', total: 2, done: 2, eta_s: null }, ['T', '1']],
    [{ text: 'T', eta_s: 89, current: 'c'.repeat(201) }, [`T · about 1 minute left · ${'c'.repeat(200)}…`, null]]]);
  same([find('#run').hidden, find('#progress').hidden, find('#state').textContent], [false, false, 'T'], 'a run is shown');
  asked();
  server.dispatchEvent(new CustomEvent('library', { detail: { text: 'L' } }));
  await stage.pass(2500);
  same([asked(), find('#state').textContent], [[], 'T'], 'while it goes on, the report waits');
  server.dispatchEvent(new CustomEvent('run-ended', { detail: { text: 'Done' } }));
  await stage.calm();
  same([asked(), find('#run').hidden, find('#progress').hidden, find('#state').textContent], [['report'], true, true, 'Done'],
    'its end shows the report again');
  server.dispatchEvent(new CustomEvent('library', { detail: { text: 'L' } }));
  same(find('#state').textContent, 'L', 'the library is told');
  await stage.pass(2499);
  same(asked(), [], 'after a while');
  await stage.pass(1);
  same(asked(), ['report'], 'the report too');
  const target = find('#attention'), scrolled = stage.spy(target, 'scrollIntoView'), click = new MouseEvent('click',
    { cancelable: true, bubbles: true });
  find('[data-to=attention]').dispatchEvent(click);
  same([scrolled.length, click.defaultPrevented], [1, true], 'a link within the page');
  scrolled.restore();
  answers({ report: { title: 'T', sentence: [], causes: [], can_have_new: true, new: [], run: { text: 'Going', total: 2, done: 1 } } });
  await go('#/report');
  same([stage.texts('#main .none'), find('#run').hidden, stage.text('.report-sub'), stage.text('#new .sec-head span')],
    [['Nothing needs your attention.', 'Nothing new.'], false, '', null], 'nothing');
  answers({ report: { title: 'T', sentence: [], causes: [], can_have_new: false } });
  await go('#/report');
  same([find('#new'), find('.two')], [null, null], 'a first run has nothing new');
  answers({});
  await go('#/queue');
  run({ text: 'T', total: 1, done: 1 });
  server.dispatchEvent(new CustomEvent('run-ended', { detail: {} }));
  server.dispatchEvent(new CustomEvent('library', { detail: { text: 'L' } }));
  await stage.pass(2500);
  same(asked(), [], 'another screen does not ask');
};

tests.duplicates = async () => {
  const file = (track, advice, more) => ({ track, path: `p/${track}`, text: 'words', advice, relation: 'same', ...more });
  const found = { count: 3, spare_files: 1, spare_text: '5 MB', waiting: 2, longer_files: [{ track: 'l', path: 'long',
    parts: [{ track: 'x', path: 'part', start_s: 61 }] }], other_versions: [{ files: [{ track: 'v', path: 'v1' }, { track: 'w', path: 'v2' }] }],
    items: [{ name: 'One', spare_bytes: 1, spare_text: '5 MB', files: [file('1', 'keep'), file('2', 'spare'), file('3', 'review')] },
      { name: 'Two', spare_bytes: 0, files: [file('4', 'keep'), file('5', 'keep', { relation: 'audio' })] },
      { name: 'Three', spare_bytes: 0, files: [file('6', 'keep'), file('7', 'review', { relation: 'audio' })] }] };
  answers({ duplicates: found });
  await go('#/duplicates');
  stage.picture('duplicates', find('#main'));
  same([button('Show more').hidden, stage.texts('[aria-current=page]')], [true, ['Report']], 'all of them');
  stage.answers['POST duplicates/decisions'] = {};
  asked();
  button('Keep this').click();
  await stage.calm();
  same([asked(), said()], [['POST duplicates/decisions {"decision":"keep","tracks":["2"]}', 'duplicates'], 'This file is kept from now on.'], 'keep');
  button('No duplicates').click();
  await stage.calm();
  same([asked(), said()], [['POST duplicates/decisions {"decision":"distinct","tracks":["1","2","3"]}', 'duplicates'], 'These are no duplicates.'],
    'no duplicates');
  let pages = [{ items: [found.items[1]], count: 3 }, { items: [], count: 3 }];
  answers({ duplicates: ({ address }) => address.includes('offset') ? pages.shift() : { ...found, items: found.items.slice(0, 1), waiting: 0,
    spare_files: 0, longer_files: [], other_versions: [] } });
  await go('#/duplicates');
  same([stage.text('.report-sub'), stage.texts('.none').length, stage.texts('.block')],
    ['3 groups: nothing to spare. Found by sound; tags do not decide.', 1, []], 'nothing to spare');
  asked();
  button('Show more').click();
  await stage.calm();
  same([asked(), stage.texts('.group h2'), button('Show more').hidden], [['duplicates?offset=1&limit=20'], ['One', 'Two'], false], 'and more');
  button('Show more').click();
  await stage.calm();
  same([asked(), button('Show more').hidden], [['duplicates?offset=2&limit=20'], true], 'to the end');
  answers({ duplicates: { count: 0, items: [], waiting: 1, longer_files: [], other_versions: [] } });
  await go('#/duplicates');
  same([stage.text('.report-sub'), stage.texts('.none')], ['No file of the same recording as another one is known.',
    ['1 recording not compared yet: run analyze duplicates.']], 'none');
};

/* The track's page */

const aboutTrack = more => ({ track: song(1), has_waveform: false, tempo: { bpm: 120, beats_s: times(200, index => index / 2),
  downbeats_s: times(50, index => index * 2), metre: '4/4', locked: false, text: 'Sure.', candidates: [{ bpm: 120, weight: .8 },
  { bpm: 60, weight: .2 }, { bpm: 30, weight: .004 }], states: [] }, ...more });

tests.track = async () => {
  const player = await silent();
  const full = aboutTrack({
    track: song(1, { artists: [{ id: 'x', name: 'X' }, { id: 'y', name: 'Y' }], album: { id: 'a', name: 'Album' }, year: 1999, genre: 'Jazz',
      tempo_confidence: .9 }), key: { camelot: '8B', text: 'C major', candidates: [{ key: 'C major', probability: .8 },
      { key: 'A minor', probability: .15 }, { key: 'G major', probability: .05 }, { key: 'X', probability: 0 }], tuning_hz: 441.2 },
    loudness: { integrated_lufs: -9.24, range_lu: 5, true_peak_dbtp: -.04, track_gain_db: -8.8, max_momentary_lufs: -6 },
      cues: { first_beat_s: .5, intro_end_s: 10, outro_start_s: 90, highlight_start_s: 40, highlight_end_s: 50, mix_in_start_s: 0, mix_in_end_s: 8,
      mix_out_start_s: 90 },
    sections: { form: 'ABA', map: [{ start_s: 0, end_s: 50, label: 'A' }, { start_s: 50, end_s: 100, label: 'B' }] },
      traits: { energy: .5, danceability: .61, speechiness: 0 }, other_findings: [{ label: 'L', text: 'T' }], remarks: ['A remark.'],
      faults: [{ start_s: 1, end_s: 2 }],
    problems: [{ is_failure: false, what: 'It ends early.', do: 'Copy it.' }], format: { codec: 'FLAC', lossless: true, bit_rate_bps: 1_320_400,
      sample_rate_hz: 44_100, bit_depth: 16, channels: 2 }, tags: [{ label: 'Comment', value: 'C'.repeat(601) }],
    chapters: [{ start_s: 0, title: 'One' }, { start_s: 61 }], path: '/p', size_bytes: 99_999, modified_at: '2026-01-02T03:04:05Z',
      analyzed_at: '2026-01-02T03:04:05Z', copies: 1, bytes: 'well', well_at: '2026-01-02T03:04:05Z',
    history: [{ text: 'added by a run', at: '2026-01-02T03:04:05Z', run: 3, detail: 'd' }, { text: 'x' }], has_descriptor: true,
      lyrics: [{ text: 'Words', lines: [] }] });
  answers({ 'tracks/1': full, 'tracks/1/similar': { items: songs(2, 5), compared: 1200 } });
  await go('#/track/1');
  await stage.pass(16);
  same([document.title, asked()], ['Title 1 · Nocturne', ['tracks/1', 'tracks/1/similar?limit=8']], 'asked');
  stage.picture('track', [...document.querySelectorAll('#main > header, #main > .warning, #main > .say, #main > .similar, #main > .details')].map(node => outline(node)).join('').replaceAll(/Jan \d+, 2026, [^"\\]*?[AP]M/g,
    'TIME'));
  const time = new Date('2026-01-02T03:04:05Z').toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' });
  same(find('.details').textContent.split(time).length, 5, 'four times');
  const pairs = async more => { answers({ 'tracks/1': aboutTrack({ tempo: null, ...more }) }); await go('#/queue'); await go('#/track/1');
    return [...document.querySelectorAll('.details dt')].map(node => `${node.textContent}: ${node.nextSibling.textContent}`); };
  same(await pairs({}), [], 'nothing is known');
  same(await pairs({ size_bytes: 100_000, copies: 0, format: { codec: 'MP3', lossless: false, channels: 1 }, bytes: 'changed_silently' }),
    ['Format: MP3', 'Channels: mono', 'Size: 0.1 MB', 'Bytes: changed silently'], 'some');
  same(await pairs({ size_bytes: 0, copies: 2, format: { codec: 'MP3', channels: 6, sample_rate_hz: 48_000, bit_rate_bps: 499 },
    bytes: 'unreadable' }), ['Format: MP3, 0 kb/s', 'Sample rate: 48 kHz', 'Channels: 6', 'Size: 0 bytes', 'Copies: 2 other files',
    'Bytes: could not be read'], 'others');
  same(await pairs({ key: { reason: 'no key' }, loudness: { reason: 'silence', true_peak_dbtp: 0, range_lu: -.04 },
    cues: { first_beat_s: 0, mix_in_start_s: 1 }, chapters: [] }), ['Key: no key', 'Range: 0.0 LU', 'True peak: 0.0 dBTP', 'Why none: silence',
    'First beat: 0.00 s'], 'reasons');
  const facts = () => stage.texts('.facts dd');
  same(facts(), ['8A', '–', '1:40'], 'facts');
  await pairs({ key: { camelot: '8B', text: 'T' }, loudness: { integrated_lufs: -9.24 } });
  same([facts(), find('.facts dd').title], [['8B C major', '−9.2 LUFS', '1:40'], 'T'], 'with units');
  await pairs({ track: song(1, { key_camelot: null, title: null, artist: null, album: { name: 'A' }, is_untitled: true }) });
  same([facts()[0], stage.text('h1'), find('h1').className, stage.text('.by'), find('.by a')], ['–', '1.flac', 'tag untitled', 'Folder/ · A', null],
    'without a title');
  await pairs({ is_vanished: true, cues: { highlight_start_s: 40 }, problems: [{ is_failure: true, what: 'W' }] });
  same([stage.texts('.warning'), [...document.querySelectorAll('.head button')].map(node => [node.textContent, node.disabled])],
    [['▲ Failed. W ', 'Gone. The file is not there any more. If its drive is not mounted, mount it and run analyze again.'],
    [['Play', true], ['Add to the queue', true], ['Add to a playlist', true]]], 'a file that is gone');
  const highlight = async seconds => { await pairs({ cues: { highlight_start_s: seconds } }); return find('#track-highlight')?.textContent; };
  same([await highlight(.9), await highlight(1), await highlight(61)], [undefined, 'Play the highlight, 0:01', 'Play the highlight, 1:01'],
    'the highlight');
  const plays = stage.spy(player, 'play');
  find('#track-highlight').click();
  find('#track-play').click();
  button('Add to the queue').click();
  same(plays.splice(0).map(([tracks, at, position]) => [tracks[0].id, at, position]), [['1', 0, 61], ['1', 0, 0], ['1', undefined, undefined]],
    'played');
  plays.restore();
  player.play([full.track]);
  await stage.calm();
  player.pause();
  find('#track-highlight').click();
  await stage.calm();
  same([player.position, player.isPlaying], [61, true], 'the track that plays goes there');
  find('#track-play').click();
  same(player.isPlaying, false, 'and is paused');
  answers({ 'tracks/f': { track: failed('f'), problems: [{ is_failure: true, what: 'It is no audio.', do: 'Delete it.' }] } });
  await go('#/track/f');
  same([document.title, [...document.querySelectorAll('.head button')].map(node => node.disabled), stage.texts('.facts').length, find('.wave')],
    ['f.flac · Nocturne', [true, true, true], 0, null], 'a file that failed');
  await silent();
};

tests.trackStrips = async () => {
  const player = await silent(), about = aboutTrack();
  answers({ 'tracks/1': about });
  const words = async more => { answers({ 'tracks/1': aboutTrack(more), 'tracks/1/waveform': { minima: base64([0]), maxima: base64([255]),
    rms: base64([9]) } }); await go('#/queue'); await go('#/track/1'); await stage.pass(16);
    return [stage.texts('.wave .cap span')[1], stage.text('#legend')]; };
  const tempo = more => ({ tempo: { ...about.tempo, ...more } }), map = count => ({ sections: { map: times(count,
    index => ({ start_s: index, end_s: index + 1, label: 'A' })) } });
  same(await words({}), ['Onset strength', 'Beats around the playhead; tall lines are bar starts'], 'no waveform');
  same(await words({ has_waveform: true }), ['Waveform', 'Beats around the playhead; tall lines are bar starts'], 'a waveform');
  same(await words({ has_waveform: true, ...map(2), ...tempo({ downbeats_s: null }) }), ['Waveform and sections',
    'Beats in 4/4; where bars start is unsure, so not drawn'], 'sections, no bars');
  same(await words({ ...map(2), ...tempo({ beats_s: null }) }), ['Onset strength and sections', 'Onset strength; no beats'], 'no beats');
  same((await words(map(1)))[0], 'Onset strength', 'one section');
  same([(await words({ faults: [{ start_s: 0, end_s: 50 }] }))[0], (await words({ faults: [{ start_s: 0, end_s: 50.1 }] }))[0]],
    ['Onset strength, with faults', 'Onset strength'], 'faults of a part of the track');
  answers({ 'tracks/1': aboutTrack({ has_waveform: true }) });
  await go('#/queue');
  await go('#/track/1');
  same(stage.texts('.wave .cap span')[1], 'Onset strength', 'a waveform that does not come');
  const preview = async tempo => { stage.answers['PUT tracks/1/tempo'] = { tempo: { ...about.tempo, ...tempo }, text: '' }; button('Half').click();
    await stage.pass(120);
    return [stage.text('#legend'), find('#track-clicks').disabled]; };
  same([await preview({ beats_s: [] }), await preview({})], [['Onset strength; no beats', true],
    ['Beats around the playhead; tall lines are bar starts', false]],
    'a correction is drawn before it is stored');
  const overview = find('#overview'), closeUp = find('#close-up'), now = () => stage.text('.wave .cap span');
  overview.getBoundingClientRect = () => ({ left: 0, width: 200 });
  stage.pointer(overview, 'pointerdown', 50);
  stage.pointer(overview, 'pointerup', 50);
  same([now(), find('#track-play').textContent, overview.getAttribute('aria-valuenow'), closeUp.getAttribute('aria-valuetext')],
    ['0:25', 'Play from 0:25', '25', '0:25 of 1:40'], 'a click before it plays');
  for (const [x, words] of [[2, 'Play from 0:01'], [1.9, 'Play']]) {
    stage.pointer(overview, 'pointerdown', x);
    stage.pointer(overview, 'pointerup', x);
    same(find('#track-play').textContent, words, 'a start that is not the beginning is said');
  }
  stage.pointer(overview, 'pointerdown', 50);
  stage.pointer(overview, 'pointerup', 50);
  const press = key => { const taken = stage.key(closeUp, key); return [taken, overview.getAttribute('aria-valuenow'),
    find('#track-play').textContent]; };
  cases('press', press, [['ArrowRight', [true, '26', 'Play from 0:25']], ['ArrowRight', [true, '26', 'Play from 0:26']],
    ['ArrowLeft', [true, '26', 'Play from 0:25']], ['ArrowLeft', [true, '25', 'Play from 0:25']], ['x', [false, '25', 'Play from 0:25']]]);
  const key = node => { const far = heard(document.body, 'keydown'); stage.key(node, 'ArrowRight'); return far.stop().length; };
  same(key(closeUp), 0, 'its keys are its own');
  stage.key(overview, 'Home');
  stage.key(closeUp, 'ArrowLeft');
  same([now(), find('#track-play').textContent], ['0:00', 'Play'], 'the beginning');
  stage.key(overview, 'End');
  stage.key(closeUp, 'ArrowRight');
  same(now(), '1:40', 'the end');
  size(closeUp, 500, 60);
  stage.key(overview, 'Home');
  for (let turn = 0; turn < 4; turn++) stage.key(overview, 'PageUp');
  stage.key(overview, 'PageDown');
  const pull = (to, more) => { stage.pointer(closeUp, 'pointerdown', 100, 0, more); stage.pointer(closeUp, 'pointermove', to);
    stage.pointer(closeUp, 'pointerup'); stage.pointer(closeUp, 'pointermove', 400); return closeUp.getAttribute('aria-valuenow'); };
  same([pull(150), pull(100, { button: 1 }), pull(50), pull(9999), pull(-9999)], ['69', '69', '70', '0', '100'],
    'dragging moves the sound under the playhead');
  size(closeUp, 499, 60);
  stage.key(overview, 'Home');
  same(pull(100 - 499), '5', 'five seconds in a narrow window');
  stage.key(overview, 'Home');
  const clicks = find('#track-clicks');
  same([clicks.disabled, clicks.textContent], [false, 'Hear clicks on the beats'], 'clicks');
  stage.key(overview, 'ArrowRight');
  clicks.click();
  await stage.pass(16);
  same([player.track.id, player.position, player.isPlaying, player.hasClicks, clicks.textContent, clicks.getAttribute('aria-pressed'),
    find('#track-play').textContent], ['1', 5, true, true, 'Stop the clicks', 'true', 'Pause'], 'start the track');
  clicks.click();
  player.pause();
  same([player.hasClicks, clicks.textContent, find('#track-play').textContent], [false, 'Hear clicks on the beats', 'Play'], 'and end');
  clicks.click();
  await stage.calm();
  same(player.isPlaying, true, 'go on with the track');
  player.pause();
  clicks.click();
  same(player.isPlaying, false, 'ending them does not');
  stage.key(overview, 'PageUp');
  same(player.position, 35, 'a jump of the player');
  player.resume();
  await stage.pass(16);
  size(overview, 300, 60);
  const drawn = async seconds => { overview.getContext('2d'); closeUp.getContext('2d'); player.audio.reach(seconds); await stage.pass(16);
    return [stage.drawn(overview) !== '', stage.drawn(closeUp) !== '']; };
  await drawn(40);
  same([await drawn(40.5), await drawn(41.1), await drawn(41.3)], [[false, true], [true, true], [false, true]],
    'the overview is drawn only for another column');
  player.pause();
  overview.getContext('2d');
  dispatchEvent(new Event('resize'));
  same(stage.drawn(overview) !== '', true, 'another size');
  overview.getContext('2d');
  dispatchEvent(new Event('theme'));
  same(stage.drawn(overview) !== '', true, 'another theme');
  await go('#/queue');
  overview.getContext('2d');
  player.dispatchEvent(new Event('state'));
  dispatchEvent(new Event('resize'));
  same(stage.drawn(overview), '', 'another screen');
  answers({ 'tracks/1': about, 'tracks/2': aboutTrack({ track: song(2) }) });
  await silent();
  answers({ 'tracks/1': about, 'tracks/2': aboutTrack({ track: song(2), tempo: null }) });
  await go('#/track/1');
  stage.key(find('#overview'), 'PageUp');
  await go('#/queue');
  await go('#/track/1');
  same(find('#track-play').textContent, 'Play from 1:05', 'the place is remembered');
  await go('#/track/2');
  same([find('#track-play').textContent, find('#track-clicks').disabled, stage.text('#legend'), stage.key(find('#close-up'), 'ArrowRight')],
    ['Play', true, 'Onset strength; no beats', false], 'for one track');
};

tests.trackNews = async () => {
  const player = await silent(), { server } = await from('server'), about = aboutTrack(), tell = (name,
    detail) => server.dispatchEvent(new CustomEvent(name, { detail }));
  answers({ 'tracks/1': about });
  await go('#/track/1');
  const told = async (name, detail) => { asked(); tell(name, detail); await stage.calm(); return asked(); };
  same(await told('tempo', { id: '1', bpm: 120, locked: false }), [], 'what is known');
  same(await told('tempo', { id: '2', bpm: 60, locked: true }), [], 'another track');
  same(await told('tempo', { id: '1', bpm: 60, locked: false }), ['tracks/1'], 'a correction made elsewhere');
  same(await told('tempo', { id: '1', bpm: 120, locked: true }), ['tracks/1'], 'or kept there');
  same(await told('missed'), ['tracks/1'], 'nothing was missed');
  stage.answers['tracks/1'] = aboutTrack({ tempo: { ...about.tempo, bpm: 60 } });
  same(await told('missed'), ['tracks/1', 'tracks/1'], 'something was');
  answers({ 'tracks/1': aboutTrack({ tempo: null, lyrics: [{ text: '', lines: [{ start_s: 1, text: 'One' }, { start_s: 60, text: 'Two' }] }] }) });
  await go('#/queue');
  await go('#/track/1');
  same(await told('missed'), ['tracks/1'], 'no tempo');
  const line = () => stage.texts('.words [aria-current]');
  find('.words li:nth-child(2) button').click();
  await stage.calm();
  await stage.pass(200);
  same([player.track.id, player.position, player.isPlaying, line()], ['1', 60, true, ['Two']], 'a line plays from there');
  player.pause();
  find('.words button').click();
  await stage.calm();
  await stage.pass(199);
  await stage.pass(1);
  same([player.position, player.isPlaying, line()], [1, true, ['One']], 'and the lines follow');
  const timers = stage.timers();
  player.pause();
  await stage.pass(100);
  await go('#/queue');
  same(stage.timers() < timers, true, 'until another screen comes');
  same(await told('tempo', { id: '1', bpm: 60 }), [], 'which does not ask');
  const similar = async answer => { answers({ 'tracks/1': aboutTrack({ tempo: null, has_descriptor: true }), 'tracks/1/similar': answer });
    await go('#/queue'); await go('#/track/1'); await stage.calm(); return [find('.similar').hidden, stage.text('.similar .sec-head'),
    stage.texts('.similar .nm'), stage.text('.similar .none')]; };
  same(await similar({ items: [], compared: 3 }), [true, null, [], null], 'no similar ones');
  same(await similar({ items: songs(1, 7), compared: 1 }), [false, 'Similar tracksof 1 track', ['Title 7'], null], 'one');
  same(await similar(() => stage.error(500, 'Not now.')), [false, 'Similar tracks', [], 'Not now.'], 'an error');
  same(await similar(() => { throw new DOMException('x', 'AbortError'); }), [true, null, [], null], 'another screen');
  await go('#/queue');
  await silent();
};

/* Corrections */

tests.correction = async () => {
  const player = await silent(), { correction } = await from('correction'), shownTempos = [], stored = { ...aboutTrack().tempo, metre: '4/4' };
  const previews = { tempo: { ...stored, bpm: 60 }, text: 'Preview.' };
  answers({ 'PUT tracks/1/tempo': ({ body }) => body.preview ? previews : { tempo: { ...stored, bpm: 60, locked: true, text: 'T',
    states: [{ at: '2026-01-02T03:04:05Z', text: '120 BPM', id: 7 }] }, text: 'Stored.' } });
  const make = tempo => correction({ track: song(1), tempo: { ...stored, ...tempo } }, next => shownTempos.push(next.bpm));
  const fix = make({});
  await shown(fix.nodes, async host => {
    const t = selector => stage.text(selector, host), b = words => button(words, host), state = () => [t('#bpm'), t('.tempo-now small'), t('#why'),
      t('#shift'), t('#note'), host.querySelector('#save').disabled, b('Cancel').hidden];
    same(state(), ['120.0', 'BPM · 4/4', 'Sure.', 'Grid shift: 0 ms', 'No changes. Corrections survive every later run.', true, true], 'as it is');
    stage.picture('correction', host);
    b('Half').click();
    same([state().slice(2), b('Half').getAttribute('aria-pressed')], [['Before: 120.0 BPM. Now: …', 'Grid shift: 0 ms', 'Not saved yet.', false,
      false], 'true'], 'half');
    await stage.pass(119);
    same(asked(), [], 'after a moment');
    await stage.pass(1);
    same([asked(), state(), shownTempos.splice(0)], [['PUT tracks/1/tempo {"times":"1/2","preview":true}'],
      ['60.0', 'BPM · 4/4', 'Before: 120.0 BPM. Now: 60.0 BPM', 'Grid shift: 0 ms', 'Not saved yet. Preview.', false, false], [60]],
      'the server says what would be');
    b('Half').click();
    await stage.pass(120);
    same([asked(), state()[0], state()[5], b('Half').getAttribute('aria-pressed')], [[], '120.0', true, 'false'], 'again: as it was');
    const body = async (...words) => { for (const word of words) b(word).click(); await stage.pass(120); const [line] = asked(); b('Cancel').click();
      await stage.pass(0); return line?.replace('PUT tracks/1/tempo ', '').replace(',"preview":true', ''); };
    const bodies = [[['Double'], '{"times":"2"}'], [['3/2'], '{"times":"3/2"}'], [['2/3'], '{"times":"2/3"}'], [['Later'], '{"shift_ms":10}'],
      [['Earlier', 'Earlier'], '{"shift_ms":-20}'], [['Half a beat'], '{"shift_beats":0.5}'],
      [['Half a beat', 'Later'], '{"shift_ms":260}'], [['Half a beat', 'Half a beat'], undefined], [['Move bar', 'Move bar'], '{"move_bar":2}'],
        [['Half', 'Double'], '{"times":"2"}']];
    for (const [words, wanted] of bodies) same(await body(...words), wanted, words.join());
    const shift = async (...words) => { for (const word of words) b(word).click(); await stage.pass(0); const found = t('#shift');
      b('Cancel').click(); await stage.pass(0); asked(); return found; };
    same([await shift('Later'), await shift('Earlier'), await shift('Half a beat'), await shift('Half a beat', 'Earlier'), await shift('Move bar')],
      ['Grid shift: +10 ms', 'Grid shift: −10 ms', 'Grid shift: +250 ms', 'Grid shift: +240 ms', 'Grid shift: 0 ms · bar start +1'], 'shifts');
    await stage.pass(200);
    asked();
    same([...host.querySelectorAll('.candidate')].map(node => [node.textContent, node.getAttribute('aria-pressed'),
      node.querySelector('i').style.width]), [['120.0 BPM80% of the evidence', 'true', '80%'], ['60.0 BPM20% of the evidence', 'false', '20%']],
      'candidates');
    host.querySelectorAll('.candidate')[1].click();
    await stage.pass(120);
    same([asked(), [...host.querySelectorAll('.candidate')].map(node => node.getAttribute('aria-pressed'))],
      [['PUT tracks/1/tempo {"bpm":60,"preview":true}'], ['false', 'true']], 'another one');
    host.querySelectorAll('.candidate')[0].click();
    await stage.pass(120);
    same([asked(), state()[5]], [[], true], 'the first is what there is');
    const tap = async pause => { host.querySelector('#tap').click(); await stage.pass(pause); return t('#tap'); };
    same([await tap(500), await tap(500), await tap(500), await tap(500)], ['Keep tapping', '120.0 BPM from 2 taps', '120.0 BPM from 3 taps',
      '120.0 BPM from 4 taps'], 'taps');
    same(asked(), ['PUT tracks/1/tempo {"bpm":120,"preview":true}'], 'four are a tempo');
    b('Cancel').click();
    await stage.calm();
    same([t('#tap'), state()[4]], ['Tap the beat', 'No changes. Corrections survive every later run.'], 'called off');
    stage.answers['PUT tracks/1/tempo'] = () => stage.error(400, 'No.');
    b('Half').click();
    await stage.pass(120);
    same([state()[0], state()[4], said()], ['120.0', 'Not saved yet. No.', 'No.'], 'an error');
    same(fix.knows({ bpm: 120, locked: false }) && !fix.knows({ bpm: 60, locked: false }) && !fix.knows({ bpm: 120, locked: true }), true,
      'what is known here');
    let release = null;
    stage.answers['PUT tracks/1/tempo'] = () => new Promise(done => { release = () => done({ tempo: { ...stored, bpm: 60, locked: true, text: 'T',
      found: { bpm: 120 }, states: [{ at: '2026-01-02T03:04:05Z', text: '120 BPM', id: 7 }] }, text: 'Stored.' }); });
    asked();
    host.querySelector('#save').click();
    await stage.calm();
    same([asked(), host.querySelector('#save').disabled, host.querySelector('#undo').disabled, fix.knows({ bpm: 1 }), t('#note')],
      [['PUT tracks/1/tempo {"times":"1/2"}'], true, true, true, 'No.'], 'stored');
    shownTempos.length = 0;
    release();
    await stage.calm();
    same(shownTempos, [60], 'its beats too');
    same([state(), said(), host.querySelector('#undo').disabled, b('Use what was found').hidden, fix.knows({ bpm: 60, locked: true })],
      [['60.0', 'BPM · 4/4', 'Set by you. The analysis found 120.0 BPM.', 'Grid shift: 0 ms', 'Stored.', true, true], 'Stored.', false, false, true],
      'and shown');
    Object.assign(stage.answers, { 'POST tracks/1/tempo/undo': { tempo: stored, text: 'Undone.' },
      'DELETE tracks/1/tempo': { tempo: stored, text: 'Found.' } });
    const history = [...host.querySelectorAll('.history li')];
    same([history.length, host.querySelector('.past').hidden, host.querySelector('.history li button').getAttribute('aria-label')],
      [1, false, 'Back to 120 BPM'], 'earlier values');
    host.querySelector('#undo').click();
    await stage.calm();
    same([asked(), state()[0], state()[4], host.querySelector('#undo').disabled], [['POST tracks/1/tempo/undo {}'], '120.0', 'Undone.', true],
      'undone');
  });
  const restored = make({ locked: true, states: [{ at: '2026-01-02T03:04:05Z', text: 'A', id: 3 },
    { at: '2026-01-02T03:04:05Z', text: 'B', id: 4 }] });
  await shown(restored.nodes, async host => {
    same([stage.text('#why', host), stage.text('#note', host), button('Use what was found', host).hidden],
      ['Set by you.', 'Your value is stored. Corrections survive every later run.', false], 'set by a person');
    button('Use what was found', host).click();
    await stage.calm();
    same(asked(), ['DELETE tracks/1/tempo'], 'what was found');
  });
  const back = make({ states: [{ at: '2026-01-02T03:04:05Z', text: 'A', id: 3 }, { at: '2026-01-02T03:04:05Z', text: 'B', id: 4 }] });
  await shown(back.nodes, async host => {
    host.querySelectorAll('.history button')[1].click();
    await stage.calm();
    stage.picture('correction-back', asked().join('\n'));
  });
  const without = make({ bpm: null, beats_s: null, downbeats_s: null, candidates: null });
  await shown(without.nodes, host => {
    same([stage.text('#bpm', host), stage.text('.tempo-now small', host), stage.text('#why', host),
      ['Earlier', 'Later', 'Half a beat', 'Move bar'].map(words => button(words, host).disabled), button('Move bar', host).title,
      host.querySelectorAll('.candidate').length],
      ['no beat', '', 'No steady beat was found. Ambient, spoken or very free music often has none.', [true, true, true, true],
        'No bars are known for this track.', 0], 'no beat');
  });
  same(stage.text('#why', (() => { const host = document.createElement('div'); host.append(...make({ bpm: null, reason: 'Too short.' }).nodes);
    return host; })()), 'Too short.', 'a reason');
  const texts = tempo => { const host = document.createElement('div'); host.append(...make(tempo).nodes);
    return [...host.querySelectorAll('.candidate')].map(node => `${node.textContent} ${node.getAttribute('aria-pressed')}`); };
  cases('candidates', texts, [[{ bpm: 97, locked: true }, ['97.0 BPMset by you true', '120.0 BPM80% of the evidence false',
    '60.0 BPM20% of the evidence false']], [{ bpm: 97 }, ['97.0 BPMnot among the first five true', '120.0 BPM80% of the evidence false',
    '60.0 BPM20% of the evidence false']],
    [{ bpm: null }, ['120.0 BPM80% of the evidence false', '60.0 BPM20% of the evidence false']],
      [{ candidates: [{ bpm: 120, weight: .005 }, { bpm: 60, weight: .0049 }] }, ['120.0 BPM1% of the evidence true']],
      [{ candidates: times(7, index => ({ bpm: 120 + index * 20, weight: .1 })) },
      ['120.0 BPM10% of the evidence true', '140.0 BPM10% of the evidence false', '160.0 BPM10% of the evidence false',
        '180.0 BPM10% of the evidence false', '200.0 BPM10% of the evidence false']], [{ candidates: [] }, []]]);
  same(stage.text('small', (() => { const host = document.createElement('div'); host.append(...make({ downbeats_s: null }).nodes); return host;
    })()), 'BPM', 'the meter only with bars');
  await silent();
  void player;
};

tests.correctionKeys = async () => {
  const player = await silent(), { correction } = await from('correction'), beats = stage.spy(player, 'setBeats');
  answers({ 'PUT tracks/1/tempo': { tempo: aboutTrack().tempo, text: 'T' } });
  const fix = correction(aboutTrack(), () => {}), stop = fix.start();
  await shown(fix.nodes, async host => {
    const taps = () => stage.text('#tap', host), field = document.createElement('input'), range = Object.assign(document.createElement('input'),
      { type: 'range' });
    host.append(field, range);
    for (const [node, key, more] of [[document.body, 'x'], [document.body, 't', { ctrlKey: true }], [document.body, 't', { metaKey: true }],
      [document.body, 't', { altKey: true }], [document.body, 't', { repeat: true }], [field, 't']]) same([stage.key(node, key, more), taps()],
      [false, 'Tap the beat'], 'no tap');
    same([stage.key(document.body, 't'), taps()], [true, 'Keep tapping'], 'T taps');
    await stage.pass(500);
    same([stage.key(range, 'T'), taps()], [true, '120.0 BPM from 2 taps'], 'on a slider too');
    same(stage.pointer(host.querySelector('#tap'), 'pointerdown'), true, 'a press does not take the focus');
    stop();
    same([stage.key(document.body, 't'), taps()], [false, '120.0 BPM from 2 taps'], 'until another screen comes');
    same(beats.splice(0).map(([id, list, bars]) => [id, list.length, bars.length]), [['1', 200, 50]], 'which hears the stored beats');
  });
  beats.restore();
};

/* Listening */

tests.listen = async () => {
  const player = await silent(), { server } = await from('server');
  localStorage.removeItem('nocturne-heard');
  const stream = { getTracks: () => [] }, devices = { getUserMedia: async () => stream };
  Object.defineProperty(navigator, 'mediaDevices', { value: devices, configurable: true });
  const session = { id: 's', events: '/e', audio: '/v1/sessions/s/audio' };
  answers({ 'POST /v1/sessions': session, 'DELETE /v1/sessions/s': {}, 'POST /v1/sessions/s/audio': {}, status: { catalog: { is_there: true } },
    'tracks/7': { track: song(7) } });
  await go('#/listen');
  const box = find('#listen'), now = () => [box.dataset.state, stage.text('#listen h2'), stage.texts('#listen .say'),
    stage.texts('#listen .btns > *')];
  same([now(), stage.text('#heard'), stage.text('.hint'), find('.orb').className], [['idle', 'Ready',
    ['Hold the device near the speaker and start, or drop an audio file here.'], ['Listen', 'Choose a file']], 'Heard earlierNothing yet.',
    'Compares what the microphone hears with your own catalog, on this computer. Nothing is kept.', 'orb'], 'ready');
  stage.picture('listen', find('#main'));
  let grant = null;
  devices.getUserMedia = () => new Promise((done, refuse) => { grant = error => error ? refuse(error) : done(stream); });
  const start = async error => { stage.sources.length = 0; (find('#start') ?? find('#again')).click(); await stage.calm(); const asking = now();
    grant(error); await stage.calm(); return asking; };
  find('#start').focus();
  same(await start(), ['asking', 'Waiting for permission', ['The browser asks whether this page may use the microphone. Choose Allow.'], ['Cancel']],
    'asking');
  same([now(), document.activeElement.id, find('.orb').className], [['listening', 'Listening…',
    ['Hold the device near the speaker. Stop at any time.'], ['Stop']], 'stop', 'orb live'], 'listening; the focus stays');
  const events = () => stage.sources[0], bars = () => [...box.querySelectorAll('.levels b')].map(bar => bar.style.transform),
    node = () => stage.contexts.at(-1).node;
  node().port.onmessage({ data: { peak: .5, samples: Int16Array.of(1) } });
  stage.picture('levels', bars().join('\n'));
  node().port.onmessage({ data: { peak: 0, samples: Int16Array.of(1) } });
  same([bars().length, bars()[0]], [11, 'scaleY(0.08)'], 'bars show how loud it is');
  await stage.pass(11_999);
  events().tell('no-match', {});
  same(box.dataset.state, 'listening', 'patience');
  await stage.pass(1);
  events().tell('no-match', {});
  same([now(), stage.texts('#heard li .tag'), stage.texts('#heard li .dim').at(-1)], [['none', 'Not in your catalog',
    ['Still listening. If the recording is in your library, run analyze catalog build.'], ['Stop', 'Choose a file']], ['Not in your catalog'],
    'listened for 12 s'], 'and its end');
  events().tell('no-match', {});
  same(stage.texts('#heard li').length, 1, 'once');
  const item = more => ({ title: 'Song', artist: 'Singer', track_offset_s: 30, properties: { track_id: '7' }, confidence: .95, start_s: 1, end_s: 61,
    ...more });
  await stage.pass(3600);
  events().tell('match', item());
  await stage.calm();
  same(now(), ['found', 'Song', ['Singer · 120.0 BPM · playing at 0:30 of 1:40', 'Matched after 16 s. Sure: nothing else comes close.'],
    ['Open track', 'Play from here', 'Listen again', 'Stop']], 'found');
  same([said(), stage.texts('#heard li').length, stage.texts('#heard li a'), stage.texts('#heard li .dim').slice(1, 3),
    find('#open-track').getAttribute('href')], ['Found: Song by Singer', 2, ['Song'], [' · Singer', 'matched in 16 s'], '#/track/7'],
    'and remembered');
  await stage.pass(5000);
  find('#clear-heard').click();
  same(stage.texts('#listen .say')[0], 'Singer · 120.0 BPM · playing at 0:35 of 1:40', 'time goes on');
  find('#stop').focus();
  events().tell('track-ended', {});
  same([stage.texts('#listen .say')[0], document.activeElement.id], ['Singer · 120.0 BPM · over now', 'stop'], 'over');
  find('#stop').click();
  same([box.dataset.state, stage.texts('#listen .btns > *'), stage.texts('#listen .say')[0]],
    ['found', ['Open track', 'Play from here', 'Listen again'], 'Singer · 120.0 BPM · over now'], 'stopped');
  await start();
  await stage.pass(300);
  events().tell('match', item({ artist: null, properties: {}, title: null, subtitle: 'Sub', confidence: .8, alternatives: [1], speed: 2 }));
  await stage.calm();
  same([now().slice(1), said()], [['Sub', ['playing at 0:30', 'Matched after 1 s. 80% sure. 1 other track of the catalog holds the same recording.'],
    ['Listen again', 'Stop']], 'Found: Sub'], 'a track that is not in the library');
  await stage.pass(2000);
  server.dispatchEvent(new Event('gone'));
  await start();
  events().tell('match', item({ confidence: null, speed: 2 }));
  await stage.calm();
  const plays = stage.spy(player, 'play');
  await stage.pass(2000);
  button('Play from here', box).click();
  same([plays.splice(0).map(([tracks, at, position]) => [tracks[0].id, at, position]), box.dataset.state], [[['7', 0, 30]], 'idle'],
    'play from there');
  const sure = async more => { await start(); await stage.pass(300); events().tell('match', item(more)); await stage.calm();
    return stage.texts('#listen .say')[1]; };
  same([await sure({ confidence: .9 }), await sure({ confidence: .89 }), await sure({ confidence: .9, alternatives: [1, 2] }),
    await sure({ confidence: null })], ['Matched after 1 s. Sure: nothing else comes close.', 'Matched after 1 s. 89% sure.',
    'Matched after 1 s. 90% sure. 2 other tracks of the catalog hold the same recording.', 'Matched after 1 s.'], 'how sure');
  const failing = async error => { await start(error); return now(); };
  same(await failing(new DOMException('x', 'NotAllowedError')), ['refused', 'No microphone',
    ['The browser does not give it to this page. Open the site settings beside the address, allow the microphone, and try again. A file works without it.'],
    ['Try again', 'Choose a file']], 'refused');
  same((await failing(new DOMException('x', 'SecurityError')))[0], 'refused', 'or not allowed');
  same(await failing(new DOMException('x', 'NotFoundError')), ['failed', 'This did not work',
    ['There is no microphone. Connect one, or drop a file here.'], ['Try again', 'Choose a file']], 'none');
  same((await failing(new Error('Broken.'))).slice(0, 3), ['failed', 'This did not work', ['Broken.']], 'an error');
  await start();
  events().tell('error', { message: 'Session.' });
  same([now()[0], now()[2]], ['failed', ['Session.']], 'an error of the session');
  find('#start').click();
  await stage.calm();
  button('Cancel', box).click();
  same(box.dataset.state, 'idle', 'called off');
  grant(new Error('late'));
  await stage.calm();
  same(box.dataset.state, 'idle', 'what comes too late is not told');
  await start();
  find('#stop').click();
  same([box.dataset.state, stage.contexts.at(-1).state], ['idle', 'closed'], 'stopped');
  plays.restore();
  answers({ status: { catalog: { is_there: false } } });
  await go('#/queue');
  await go('#/listen');
  same(stage.text('.hint'), 'There is no catalog yet. Make one with analyze catalog build.', 'no catalog');
  answers({ status: { catalog: { is_there: false, problem: 'It is broken.' } } });
  await go('#/queue');
  await go('#/listen');
  same(stage.text('.hint'), 'It is broken.', 'or a broken one');
  delete navigator.mediaDevices;
  localStorage.removeItem('nocturne-heard');
  await go('#/queue');
};

tests.listenFiles = async () => {
  await silent();
  answers({ status: {}, 'tracks/7': { track: song(7, { duration_s: null, tempo_bpm: null }) },
    '/v1/match': { tracks: [{ title: 'A', artist: 'X', start_s: 1, end_s: 61, properties: { track_id: '7' }, confidence: .95 },
    { title: 'B', start_s: 70, end_s: 80 }] } });
  await go('#/listen');
  if (find('#clear-heard')) find('#clear-heard').click();
  const box = find('#listen'), drop = async (name, type = 'audio/flac') => { const event = Object.assign(new Event('drop',
    { cancelable: true, bubbles: true }), { dataTransfer: { files: name ? [new File(['x'], name, { type })] : [] } }); box.dispatchEvent(event);
    await stage.calm(); return event.defaultPrevented; };
  const over = new Event('dragover', { cancelable: true });
  box.dispatchEvent(over);
  same([over.defaultPrevented, box.classList.contains('over')], [true, true], 'a file over the page');
  box.dispatchEvent(new Event('dragleave'));
  same(box.classList.contains('over'), false, 'goes away');
  box.dispatchEvent(new Event('dragover', { cancelable: true }));
  stage.asked.length = 0;
  const types = [], old = window.fetch;
  window.fetch = (address, options) => { if (address === '/v1/match') types.push(options.headers['Content-Type']); return old(address, options); };
  same([await drop('mix.flac'), box.classList.contains('over'), box.dataset.state, stage.text('#listen h2'), stage.texts('#listen .say')],
    [true, false, 'found', 'A', ['X · from 0:01 to 1:01 of the file', 'Sure: nothing else comes close.', 'Then: B']], 'a dropped file');
  same([stage.texts('#heard li').length, stage.texts('#heard li .tag').map(text => text.trim()), stage.texts('#heard li > .dim:last-child')],
    [2, ['B', 'A · X'], ['in a file', 'in a file']], 'all that is in it is remembered');
  await drop('plain', '');
  same(types, ['audio/flac', 'application/octet-stream'], 'with its type');
  same(await drop(null), true, 'no file');
  stage.answers['/v1/match'] = { tracks: [] };
  await drop('none.flac');
  same([box.dataset.state, stage.texts('#listen .say'), stage.texts('#listen .btns > *'), stage.texts('#heard li .tag')[0]],
    ['none', ['If the recording is in your library, run analyze catalog build.'], ['Listen', 'Choose a file'], 'Not in your catalog'],
    'nothing is in it');
  stage.answers['/v1/match'] = () => stage.error(400, 'It is no audio.');
  await drop('bad');
  same([box.dataset.state, stage.texts('#listen .say')], ['failed', ['It is no audio.']], 'an error');
  let release = null;
  stage.answers['/v1/match'] = () => new Promise(done => { release = () => done({ tracks: [{ title: 'T', start_s: 0, end_s: 1 }] }); });
  await drop(`${'n'.repeat(81)}.flac`);
  same([box.dataset.state, stage.text('#listen h2').length, stage.texts('#listen .say')], ['file', 81,
    ['Looking for its recordings in the catalog.']], 'while it is looked at');
  release();
  await stage.calm();
  same([stage.texts('#listen .say')[0], stage.texts('#listen .btns > *')], ['from 0:00 to 0:01 of the file', ['Listen again']],
    'a track that is not in the library');
  stage.answers['/v1/match'] = { tracks: times(51, index => ({ title: `T${index}`, start_s: 0, end_s: 1 })) };
  await drop('x');
  same([stage.texts('#heard li').length, JSON.parse(localStorage.getItem('nocturne-heard')).length, stage.text('#heard li .tag')], [50, 50, 'T50'],
    'fifty are remembered');
  find('#clear-heard').click();
  same([stage.texts('#heard li').length, localStorage.getItem('nocturne-heard'), find('#clear-heard')], [0, '[]', null], 'or cleared');
  const picker = find('#file'), picked = stage.spy(picker, 'click');
  button('Listen again', box) && find('#main');
  stage.answers['/v1/match'] = { tracks: [] };
  await drop('none');
  find('#choose').click();
  same(picked.length, 1, 'or chosen');
  picked.restore();
  const files = new DataTransfer();
  files.items.add(new File(['x'], 'picked.flac'));
  picker.files = files.files;
  stage.answers['/v1/match'] = { tracks: [{ title: 'Picked', start_s: 0, end_s: 1 }] };
  picker.dispatchEvent(new Event('change'));
  await stage.calm();
  same([stage.text('#listen h2'), picker.value], ['Picked', ''], 'a file that was chosen');
  window.fetch = old;
  localStorage.removeItem('nocturne-heard');
  await go('#/queue');
  await go('#/listen');
  same(box !== find('#listen') && find('#listen').dataset.state, 'found', 'what was found is still there');
  find('#clear-heard').click();
  stage.answers['/v1/match'] = () => stage.error(400, 'It is no audio.');
  find('#listen').dispatchEvent(Object.assign(new Event('drop', { cancelable: true }), { dataTransfer: { files: [new File(['x'], 'bad')] } }));
  await stage.calm();
  await go('#/queue');
};

/* The app's frame */

tests.frame = async () => {
  const player = await silent(), { server } = await from('server'), tell = (name, detail) => server.dispatchEvent(new CustomEvent(name, { detail }));
  localStorage.removeItem('nocturne-theme');
  delete document.documentElement.dataset.theme;
  const themes = [], told = heard(window, 'theme');
  for (let turn = 0; turn < 3; turn++) { find('#theme').click(); themes.push([document.documentElement.dataset.theme, find('#theme').textContent,
    localStorage.getItem('nocturne-theme')]); }
  same([themes, told.stop().length], [[['light', 'Theme: light', '"light"'], ['dark', 'Theme: dark', '"dark"'],
    [undefined, 'Theme: auto', '"auto"']], 3], 'three themes in turn');
  const state = () => [find('#state').textContent, find('#progress').hidden, find('#progress').getAttribute('value')];
  tell('hello', { text: '3 tracks', run: null });
  same(state().slice(0, 2), ['3 tracks', true], 'the library');
  tell('hello', { text: '3 tracks', run: { text: 'Analyzing', total: 4, done: 1 } });
  same(state(), ['Analyzing', false, '0.25'], 'a run');
  tell('library', { text: '4 tracks' });
  same(state()[0], 'Analyzing', 'goes before the library');
  tell('run', { text: 'Reading', total: 0 });
  same(state(), ['Reading', false, null], 'of unknown length');
  tell('run-ended', {});
  same(state().slice(0, 2), ['Reading', true], 'its end');
  tell('run-ended', { text: '4 tracks' });
  same(state()[0], '4 tracks', 'says how many');
  tell('library', { text: '5 tracks' });
  same(state()[0], '5 tracks', 'and the library');
  const skip = new MouseEvent('click', { cancelable: true, bubbles: true });
  find('#skip').dispatchEvent(skip);
  same([skip.defaultPrevented, document.activeElement.id], [true, 'main'], 'to the page');
};

tests.frameKeys = async () => {
  const player = await silent(), calls = ['toggle', 'next', 'previous', 'toggleClicks'].map(name => [name, stage.spy(player, name)]),
    called = () => calls.filter(([, list]) => list.splice(0).length).map(([name]) => name);
  answers({ search: { tracks: { items: [], count: 0 } }, report: { title: 'R', sentence: [], causes: [] } });
  await go('#/report');
  const press = (key, node = document.body, more) => { const taken = stage.key(node, key, more); return [taken, called()]; };
  cases('press', press, [[' ', [true, ['toggle']]], ['n', [true, ['next']]], ['p', [true, ['previous']]], ['c', [true, ['toggleClicks']]],
    ['x', [false, []]]]);
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) same(press('n', document.body, more), [false, []],
    JSON.stringify(more));
  const hosts = ['button', 'a', 'summary', 'input', 'select', 'textarea'].map(name => document.createElement(name)),
    slider = Object.assign(document.createElement('div'), { role: 'slider' }), box = Object.assign(document.createElement('input'),
    { type: 'checkbox' });
  await shown([...hosts, slider, box], () => {
    same(hosts.map(node => press(' ', node)[0]), Array(6).fill(false), 'the space bar belongs to controls');
    same([press(' ', slider)[0], press('n', slider), press('n', box), press('n', hosts[0])],
      [false, [true, ['next']], [true, ['next']], [true, ['next']]], 'other keys do not');
    same(hosts.slice(3).map(node => press('n', node)), Array(3).fill([false, []]), 'letters belong to fields');
    const taken = event => event.preventDefault();
    slider.addEventListener('keydown', taken);
    same(called.length + press('n', slider)[1].length, called.length, 'what was taken is not taken twice');
  });
  find('#dialog').showModal();
  same(press('n'), [false, []], 'nor behind a question');
  find('#dialog').close();
  press('/');
  same(location.hash, '#/search', '/ goes to the search');
  await stage.calm();
  await go('#/search');
  document.activeElement.blur();
  find('#q').value = 'abc';
  same([press('/'), document.activeElement.id, find('#q').selectionEnd - find('#q').selectionStart], [[true, []], 'q', 3], 'or to its field');
  document.activeElement.blur();
  press('m');
  same(location.hash, '#/metronome', 'M');
  press('l');
  same(location.hash, '#/listen', 'L');
  for (const [, list] of calls) list.restore();
  await go('#/queue');
};
