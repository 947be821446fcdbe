// Tests of the report's scripts, which are functions of the page. `show` puts another library into it.
'use strict';

/** Shows these tracks as if the page had been opened with them. */
function show(rows, options) {
  const data = dataset(rows, options);
  [library, table, trackCount, details] = [data.library, data.columns, data.columns.rows, data.details];
  unpackedColumns.clear();
  orders.clear();
  [lastResult, searchTexts, searchIndexes, allTracks, soundVectors, tempoBins] = [null, null, null, null, null, null];
  charts = [];
  painters.length = 0;
  for (const id of ['#filters', '#charts', '#panel-body']) find(id).replaceChildren();
  find('#panel').hidden = true;
  document.body.classList.remove('has-panel');
  [openTrack, current, view, focusBefore, drawStrips] = [-1, -1, [], null, null];
  Object.assign(state, { query: '', values: {}, sort: '', descending: false, columns: null });
  find('#q').value = '';
  if (location.hash) history.replaceState(null, '', location.pathname);
  makeFilters();
  makeCharts();
  showAddress();
  drawCharts();
  scrollTo(0, 0);
}
const showAll = () => show(ROWS, { library: { problems: PROBLEMS } });
const phone = isOn => { if (isOn) Object.defineProperty(isPhone, 'matches', { value: true, configurable: true }); else delete isPhone.matches; };
const titles = () => stage.texts('#rows .title');
const choose = (select, value) => { find(select).value = value; find(select).dispatchEvent(new Event('change')); };

/* Words and numbers */

tests.words = () => {
  cases('plural', plural, [[0, 'track', '0 tracks'], [1, 'track', '1 track'], [2, 'track', '2 tracks'], [12_345, 'track', '12,345 tracks']]);
  cases('oneDecimal', oneDecimal, [[1.25, '1.3'], [2, '2.0'], [-.04, '-0.0']]);
  cases('signed', signed, [['-14.2', '−14.2'], [-3, '−3'], [3, '3']]);
  cases('percent', percent, [[.004, '0%'], [.005, '1%'], [1, '100%'], [.494, '49%']]);
  cases('known', known, [[0, true], [NaN, false], [-1, true]]);
  cases('shortened', shortened, [['abcd', 4, 'abcd'], ['abcde', 4, 'abcd…'], ['', 0, '']]);
  cases('firstUpper', firstUpper, [['half of', 'Half of'], ['', '']]);
  cases('clock', clock, [[0, '0:00'], [9.49, '0:09'], [9.5, '0:10'], [59.4, '0:59'], [59.5, '1:00'], [187, '3:07'], [3599.4, '59:59'],
    [3599.5, '1:00:00'],
    [3723, '1:02:03'], [36_000, '10:00:00'], [NaN, '–']]);
  cases('span', span, [[29, 'under 1 min'], [30, '1 min'], [3569, '59 min'], [3570, '1 h 0 min'], [23_400, '6 h 30 min'], [359_969, '99 h 59 min'],
    [359_970, '100 h'], [4_500_000, '1,250 h'], [361_800, '101 h']]);
  cases('size', size, [[999, '999 kB'], [1000, '1.0 MB'], [999_000, '999.0 MB'], [1e6, '1.0 GB'], [2_560_000, '2.6 GB']]);
  cases('date', date, [[0, 'Jan 1, 1970'], [20_000, 'Oct 4, 2024']]);
  same(dayAndMonth.format(Date.parse('2026-03-04')), 'Mar 4', 'a day without its year');
  cases('fraction', fraction, [[.1, 'one in ten'], [.114, 'one in ten'], [.115, '12%'], [.086, 'one in ten'], [.116, '12%'], [.084, '8%'],
    [.2, 'one in five'], [.216, '22%'],
    [.214, 'one in five'], [.25, 'one in four'], [.264, 'one in four'], [.266, '27%'], [1 / 3, 'one in three'], [.5, 'half'], [.486, 'half'],
      [.484, '48%'],
    [2 / 3, 'two in three'], [.75, 'three in four'], [.9, 'nine in ten'], [.886, 'nine in ten'], [.884, '88%'], [.004, 'fewer than 1%'], [.005, '1%'],
    [.996, 'more than 99%'], [.995, '100%'], [.4, '40%']]);
  cases('fractionOf', fractionOf, [[1, 'key', 'all keys are'], [.1, 'key', 'one in ten keys is'], [.5, 'key', 'half of the keys are'],
    [2 / 3, 'key', 'two in three keys are'], [.41, 'key', '41% of the keys are'], [.9, 'key', 'nine in ten keys are']]);
  cases('certainty', certainty, [[.9, 'Very likely right'], [.899, 'Probably right'], [.75, 'Probably right'], [.749, 'Worth a listen'],
    [.5, 'Worth a listen'],
    [.499, 'A guess']]);
  cases('barDoubt', barDoubt, [['4/4', 'Beats in 4/4; where bars start is unsure, so not drawn'],
    [null, 'Beats; bar starts are unsure, so not drawn']]);
  cases('folded', folded, [['ABC Def', 'abc def'], ['Ärger ÉCLAIR', 'arger eclair'], ['日本', '日本'], ['\u007f', '\u007f'], ['\u0080É', '\u0080e']]);
};

tests.keysOfMusic = () => {
  const keys = Array.from({ length: 24 }, (_, key) => key);
  same(keys.map(camelot), keys.map(key => `${Math.floor(key / 2) + 1}${'AB'[key % 2]}`), 'Camelot');
  same(keys.map(keyName), ['G♯ minor', 'B major', 'E♭ minor', 'F♯ major', 'B♭ minor', 'D♭ major', 'F minor', 'A♭ major', 'C minor', 'E♭ major',
    'G minor', 'B♭ major',
    'D minor', 'F major', 'A minor', 'C major', 'E minor', 'G major', 'B minor', 'D major', 'F♯ minor', 'A major', 'C♯ minor', 'E major'], 'names');
  same(keys.map(key => keyOf(camelot(key))), keys, 'and back');
  cases('keyOf', keyOf, [['12b', 23], ['1a', 0], ['0A', null], ['13A', null], ['8', null], ['8C', null], ['18A', null], ['', null]]);
  cases('withOwnTempo', withOwnTempo, [[[[120, .8]], 121, [[121, .8]]], [[[60, .2], [103.9, .8]], 100, [[60, .2], [100, .8]]],
    [[[104.1, .8]], 100, [[100, null], [104.1, .8]]], [[[96.1, .8]], 100, [[100, .8]]], [[[95.9, .8]], 100, [[100, null], [95.9, .8]]],
      [[], 90, [[90, null]]]]);
};

tests.numbers = () => {
  same(bytesOf('AAH/'), [0, 1, 255], 'bytes');
  const native = Uint8Array.fromBase64;
  try {
    Uint8Array.fromBase64 = undefined;
    same(bytesOf('AAH/'), [0, 1, 255], 'bytes in an older browser');
    Uint8Array.fromBase64 = text => ['native', text];
    same(bytesOf('AAH/'), ['native', 'AAH/'], 'a browser that can do it does');
  } finally { if (native) Uint8Array.fromBase64 = native; else delete Uint8Array.fromBase64; }
  cases('scaled', scaled, [[[0, 0], [0, 0]], [[1, 4, 2], [.25, 1, .5]], [[], []], [[.5], [1]], [[-1, 1], [-1, 1]]]);
  cases('largest', largest, [[[5, 1, 7, 2], 0, 2, 5], [[5, 1, 7, 2], 1, 3, 7], [[5, 1, 7, 2], 1, 2, 1], [[5, 1, 7, 2], 1.9, 2.9, 1],
    [[5, 1, 7, 2], 1, 1, 1],
    [[5, 1, 7, 2], 2.2, 2.4, 7], [[5, 1, 7, 2], 3, 9, 2], [[5, 1, 7, 2], 7, 9, 0], [[NaN, .5], 0, 2, .5], [[-2], 0, 1, 0]]);
  cases('lowerBound', lowerBound, [[[], 1, 0], [[1, 2, 2, 3], 2, 1], [[1, 2, 2, 3], 2.5, 3], [[1, 2, 2, 3], 0, 0], [[1, 2, 2, 3], 3, 3],
    [[1, 2, 2, 3], 4, 4],
    [[1], 1, 0], [[1, 3, 5, 7, 9], 8, 4]]);
};

tests.markup = () => {
  const node = element('p', { id: 'x', hidden: true, title: false, lang: null, dir: undefined, 'data-n': 0 }, 'a', null, false,
    [element('b', { text: '<i>' }), 'c'], undefined, 0);
  same(node.outerHTML, '<p id="x" hidden="" data-n="0">a<b>&lt;i&gt;</b>c0</p>', 'what is not there is left out');
  same(shape('g', { class: 'a' }).namespaceURI, 'http://www.w3.org/2000/svg', 'shapes are of SVG');
  same(label(1, 2, 'x', { class: 'y' }).outerHTML, '<text x="1" y="2" class="y">x</text>', 'a label');
};

tests.drag = () => {
  const node = element('button', { tabindex: 0 }), moves = [], starts = [];
  document.body.append(node);
  drag(node, event => { starts.push(event.clientX); return next => moves.push(next.clientX); });
  same(stage.pointer(node, 'pointerdown', 10, 0, { button: 1 }), false, 'only the main button drags');
  stage.pointer(node, 'pointermove', 11);
  same([starts, moves, node.dragged], [[], [], undefined], 'and nothing has begun');
  let captured = null;
  node.addEventListener('pointerdown', () => { node.setPointerCapture = id => { captured = id; }; }, { capture: true });
  same(stage.pointer(node, 'pointerdown', 10), true, 'the main button does');
  same([captured, document.activeElement === node, node.dragged], [1, true, false], 'the pointer is held, the node has the focus');
  stage.pointer(node, 'pointermove', 12);
  same([moves, node.dragged], [[12], false], 'two pixels are no drag');
  stage.pointer(node, 'pointermove', 7);
  same([moves, node.dragged], [[12, 7], true], 'three are one');
  for (const [end, at] of [['pointerup', 20], ['pointercancel', 30]]) {
    stage.pointer(node, end);
    moves.length = 0;
    stage.pointer(node, 'pointermove', at);
    same(moves, [], `${end} ends it`);
    stage.pointer(node, 'pointerdown', 10);
    same(node.dragged, false, 'a press begins anew');
  }
  stage.pointer(node, 'pointerup');
  node.remove();
  const plain = element('div');
  document.body.append(plain);
  find('#q').focus();
  drag(plain, () => () => {});
  stage.pointer(plain, 'pointerdown');
  same(document.activeElement.id, 'q', 'what is no tab stop takes no focus');
  plain.remove();
};

/* Drawings */

tests.prints = () => {
  const envelope = Array.from({ length: 480 }, (_, index) => (index * index * 7 + index * 13) % 251);
  for (const diameter of [30, 60, 61]) stage.picture(`print-${diameter}`, print(envelope, diameter).outerHTML.replaceAll('M', '\nM'));
  stage.picture('print-flat', print([3, 3, 3], 30).outerHTML.replaceAll('M', '\nM'));
  same(print([], 30).outerHTML.includes('NaN'), false, 'a print of nothing is drawn');
};

const COLORS = { bar: 'BAR', faint: 'FAINT', accent: 'ACCENT', text: 'TEXT', line: 'LINE', bad: 'BAD' };
const drawing = (act, width = 31, height = 60) => {
  const canvas = document.createElement('canvas'), place = { context: canvas.getContext('2d'), width, height };
  act(place);
  return stage.drawn(canvas);
};
tests.bars = () => {
  const peaks = [.1, .9, .5, 0, 1, .2, .7, .4, .3, .6, .8, .05], levels = peaks.map(value => value * .6), marked = (from, to) => to > .3 && from < .5;
  stage.picture('bars-with-levels', drawing(place => drawBars(place, { peaks, levels }, { middle: 30, bottom: 60, tallest: 56, isMarked: marked },
    COLORS)));
  stage.picture('bars-on-bottom', drawing(place => drawBars(place, { peaks }, { middle: 30, bottom: 60, tallest: 56, isMarked: marked }, COLORS)));
  stage.picture('bars-mirrored', drawing(place => drawBars(place, { peaks }, { middle: 30, tallest: 56, isMarked: marked }, COLORS)));
  const faults = [[10, 12], [0, 60], [50, 50.1], [0, 50.1], [20, 70]];
  stage.picture('faults', drawing(place => drawFaults(place, faults, 100, COLORS), 300));
  same(drawing(place => drawFaults(place, faults, 0, COLORS)), 'fillStyle = BAD', 'no length, no faults');
  same(drawing(place => drawFaults(place, [[0, 50]], 100, COLORS)), 'fillStyle = BAD\nfillRect 0 0 15.5 6', 'half of the track is drawn');
};

tests.seconds = () => {
  const beats = Array.from({ length: 24 }, (_, beat) => 9.5 + beat * .5), onsets = { step: .5,
    values: Array.from({ length: 60 }, (_, index) => index % 7 / 6) };
  const view = { onsets, beats, downbeats: null, start: 10, seconds: 10, duration: 19, areDense: false };
  const draw = more => drawing(place => drawSeconds(place, { ...view, ...more }, COLORS), 40, 100);
  stage.picture('seconds', draw({}));
  stage.picture('seconds-dense', draw({ areDense: true, onsets: null }));
  const downbeats = [10, 12, 14.0009, 16.0011, 18];
  stage.picture('seconds-with-bars', drawing(place => drawSeconds(place, { ...view, onsets: null, downbeats }, COLORS), 200, 100));
  stage.picture('seconds-with-narrow-bars', draw({ onsets: null, downbeats }));
  stage.picture('seconds-at-the-start', draw({ onsets: null, start: -5, beats: [], duration: 100 }));
  stage.picture('seconds-of-few-onsets', drawing(place => drawSeconds(place, { ...view, beats: [], onsets: { step: 4, values: [0, .2, 1, .5] } },
    COLORS), 24, 100));
  same(CLOSE_UP_FOOT, 20, 'room below');
};

tests.canvas = () => {
  const canvas = element('canvas');
  canvas.style.cssText = 'width: 40px; height: 20px; display: block';
  document.body.append(canvas);
  const ratio = Object.getOwnPropertyDescriptor(window, 'devicePixelRatio');
  Object.defineProperty(window, 'devicePixelRatio', { value: 2, configurable: true });
  const place = prepare(canvas);
  same([canvas.width, canvas.height, place.width, place.height, stage.drawn(canvas)], [80, 40, 40, 20, 'scale 2 2'],
    'at the resolution of the screen');
  Object.defineProperty(window, 'devicePixelRatio', { value: undefined, configurable: true });
  prepare(canvas);
  same([canvas.width, canvas.height], [40, 20], 'or of one where it is not known');
  Object.defineProperty(window, 'devicePixelRatio', ratio);
  canvas.remove();
  const before = document.body.childElementCount, colors = themeColors();
  same(document.body.childElementCount, before, 'nothing is left of looking for colors');
  same(Object.keys(colors), Object.keys(COLORS), 'colors');
  const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent-fill').trim(), probe = element('i');
  probe.style.color = accent;
  document.body.append(probe);
  same(colors.accent, getComputedStyle(probe).color, 'the accent is that of the theme');
  same(new Set(Object.values(colors)).size > 4, true, 'and they are different');
  probe.remove();
  same(canvasFont().startsWith('11px '), true, 'the font');
};

/* Data */

tests.data = () => {
  cases('unpacked', unpacked, [
    [{ bytes: 1, data: base64([0, 254, 255]) }, [0, 254, NaN]], [{ bytes: 2, data: base64([1, 0, 0, 1, 255, 255]) }, [1, 256, NaN]],
    [{ bytes: 2, scale: 10, offset: -100, data: base64([0, 0, 110, 0, 254, 255]) }, [-10, 1, 6543.4]],
    [{ bytes: 3, data: base64([0, 0, 1, 255, 255, 254, 255, 255, 255]) }, [65_536, 16_711_679, NaN]]]);
  show([{ title: 'A', file: '/.flac', folder: 'x/y', artist: 'B' }, { title: '  ', file: 'name.with.dots.mp3', folder: '' }, { file: '.hidden' },
    { file: 'plain' }], { root: '/music/' });
  same([0, 1, 2, 3].map(tagTitle), ['A', null, null, null], 'titles without anything to see are none');
  same([0, 1, 2, 3].map(rawTitle), ['A', '  ', null, null], 'titles as they are');
  same([0, 1, 2, 3].map(fileName), ['A.flac', 'name.with.dots.mp3', '.hidden', 'plain'], 'a slash stands for the title');
  same([0, 1, 2, 3].map(trackName), ['A', 'name.with.dots', '.hidden', 'plain'], 'names');
  same([0, 1, 2, 3].map(folderPath), ['/music/x/y', '/music', '/music', '/music'], 'folders');
  same([0, 1].map(path), ['/music/x/y/A.flac', '/music/name.with.dots.mp3'], 'paths');
  same([0, 1].map(lastFolder), ['y/', 'music/'], 'the last folder');
  same([entry('artist', 0), entry('artist', 1), entry('nothing', 0)], ['B', null, null], 'entries');
  same([hasColumn('bpm'), hasColumn('artist'), column('bpm')], [false, true, [NaN, NaN, NaN, NaN]], 'a column that is not there');
  same([column('artist') === column('artist'), table.columns.artist], [true, null], 'a column is unpacked once, and its text let go');
  same(problem(0), null, 'no problem');
  table.columns.title = undefined;
  same(rawTitle(0), null, 'no titles');
  show([{ file: 'a' }, { file: 'b' }], { root: '/' });
  same([folderPath(0), path(0), lastFolder(0)], ['/', '/a', '/'], 'the root of all folders');
  show([{ file: 'a', problem: 1, flags: 5 }], { library: { problems: PROBLEMS } });
  same(problem(0).code, 'unknown_format', 'a problem');
  same([1, 2, 4, 8].map(flag => hasFlag(0, flag)), [true, false, true, false], 'flags are bits');
  same(FLAGS, { isNew: 1, corrected: 2, steady: 4, changing: 8, lossless: 16, lossy: 32, estimated: 64, remarks: 128 }, 'as the program writes them');
  document.body.append(element('script', { type: 'application/json', id: 'probe', text: '{"a":1}' }));
  same([takeJSON('probe'), document.getElementById('probe')], [{ a: 1 }, null], 'data is taken out of the page');
};

/* Filters */

const filterOf = parameter => filters.find(item => item.parameter === parameter);
const matching = (parameter, value) => [...ROWS.keys()].filter(filterOf(parameter).test(value));
const rowsWhere = test => ROWS.map((row, track) => test(row, track) ? track : null).filter(track => track !== null);

tests.filterValues = () => {
  showAll();
  const read = (parameter, text) => filterOf(parameter).read(text);
  cases('read', read, [
    ['bpm', '90-130', [90, 130]], ['bpm', '90.5-130', [90.5, 130]], ['bpm', '90', null], ['bpm', '-90', null], ['bpm', 'a-b', null],
    ['confidence', 'right', 'right'], ['confidence', 'none', 'none'], ['confidence', 'wrong', null], ['key', '8A', 14], ['key', 'none', 'none'],
      ['key', '99Z', null],
    ['lufs', '-14..-9', [-14, -9]], ['lufs', '..-9', [-Infinity, -9]], ['lufs', '-14..', [-14, Infinity]], ['lufs', '..', [-Infinity, Infinity]],
    ['lufs', '1.2.3..4', null], ['lufs', '-..4', null], ['lufs', 'none', 'none'], ['lufs', '-14', [-14, -13]], ['year', '1999', [1999, 2000]],
      ['year', '', null], ['year', 'x', null],
    ['genre', 'House', 'House'], ['genre', '', null], ['folder', '/music/One', '/music/One'], ['status', 'failed', 'failed'],
    ['added', '2023-05-23..2023-05-25', [19_500, 19_502]], ['added', '2023-05-23', null], ['added', '2023-05-23..x', null],
      ['added', '2023-05-23..2023-05-24..2023-05-25', null]]);
  const write = (parameter, value) => filterOf(parameter).write(value);
  cases('write', write, [
    ['bpm', [90, 130], '90-130'], ['confidence', 'right', 'right'], ['key', 14, '8A'], ['key', 'none', 'none'], ['lufs', [-14, -9], '-14..-9'],
    ['lufs', [-Infinity, -9], '..-9'], ['lufs', [-14, Infinity], '-14..'], ['lufs', 'none', 'none'], ['genre', 'House', 'House'],
      ['added', [19_500, 19_502], '2023-05-23..2023-05-25']]);
  const chip = (parameter, value) => filterOf(parameter).chip(value);
  cases('chip', chip, [
    ['bpm', [90, 130], '90–130 BPM'], ['confidence', 'right', 'Tempo: very likely right'], ['confidence', 'probable', 'Tempo: probably right'],
    ['confidence', 'listen', 'Tempo: worth a listen'], ['confidence', 'guess', 'Tempo: a guess'], ['confidence', 'none', 'Tempo: not found'],
    ['key', 14, '8A · A minor'], ['key', 'none', 'No key'], ['lufs', [-14, -9], '−14 to −9 LUFS'], ['lufs', [-Infinity, -9], 'under −9 LUFS'],
      ['lufs', [-14, Infinity], '−14 or more LUFS'],
    ['lufs', 'none', 'No loudness'], ['genre', 'House', 'House'], ['genre', 'none', 'No genre'], ['format', 'none', 'No format'],
      ['year', [1999, 2000], '1999'],
    ['year', [1990, 2000], '1990 to 1999'], ['year', 'none', 'No year'], ['length', [60, 120], '1:00 to 2:00'], ['length', 'none', 'No length'],
      ['rate', [128, 1320], '128 to 1,320 kb/s'],
    ['rate', 'none', 'No bit rate'], ['added', [19_500, 19_502], 'Added May 23, 2023 to May 25, 2023'], ['folder', '/music/Two/Deep/', 'In Deep/'],
      ['folder', '/', 'In //'],
    ['artist', 'none', 'No artist'], ['album', 'none', 'No album'], ['artist', 'Beat', 'Beat'], ['status', 'new', 'New today'],
      ['status', 'problem', 'Any problem'],
    ['status', 'failed', 'Failed'], ['status', 'damaged', 'Damaged'], ['status', 'skipped', 'Not analyzed'],
      ['status', 'corrected', 'Corrected by you'],
    ['status', 'remarks', 'With remarks'], ['status', 'untagged', 'No title and artist'], ['status', 'cut_off', 'Cut off'],
      ['status', 'other', 'Unknown status']]);
  library.run_name = null;
  same(STATUS.new.name(), 'New', 'new without the name of a run');
  same(CONFIDENCE.right.option + CONFIDENCE.probable.option + CONFIDENCE.listen.option + CONFIDENCE.guess.option + CONFIDENCE.none.option,
    'Very likely right (90% or more)Probably right (75 to 90%)Worth a listen (50 to 75%)A guess (under 50%)No tempo found', 'words of the menu');
};

tests.filtersFind = () => {
  showAll();
  const near = (parameter, value, test) => same(matching(parameter, value), rowsWhere(test), `${parameter} ${JSON.stringify(value)}`);
  const notFailed = row => row.status !== 2;
  near('bpm', [74, 81], row => row.bpm >= 74 && row.bpm <= 81);
  same(matching('bpm', [74, 81]).length, 3, 'both bounds of a tempo are within');
  for (const [name, low, high] of [['right', .9, 9], ['probable', .75, .9], ['listen', .5, .75], ['guess', 0, .5]]) {
    near('confidence', name, row => row.confidence != null && row.confidence >= low && row.confidence < high);
  }
  near('confidence', 'none', row => row.bpm == null && notFailed(row));
  near('key', 3, row => row.key === 3);
  near('key', 'none', row => row.key == null && notFailed(row));
  near('lufs', [-23, -16], row => row.loudness >= -23 && row.loudness < -16);
  same(matching('lufs', [-23, -16]).includes(10) && !matching('lufs', [-23, -16]).includes(20), true, 'the lower bound is within, the upper is not');
  near('lufs', 'none', row => row.loudness == null && notFailed(row));
  near('genre', 'Jazz', row => row.genre === 'Jazz');
  near('genre', 'none', row => row.genre == null && notFailed(row));
  same(matching('genre', 'Unheard'), [], 'a genre that no track has');
  near('year', [1990, 1992], row => row.year >= 1990 && row.year < 1992);
  near('added', [19_503, 19_505], row => row.added >= 19_503 && row.added <= 19_505);
  near('folder', '/music/Two', row => row.folder === 'Two/Deep');
  near('folder', '/music/Two/Deep/', row => row.folder === 'Two/Deep');
  near('folder', '/music/', () => true);
  near('artist', 'none', row => row.artist == null && notFailed(row));
  near('status', 'new', (_, track) => track === 1);
  near('status', 'problem', (_, track) => [36, 37, 38].includes(track));
  near('status', 'failed', (_, track) => track === 37);
  near('status', 'damaged', (_, track) => track === 36);
  near('status', 'skipped', (_, track) => track === 38);
  near('status', 'corrected', (_, track) => track === 2);
  near('status', 'remarks', (_, track) => track === 3);
  near('status', 'cut_off', (_, track) => track === 36);
  show([{}, { artist: 'A' }, { title: 'T' }, { status: 2 }, { status: 1 }, { status: 3 }]);
  same([0, 1, 2, 3, 4, 5].filter(filterOf('status').test('untagged')), [0, 4], 'neither title nor artist');
};

/* State and address */

tests.address = async () => {
  showAll();
  await stage.pass(1000);
  const fragment = 'q=title&bpm=70-120&key=2B&lufs=-20..&genre=Jazz&status=problem&sort=-bpm&columns=bpm%2Cgenre&track=%2Fmusic%2FOne%2F00+file.flac';
  same(readState(`${fragment}&nonsense=1&year=x`), '/music/One/00 file.flac', 'the track');
  same(state, { query: 'title', values: { bpm: [70, 120], key: 3, lufs: [-20, Infinity], genre: 'Jazz', status: 'problem' }, sort: 'bpm',
    descending: true, columns: ['bpm', 'genre'] },
    'the state; what is not known is left out');
  openTrack = 0;
  same(stateFragment(), fragment, 'and written as it was read');
  openTrack = -1;
  same(readState('sort=nonsense&columns=bpm,nonsense'), null, 'no track');
  same([state.sort, state.descending, state.columns, state.query, state.values], ['', false, ['bpm'], '', {}], 'an order that is not known is none');
  readState('');
  same([state.columns, stateFragment()], [['bpm'], 'columns=bpm'], 'columns stay if the address has none');
  state.columns = null;
  readState('sort=key');
  same([state.sort, state.descending, stateFragment()], ['key', false, 'sort=key'], 'ascending');
  Object.assign(state, { sort: '', query: 'x' });
  writeAddress();
  await stage.pass(199);
  same(location.hash, '', 'the address waits until typing pauses');
  state.query = 'xy';
  writeAddress();
  await stage.pass(199);
  same(location.hash, '', 'and again');
  await stage.pass(1);
  same(location.hash, '#q=xy', 'then it has the search');
  state.query = '';
  writeAddress();
  await stage.pass(200);
  same(location.hash, '', 'and none without one');
  history.replaceState(null, '', '#tracks');
  writeAddress();
  await stage.pass(200);
  same(location.hash, '#tracks', 'a place on the page stays');
  history.replaceState(null, '', location.pathname);
};

tests.toggling = async () => {
  showAll();
  toggleFilter('genre', 'Jazz');
  same(state.values.genre, 'Jazz', 'set');
  same(stage.texts('.chip .tag'), [], 'shown in the next frame');
  await stage.pass(16);
  same(stage.texts('.chip .tag'), ['Jazz'], 'shown');
  toggleFilter('bpm', [60, 90]);
  toggleFilter('bpm', [60, 91]);
  same(state.values.bpm, [60, 91], 'another value');
  toggleFilter('bpm', [60, 91]);
  same(state.values.bpm, null, 'the same value takes it away');
  find('#q').value = state.query = 'x';
  clearFilters();
  await stage.pass(16);
  same([state.values, state.query, find('#q').value, stage.texts('.chip')], [{}, '', '', []], 'all taken away');
  const applied = stage.timers();
  applySoon();
  applySoon();
  same(stage.timers(), applied + 1, 'once for a frame');
  await stage.pass(16);
};

/* Search and order */

tests.search = () => {
  showAll();
  searchTexts = null;
  same([prepareSearch(30), searchTexts.length, prepareSearch(9), searchTexts.length, prepareSearch(1), searchTexts.length, prepareSearch(5)],
    [false, 30, false, 39, true, 40, true], 'texts are folded a part at a time');
  same(searchTexts[8], '\n08 file.flac', 'the file stands for a title that is not there');
  const all = Uint32Array.from(ROWS.keys()), found = word => [...withWord(word, all)];
  same(found('title 03'), [3], 'by title');
  same(found('08 file'), [8], 'by file');
  same(found('arger'), rowsWhere(row => row.artist === 'Ärger'), 'by artist, without accents');
  same(found('album'), rowsWhere(row => row.album), 'by album');
  same(found('jazz'), rowsWhere(row => row.genre === 'Jazz'), 'by genre');
  same(found('/music/two/'), rowsWhere(row => row.folder === 'Two/Deep'), 'by folder');
  same([...withWord('title', Uint32Array.of(8, 3))], [3], 'among some');
  const finding = query => { state.query = query; apply(); return [...view]; };
  same(finding('Beat Title'), rowsWhere(row => row.artist === 'Beat' && row.title), 'each word somewhere');
  same(finding('jazz/beat'), rowsWhere(row => row.genre === 'Jazz' && row.artist === 'Beat'), 'a slash parts words');
  same(finding(''), [...ROWS.keys()], 'no words');
  finding('title');
  const searched = lastResult.view.length;
  same(finding('title 1').length < searched, true, 'a longer query searches the last result');
  same(finding('title 0').length, rowsWhere((row, track) => row.title && String(track).padStart(2, '0').includes('0')).length,
    'a query that is no longer one searches all');
  state.values.genre = 'Jazz';
  same(finding('title 0 '), rowsWhere((row,
    track) => row.genre === 'Jazz' && row.title && track < 10 || row.genre === 'Jazz' && row.title && row.title.includes('0')),
    'with a filter, in its tracks');
  state.values = {};
  state.query = '';
  apply();
  same(viewDuration, ROWS.reduce((sum, row) => sum + (row.duration ?? 0), 0), 'length of all that is shown');
  openTrack = 5;
  apply();
  same(current, 5, 'the open track keeps its place');
  openTrack = -1;
  apply();
  same(current, -1, 'or there is none');
};

tests.order = () => {
  show([{ bpm: 3 }, { bpm: null }, { bpm: 1 }, { bpm: 3 }, { bpm: null }]);
  cases('order', (...values) => [...order(...values)], [['', false, [0, 1, 2, 3, 4]], ['bpm', false, [2, 0, 3, 1, 4]],
    ['bpm', true, [0, 3, 2, 1, 4]]]);
  same(order('bpm', true) === order('bpm', true), true, 'kept');
};

tests.idle = async () => {
  showAll();
  searchTexts = null;
  trackCount = 40;
  stage.idle.length = 0;
  whenIdle(() => prepareSearchWhenIdle());
  await stage.pass(20);
  same([searchTexts.length, stage.idle], [40, [1000]], 'search is prepared when there is time');
  const idle = window.requestIdleCallback;
  window.requestIdleCallback = undefined;
  let done = false;
  whenIdle(() => { done = true; });
  await stage.pass(49);
  same(done, false, 'or soon');
  await stage.pass(1);
  same(done, true, 'in other browsers');
  window.requestIdleCallback = idle;
};

/* Columns */

const roomFor = pixels => { find('#grid').parentNode.style.cssText = `box-sizing: border-box; padding: 0; margin: 0; width: ${pixels}px; max-width: none`;
  };
tests.columns = () => {
  showAll();
  const ids = () => shownColumns.map(({ id }) => id), at = room => { roomFor(room); chooseColumns(); return [ids(), hiddenForWidth]; };
  const all = ['title', 'artist', 'album', 'bpm', 'key', 'loudness', 'length', 'format', 'year'];
  const needed = [170, 110, 110, 132, 48, 56, 64, 92, 44].reduce((sum, width) => sum + width + 16, 16) + 16;
  same(at(needed), [all, 0], 'all have room');
  same(at(needed - 1), [all.filter(id => id !== 'album'), 1], 'the highest rank goes first');
  same(at(572), [['title', 'artist', 'bpm', 'length'], 5], 'and so on');
  same(at(571), [['title', 'artist', 'bpm'], 6], 'to the last');
  same(at(100), [['title'], 8], 'the title stays');
  phone(true);
  same(at(100), [all, 0], 'phones show them below one another');
  phone(false);
  state.columns = ['genre', 'folder', 'bpm'];
  same(at(598), [['title', 'bpm', 'genre', 'folder'], 0], 'chosen ones');
  same(at(597), [['title', 'bpm', 'genre'], 1], 'of those without a rank the last goes first');
  state.columns = null;
  isPrinting = true;
  same(at(5000), [['title', 'artist', 'bpm', 'key', 'length'], 4], 'paper has a width of its own');
  isPrinting = false;
  at(1200);
  same(find('#grid').style.getPropertyValue('--columns'), '16px minmax(0,2.5fr) minmax(0,1.3fr) minmax(0,1.2fr) 132px 48px 56px 64px 92px 44px',
    'widths');
  stage.picture('columns', tableColumns.map(({ id, label, name, width, share, rank, chosen, class: classes, text }) =>
    [id, label, name, width, share, rank, chosen, classes, text ? text(0) : ''].join(' | ')).join('\n'));
  same([tableColumn('bpm').id, tableColumn('none'), isTableColumn('key'), isTableColumn('none')], ['bpm', undefined, true, false], 'by name');
  for (const [id, name] of [['title', 'title_rank'], ['length', 'duration'], ['format', 'codec'], ['bpm', 'bpm'], ['artist', 'artist']]) {
    same(tableColumn(id).values() === column(name), true, `${id} is sorted by ${name}`);
  }
  find('#grid').parentNode.style.cssText = '';
};

tests.head = () => {
  showAll();
  roomFor(1200);
  chooseColumns();
  sortBy('bpm');
  stage.picture('head', find('#head'));
  same(find('#grid').getAttribute('aria-colcount'), '10', 'columns are counted with the one of the status');
  same([state.sort, state.descending], ['bpm', false], 'ascending');
  const heading = id => find(`#head [data-column=${id}]`);
  heading('bpm').querySelector('button').focus();
  heading('bpm').querySelector('button').click();
  same([state.sort, state.descending, heading('bpm').getAttribute('aria-sort'), document.activeElement.parentNode.dataset.column,
    find('#sort').value],
    ['bpm', true, 'descending', 'bpm', '-bpm'], 'descending; the focus stays');
  heading('bpm').querySelector('button').click();
  same([state.sort, state.descending], ['', false], 'the order of folders');
  sortBy('key');
  sortBy('key');
  sortBy('year');
  same([state.sort, state.descending], ['year', false], 'another column begins ascending');
  same(titles()[0], 'Title 00', 'and the rows follow');
  heading('album').querySelector('button').focus();
  state.columns = ['bpm'];
  chooseColumns();
  same(document.activeElement.id, 'q', 'a heading that goes leaves the focus to the search');
  document.activeElement.blur();
  paintHead();
  same(document.activeElement === document.body, true, 'no focus is taken');
  find('#grid').parentNode.style.cssText = '';
};

tests.cells = () => {
  show([
    { title: 'T'.repeat(301), file: 'a.mp3', artist: 'A'.repeat(201), bpm: 120.04, confidence: .497, flags: 32, codec: 'MP3', bit_rate: 1320,
      folder: 'x/Last' },
    { file: 'b.flac', bpm: 99, confidence: .5, flags: 2 + 16, codec: 'FLAC', bit_rate: 900, folder: 'x/Last' },
    { file: 'c.mp3', status: 0, tempo_reason: 'no_pulse', flags: 32, codec: 'MP3' }, { file: 'd', tempo_reason: 'silence' },
      { file: 'e', tempo_reason: 'too_short' },
    { file: 'f', status: 2, tempo_reason: 'silence' }, { file: 'g', tempo_reason: 'odd' }, { file: 'h', bpm: 90, confidence: .2, flags: 2 }]);
  const cell = (act, track) => { const node = element('td'); act(track, node); return node; };
  same(cell(titleCell, 0).textContent.length, 301, 'long titles are cut');
  same([0, 1].map(track => cell(titleCell, track).className), ['title tag', 'title tag untitled'], 'files without a title look so');
  same(cell(titleCell, 1).textContent, 'b.flac', 'and have their name');
  same(cell(artistCell, 0).textContent.length, 201, 'long artists are cut');
  same(cell(artistCell, 1).outerHTML, '<td><span class="dim">Last/</span></td>', 'the folder stands for an artist');
  same([0, 1, 2, 3].map(formatText), ['MP3 1,320', 'FLAC', 'MP3', null], 'formats; the rate of lossy ones');
  stage.picture('tempo-cells', [0, 1, 2, 3, 4, 5, 6, 7].map(track => outline(cell(tempoCell, track))).join(''));
};

tests.status = () => {
  show([{ status: 2 }, { status: 1 }, { status: 3 }, { flags: 1 }, {}, { status: 2, flags: 1 }]);
  stage.picture('status', [0, 1, 2, 3, 5].map(track => outline(statusShape(track))).join(''));
  same(statusShape(4), null, 'nothing to say');
};

/* Rows */

const many = count => Array.from({ length: count }, (_, track) => ({ title: `T${track}`, artist: track % 2 ? 'A' : null, bpm: 60 + track,
  confidence: .9 }));
/** As if the table were scrolled so far above the window. */
const scrolled = pixels => { find('#rows').getBoundingClientRect = () => ({ top: -pixels, bottom: 0 }); };
const unscrolled = () => { delete find('#rows').getBoundingClientRect; };

tests.rowsInSight = () => {
  show(many(300));
  const painted = pixels => { scrolled(pixels); paintRows(true); return [firstRow, lastRow, find('#rows').children.length]; };
  const inSight = Math.ceil(900 / 36);
  same(innerHeight, 900, 'the window');
  same(painted(0), [0, inSight + 10, inSight + 10 + 1], 'at the top');
  same(painted(-2000), [0, 20, 21], 'above the table');
  same(painted(36 * 10), [0, inSight + 20, inSight + 21], 'ten rows further');
  same(painted(36 * 11), [1, inSight + 21, inSight + 22], 'and one more');
  same(painted(36 * 11 + 1), [1, inSight + 22, inSight + 23], 'and a pixel');
  same(painted(36 * 260), [250, 295, 47], 'near the end');
  same(painted(36 * 290), [280, 300, 21], 'at the end');
  same(painted(36 * 900), [280, 300, 21], 'far beyond the end');
  same([...find('#rows').children].map(row => row.style.height).filter(Boolean), [`${280 * 36}px`], 'room for those above');
  painted(36 * 100);
  same([...find('#rows').children].map(row => row.style.height).filter(Boolean), [`${90 * 36}px`, `${(300 - 135) * 36}px`], 'and below');
  const first = find('#rows tr.row');
  paintRows(false);
  same(first.isConnected, true, 'the same rows are not made again');
  paintRows(true);
  same(first.isConnected, false, 'unless they must be');
  scrolled(36 * 101);
  paintRows(false);
  same([firstRow, lastRow], [91, 136], 'others are');
  phone(true);
  same(painted(60 * 100), [90, 125, 37], 'rows of a phone are taller');
  phone(false);
  isPrinting = true;
  same(painted(9000), [0, 300, 300], 'paper has all');
  show(many(520));
  same(painted(0), [0, 500, 500], 'but at most 500');
  same(find('#print-note').textContent, 'The first 500 of 520 rows.', 'and says so');
  isPrinting = false;
  show(many(15));
  same(painted(36 * 20), [0, 15, 15], 'few rows are all there');
  show(many(500));
  same([find('#print-note').textContent, find('#grid').getAttribute('aria-rowcount')], ['', '501'], 'rows with the heading');
  unscrolled();
};

tests.row = () => {
  showAll();
  roomFor(1200);
  chooseColumns();
  stage.picture('row', outline(makeRow(0)) + outline(makeRow(1)) + outline(makeRow(37)));
  same([0, 1].map(position => makeRow(position).getAttribute('tabindex')), ['0', '-1'], 'the first row is the tab stop');
  current = 1;
  same([0, 1].map(position => makeRow(position).getAttribute('tabindex')), ['-1', '0'], 'or the current one');
  openTrack = 1;
  same([makeRow(1).className, makeRow(1).getAttribute('aria-selected'), makeRow(0).className, makeRow(0).getAttribute('aria-selected')],
    ['row open', 'true', 'row', null], 'the open one');
  openTrack = -1;
  show([{ file: 'a', album: 'x'.repeat(201) }]);
  same(stage.text('#rows .album').length, 201, 'long texts are cut');
  find('#grid').parentNode.style.cssText = '';
};

tests.goTo = async () => {
  show(many(300));
  const scrolls = stage.spy(window, 'scrollTo'), by = stage.spy(window, 'scrollBy');
  Object.defineProperty(find('#tools'), 'offsetHeight', { value: 80, configurable: true });
  same(headHeight(), 113, 'the tools and the heading stay in sight');
  phone(true);
  same(headHeight(), 80, 'phones have no heading');
  phone(false);
  const to = (top, position) => { scrolls.length = 0; find('#rows').getBoundingClientRect = () => ({ top }); goTo(position);
    return [current, scrolls.flat()]; };
  same(to(200, 0), [0, []], 'a row in sight needs no scrolling');
  same(to(113, 0), [0, []], 'just below the heading');
  same(to(112, 0), [0, [0, -1 + scrollY]], 'behind it');
  same(to(900 - 36, 0), [0, []], 'just above the end of the window');
  same(to(900 - 35, 0), [0, [0, 1 + scrollY]], 'beyond it');
  same(to(200, 500), [299, [0, 200 + 299 * 36 + 36 - 900]], 'not beyond the last');
  same(to(200, -5)[0], 0, 'nor before the first');
  same(document.activeElement.dataset.position, '0', 'the row has the focus');
  const first = top => { by.length = 0; find('#rows').getBoundingClientRect = () => ({ top }); showFirstRow(); return by.flat(); };
  same(first(113), [], 'the first row is in sight');
  same(first(112), [0, -1], 'or scrolled to');
  const open = (top, position) => { by.length = 0; current = position; find('#rows').getBoundingClientRect = () => ({ top }); scrollRowIntoView();
    return by.flat(); };
  same(open(113, 0), [], 'the row of the panel is in sight');
  same(open(112, 0), [0, -1], 'above');
  same(open(864, 0), [], 'at the end');
  same(open(864, 1), [0, 36], 'below');
  same(open(864, -1), [], 'none');
  phone(true);
  same(open(0, 5), [], 'phones show the sheet');
  phone(false);
  show([]);
  current = 7;
  goTo(3);
  same(current, 7, 'no rows');
  unscrolled();
  delete find('#tools').offsetHeight;
  scrolls.restore();
  by.restore();
};

/* Status line, menus */

tests.counts = async () => {
  showAll();
  const words = (tracks, all) => rowWords(tracks, all);
  cases('rowWords', words, [[[0], null, '1 track'], [[0, 1], null, '2 tracks'], [[], null, '0 tracks'], [[0, 36, 37], null, '2 tracks, 1 failed'],
    [[37, 38], null, '0 tracks, 1 failed, 1 not analyzed'], [[0, 1], 2, '2 tracks'], [[0], 2, '1 of 2 tracks'], [[0], 1, '1 track'],
      [[], 1, '0 of 1 track']]);
  same(countOfTracks(), 38, 'files that failed are no tracks');
  same(stage.text('#status .count'), `38 tracks, 1 failed, 1 not analyzed · ${span(viewDuration)}`, 'the status');
  same(stage.texts('#status button'), [], 'no filter, no buttons');
  state.query = 'title';
  apply();
  same([stage.text('#status .count').split(' ·')[0], stage.texts('#status button')], ['34 of 38 tracks, 1 failed, 1 not analyzed', ['Clear all']],
    'a search');
  state.values.genre = 'Jazz';
  state.query = 'zzz';
  apply();
  same([stage.text('#status .count'), find('#empty').hidden, find('#grid').hidden, stage.text('#empty b'), stage.text('#empty span')],
    ['0 of 38 tracks', false, true, 'No tracks match.', 'Remove a filter, or search for fewer words.'], 'nothing is found');
  const chip = find('.chip');
  same([chip.textContent, chip.getAttribute('aria-label')], ['Jazz×', 'Remove filter: Jazz'], 'a chip');
  await stage.pass(499);
  same(stage.text('#live') === 'No tracks match.', false, 'not told at once');
  await stage.pass(1);
  same(stage.text('#live'), 'No tracks match.', 'told after typing');
  document.activeElement.blur();
  chip.click();
  await stage.pass(16);
  same([state.values.genre, document.activeElement.id, stage.texts('.chip')], [null, 'q', []], 'a click removes the filter');
  document.activeElement.blur();
  find('#status .link').click();
  await stage.pass(600);
  same([state.query, document.activeElement.id, find('#empty').hidden, find('#grid').hidden, stage.text('#live')],
    ['', 'q', true, false, '38 tracks, 1 failed, 1 not analyzed'], 'Clear all');
  state.values.genre = 'G'.repeat(90);
  apply();
  same(stage.text('.chip .tag').length, 81, 'long chips are cut');
  show([]);
  same([stage.text('#empty b'), stage.text('#empty span'), stage.text('#status .count')], ['No tracks yet.', 'Run analyze on a folder with music.',
    '0 tracks'], 'an empty library');
};

tests.menus = async () => {
  showAll();
  const options = name => stage.texts(`[data-filter=${name}] option`);
  same(counted('codec'), [['FLAC', 20], ['MP3', 20]], 'counted');
  same(counted('genre').map(([, count]) => count), counted('genre').map(([, count]) => count).sort((a, b) => b - a), 'the most first');
  same(options('confidence'), ['Confidence', 'Very likely right (90% or more)', 'Probably right (75 to 90%)', 'Worth a listen (50 to 75%)',
    'A guess (under 50%)', 'No tempo found'], 'confidence');
  same([options('genre')[0], options('genre')[1], options('genre').at(-1)], ['Genre', `${counted('genre')[0].join(' (')})`, 'No genre'],
    'genres with counts');
  same(options('format'), ['Format', 'FLAC (20)', 'MP3 (20)'], 'formats');
  same(options('status'), ['Status', 'New today', 'Any problem', 'Failed', 'Damaged', 'Not analyzed', 'Corrected by you', 'With remarks', 'Cut off',
    'No audio', 'Too long'], 'those that a file has');
  same(stage.texts('#sort option'), ['Sort: folder', 'Title, A to Z', 'Artist, A to Z', 'Slowest first', 'Fastest first', 'Key', 'Quietest first',
    'Loudest first', 'Shortest first', 'Longest first',
    'Oldest first', 'Newest first'], 'orders');
  same([...find('#sort').options].map(each => each.value), ['', 'title', 'artist', 'bpm', '-bpm', 'key', 'loudness', '-loudness', 'length',
    '-length', 'year', '-year'], 'their values');
  stage.picture('menus', find('#filters'));
  choose('[data-filter=genre]', 'Jazz');
  await stage.pass(16);
  same([state.values.genre, find('[data-filter=genre]').parentNode.className, find('[data-filter=format]').parentNode.className],
    ['Jazz', 'field on', 'field'], 'a choice');
  choose('[data-filter=genre]', '');
  await stage.pass(16);
  same([state.values.genre, find('[data-filter=genre]').parentNode.className], [null, 'field'], 'no choice');
  choose('#sort', '-bpm');
  same([state.sort, state.descending, titles()[0]], ['bpm', true, 'Title 36'], 'an order');
  same(find('#head [data-column=bpm]').getAttribute('aria-sort'), 'descending', 'in the heading too');
  choose('#sort', 'bpm');
  same([state.sort, state.descending], ['bpm', false], 'and the other');
  show([{ file: 'a', codec: 'FLAC' }]);
  same([options('format'), options('genre'), options('confidence'), find('#mini'), options('status')],
    [[], [], [], null, ['Status', 'No title and artist']], 'nothing to choose');
  show([{ codec: 'FLAC', genre: 'g'.repeat(90), title: 'T' }, { codec: 'MP3', title: 'U' }]);
  same([options('format'), options('genre')[1].length, options('status')], [['Format', 'FLAC (1)', 'MP3 (1)'], 81, []],
    'two formats, a long genre, nothing wrong');
  show(Array.from({ length: 70 }, (_, track) => ({ genre: `g${track}`, title: 'T' })));
  same(options('genre').length, 62, 'at most sixty genres');
};

tests.columnMenu = async () => {
  localStorage.removeItem('nocturne-columns');
  showAll();
  roomFor(1200);
  chooseColumns();
  paintColumnMenu();
  const box = id => find(`.menu input[data-column=${id}]`),
    checked = () => [...document.querySelectorAll('.menu input:checked')].map(input => input.dataset.column);
  const usual = ['artist', 'album', 'bpm', 'key', 'loudness', 'length', 'format', 'year'];
  same([checked(), box('title'), stage.text('#columns-note')], [usual, null, ''], 'the usual ones');
  const click = id => { box(id).checked = !box(id).checked; box(id).dispatchEvent(new Event('change')); };
  click('genre');
  same([state.columns, localStorage.getItem('nocturne-columns'), shownColumns.some(({ id }) => id === 'genre')],
    [[...usual, 'genre'], [...usual, 'genre'].join(), true], 'one more');
  same(Boolean(find('#rows td.genre')), true, 'in the rows too');
  await stage.pass(200);
  same(location.hash, `#columns=${[...usual, 'genre'].join('%2C')}`, 'in the address');
  click('genre');
  same([state.columns, localStorage.getItem('nocturne-columns')], [null, null], 'the usual ones are no choice');
  roomFor(880);
  chooseColumns();
  paintColumnMenu();
  same(stage.text('#columns-note'), '1 chosen column has no room in this window.', 'one has no room');
  roomFor(830);
  chooseColumns();
  paintColumnMenu();
  same(stage.text('#columns-note'), '2 chosen columns have no room in this window.', 'two have none');
  roomFor(880);
  click('album');
  same(stage.text('#columns-note'), '', 'all have room');
  click('album');
  const menu = find('#columns-menu');
  menu.open = true;
  menu.querySelector('legend').click();
  same(menu.open, true, 'a click in the menu keeps it');
  document.body.click();
  same(menu.open, false, 'one elsewhere closes it');
  find('#grid').parentNode.style.cssText = '';
};

tests.remembering = () => {
  remember('probe', 'x');
  same([remembered('probe'), localStorage.getItem('nocturne-probe')], ['x', 'x'], 'kept');
  remember('probe', null);
  same([remembered('probe'), localStorage.getItem('nocturne-probe')], [null, null], 'forgotten');
  const refusing = Object.getOwnPropertyDescriptor(window, 'localStorage');
  Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); }, configurable: true });
  remember('probe', 'x');
  same(remembered('probe'), null, 'where storage is refused, nothing is kept');
  Object.defineProperty(window, 'localStorage', refusing);
};

/* Charts */

/** A place for a chart, so many pixels wide. */
const hostOf = (width, act) => {
  const host = element('div');
  host.style.width = `${width}px`;
  document.body.append(host);
  try { return act(host); } finally { host.remove(); }
};

tests.scales = () => {
  cases('scaleFor', scaleFor, [[0, { step: 1, top: 1 }], [1, { step: 1, top: 1 }], [3, { step: 1, top: 3 }], [4, { step: 2, top: 4 }],
    [6, { step: 2, top: 6 }], [7, { step: 5, top: 10 }],
    [9, { step: 5, top: 10 }], [10, { step: 5, top: 10 }], [15, { step: 5, top: 15 }], [16, { step: 10, top: 20 }], [59, { step: 20, top: 60 }],
      [61, { step: 50, top: 100 }],
    [99, { step: 50, top: 100 }], [100, { step: 50, top: 100 }], [999, { step: 500, top: 1000 }]]);
  cases('leftOf', leftOf, [[{ top: 1 }, 36], [{ top: 100 }, 36], [{ top: 1000 }, 49], [{ top: 10_000 }, 56]]);
  stage.picture('grid-lines', gridLines({ step: 500, top: 1000 }, 40, 100, value => 90 - value / 20).map(node => outline(node)).join('')
    + axisNames(100, 50, 'Tempo', 'Tracks').map(node => outline(node)).join(''));
  same([tallHeight(), BOTTOM, TOP, SHORT_CHART], [270, 36, 18, 200], 'heights');
  phone(true);
  same(tallHeight(), 230, 'lower on a phone');
  phone(false);
};

tests.roving = () => {
  const shapes = [0, 1, 2, 3].map(() => shape('g')), chosen = [], svg = shape('svg', {}, shapes);
  document.body.append(svg);
  roving(shapes, index => chosen.push(index));
  const stops = () => shapes.map(node => node.getAttribute('tabindex')).join(' '), at = () => shapes.indexOf(document.activeElement);
  same(stops(), '0 -1 -1 -1', 'one is a tab stop');
  const heard = [];
  const listen = event => heard.push(event.key);
  document.body.addEventListener('keydown', listen);
  const press = (from, key) => { shapes[from].focus(); const taken = stage.key(shapes[from], key); return [taken, at(), stops()]; };
  cases('press', press, [[0, 'ArrowRight', [true, 1, '-1 0 -1 -1']], [1, 'ArrowDown', [true, 2, '-1 -1 0 -1']],
    [2, 'ArrowLeft', [true, 1, '-1 0 -1 -1']],
    [2, 'ArrowUp', [true, 1, '-1 0 -1 -1']], [0, 'ArrowUp', [true, 0, '0 -1 -1 -1']], [0, 'ArrowLeft', [true, 0, '0 -1 -1 -1']],
      [1, 'End', [true, 3, '-1 -1 -1 0']], [3, 'ArrowRight', [true, 3, '-1 -1 -1 0']],
    [2, 'Home', [true, 0, '0 -1 -1 -1']]]);
  same(heard, [], 'the table does not move with them');
  same([stage.key(shapes[2], 'Enter'), stage.key(shapes[1], ' '), stage.key(shapes[1], 'x'), chosen, heard], [true, true, false, [2, 1], ['x']],
    'Enter and the space bar choose');
  shapes[3].dispatchEvent(new MouseEvent('click'));
  same(chosen, [2, 1, 3], 'and a click');
  document.body.removeEventListener('keydown', listen);
  svg.remove();
};

tests.columnChart = () => {
  showAll();
  const bins = [{ from: 0, to: 1, count: 3, says: 'A' }, { from: 1, to: 2, count: 0, says: 'B' }, { from: 2, to: 3, count: 1, says: 'C' }];
  const make = (host, more) => columnChart(host, { bins, parameter: 'year', axis: 'Year', tick: bin => bin.from, height: 120, ...more });
  hostOf(236, host => {
    const paint = make(host, { reference: { index: 1, text: 'here' } });
    paint();
    stage.picture('column-chart', host.firstChild);
    const looks = () => [...host.querySelectorAll('.spot')].map(spot => [spot.getAttribute('aria-pressed'), spot.lastChild.getAttribute('class')]);
    for (const [value, wanted] of [[[0, 1], ['bar on', 'bar off']], [[1, 2], ['bar off', 'bar off']], [[.5, 2.5], ['bar on', 'bar on']],
      [[3, 4], ['bar off', 'bar off']],
      ['none', ['bar off', 'bar off']], [null, ['bar', 'bar']]]) {
      state.values.year = value;
      paint();
      same(looks(), wanted.map(look => [String(look === 'bar on'), look]), JSON.stringify(value));
    }
    host.querySelectorAll('.spot')[1].dispatchEvent(new MouseEvent('click'));
    same(state.values.year, [2, 3], 'a click filters');
  });
  hostOf(41, host => { make(host, { middle: true, tick: (bin, index) => index ? `t${index}` : null });
    stage.picture('column-chart-narrow', host.firstChild); });
};

tests.distributions = () => {
  show([{ bpm: 5 }, { bpm: null }, { bpm: 1 }, { bpm: 9 }, { bpm: 7 }]);
  const { values, count, quantile } = distribution('bpm');
  same([values, count, [0, .25, .5, .75, 1].map(quantile)], [[1, 5, 7, 9], 4, [1, 5, 7, 9, 9]], 'sorted, without unknown ones');
  const bins = (...counts) => counts.map((count, index) => ({ from: index * 10, to: index * 10 + 10, count }));
  cases('narrowestHalf', narrowestHalf, [[bins(1, 5, 1), { from: 10, to: 20, count: 5, total: 7 }],
    [bins(5, 0, 5), { from: 0, to: 10, count: 5, total: 10 }],
    [bins(2, 3, 3, 2, 1), { from: 10, to: 30, count: 6, total: 11 }], [bins(3, 2, 4, 1), { from: 10, to: 30, count: 6, total: 10 }],
    [bins(1), { from: 0, to: 10, count: 1, total: 1 }], [[], null], [bins(1, 1, 1, 1), { from: 0, to: 20, count: 2, total: 4 }]]);
  const says = (from, to) => `${from}..${to}`, counts = (values, ...rest) => binned(values, ...rest,
    says).map(bin => [bin.from, bin.to, bin.count, bin.says]);
  same(counts([1, 2, 3.9], 0, 4, 2), [[0, 2, 1, '0..2'], [2, 4, 2, '2..4']], 'bins');
  same(counts([-5, 0, 4, 9], 0, 4, 2), [[-Infinity, 2, 2, '-Infinity..2'], [2, Infinity, 2, '2..Infinity']], 'what lies beyond is in the ends');
  same(counts([0, 3.99], 0, 4, 2).map(([from, to]) => [from, to]), [[0, 2], [2, 4]], 'which say so');
  same(counts([0, 4], 0, 4, 2).map(([from, to]) => [from, to]), [[0, 2], [2, Infinity]], 'only then');
};

/* The tempo histogram */

tests.tempoBins = () => {
  show([{ bpm: 49, confidence: .5 }, { bpm: 50 }, { bpm: 54.9, confidence: 1 }, { bpm: 55, confidence: .25 }, { bpm: 199 },
    { bpm: 200, confidence: 1 }, { bpm: null, confidence: .7 }]);
  const bins = countTempos();
  same([bins.length, bins[0], bins[1], bins.at(-1)], [30, { from: 50, to: 55, count: 3, weight: 1.5 }, { from: 55, to: 60, count: 1, weight: .25 },
    { from: 195, to: 200, count: 2, weight: 1 }], 'bins');
};

tests.brush = async () => {
  showAll();
  tempoBins = countTempos();
  for (const [name, width, height, isLarge] of [['brush-large', 344, 150, true], ['brush-small', 150, 28, false]]) {
    hostOf(width, host => {
      state.values = {};
      const paint = brush(host, width, height, isLarge);
      paint();
      stage.picture(name, host.firstChild);
      state.values.bpm = [80, 121];
      paint();
      stage.picture(`${name}-filtered`, [...host.querySelectorAll('.bar, .handle, .brush-window')].map(node => outline(node)).join('') + host.firstChild.getAttribute('class')
        + (isLarge ? '' : find('#mini-text').textContent));
      state.values.bpm = [20, 300];
      paint();
      same([...host.querySelectorAll('.handle')].map(node => node.getAttribute('aria-valuenow')), ['50', '200'], 'handles stay within');
    });
  }
  state.values = {};
  const host = element('div');
  document.body.append(host);
  const left = leftOf(scaleFor(Math.max(...tempoBins.map(bin => bin.count)))), paint = brush(host, left + 300 + 8, 150, true), svg = host.firstChild;
  svg.getBoundingClientRect = () => ({ left: 100, width: (left + 308) * 2 });
  const x = bpm => 100 + (left + (bpm - 50) * 2) * 2, [low, high] = host.querySelectorAll('.handle'), field = host.querySelector('.brush'),
    frame = host.querySelector('.brush-window');
  const press = (handle, key, from = [80, 120]) => { state.values.bpm = from; const taken = stage.key(handle, key); return [taken, state.values.bpm];
    };
  cases('lower', (...values) => press(low, ...values), [['ArrowLeft', [true, [79, 120]]], ['ArrowDown', [true, [79, 120]]],
    ['ArrowRight', [true, [81, 120]]], ['ArrowUp', [true, [81, 120]]],
    ['PageDown', [true, [70, 120]]], ['PageUp', [true, [90, 120]]], ['Home', [true, [50, 120]]], ['End', [true, [119, 120]]],
      ['ArrowRight', [119, 120], [true, [119, 120]]], ['x', [false, [80, 120]]],
    ['ArrowLeft', [50, 120], [true, [50, 120]]], ['ArrowLeft', [50, 200], [true, null]], ['ArrowLeft', null, [true, null]],
      ['ArrowRight', null, [true, [51, 200]]]]);
  cases('upper', (...values) => press(high, ...values), [['ArrowLeft', [true, [80, 119]]], ['ArrowRight', [true, [80, 121]]],
    ['PageUp', [true, [80, 130]]], ['PageDown', [true, [80, 110]]],
    ['Home', [true, [80, 81]]], ['End', [true, [80, 200]]], ['ArrowRight', [80, 200], [true, [80, 200]]], ['ArrowLeft', null, [true, [50, 199]]]]);
  const pull = (node, from, to, was) => {
    state.values.bpm = was;
    stage.pointer(node, 'pointerdown', x(from));
    stage.pointer(node, 'pointermove', x(to));
    stage.pointer(node, 'pointerup', x(to));
    return state.values.bpm;
  };
  cases('pull', pull, [[low, 80, 90, [80, 120], [90, 120]], [high, 120, 130, [80, 120], [80, 130]], [field, 70, 90, null, [70, 90]],
    [field, 90, 70, null, [70, 90]], [field, 90, 91, null, null],
    [field, 90, 92, null, [90, 92]], [field, 40, 300, null, null], [frame, 90, 100, [80, 120], [90, 130]], [frame, 90, 20, [80, 120], [50, 90]],
      [frame, 90, 250, [80, 120], [160, 200]]]);
  const click = (bpm, dragged, was = null) => { state.values.bpm = was; field.dragged = dragged;
    field.dispatchEvent(new MouseEvent('click', { clientX: x(bpm) })); return state.values.bpm; };
  cases('click', click, [[62, false, [60, 65]], [60, false, [60, 65]], [65, false, [65, 70]], [62, false, [60, 65], null], [62, true, null],
    [52, false, null]]);
  stage.pointer(field, 'pointermove', x(62));
  const bin = tempoBins[2];
  same(field.firstChild.textContent, `60–65 BPM: ${bin.count} tracks, ${bin.weight.toFixed(1)} weighted by confidence`, 'what is under the pointer');
  stage.pointer(field, 'pointermove', x(65));
  same(field.firstChild.textContent.split(':')[0], '65–70 BPM', 'from its lower bound');
  stage.pointer(field, 'pointermove', x(250));
  same(field.firstChild.textContent.split(':')[0], '65–70 BPM', 'nothing beyond the last');
  const heard = [], listen = event => heard.push(event.key);
  document.body.addEventListener('keydown', listen);
  stage.key(low, 'ArrowUp');
  stage.key(low, 'x');
  same(heard, ['x'], 'keys of a handle are its own');
  document.body.removeEventListener('keydown', listen);
  paint();
  host.remove();
  state.values = {};
  await stage.pass(16);
};

/* Wheel, shares, growth */

tests.wheel = async () => {
  showAll();
  const counts = Array.from({ length: 24 }, (_, key) => key % 5);
  counts[14] = 9;
  hostOf(260, host => {
    const paint = wheel(host, counts, 14);
    state.values.key = null;
    paint();
    stage.picture('wheel', host.firstChild);
    const middle = () => [...host.querySelectorAll('text')].slice(-2).map(node => node.textContent);
    same(middle(), ['most: 8A', '9 tracks'], 'the most common key');
    host.querySelectorAll('.segment')[3].dispatchEvent(new MouseEvent('click'));
    paint();
    same([state.values.key, middle(), stage.texts('.on', host).length, host.querySelectorAll('[aria-pressed=true]').length],
      [3, ['F♯ major', '3 tracks'], 2, 1], 'a click chooses a key');
    state.values.key = 'none';
    paint();
    same(middle(), ['most: 8A', '9 tracks'], 'no key is none of them');
    state.values.key = 14;
    paint();
    same(middle(), ['A minor', '9 tracks'], 'the chosen one may be the most common');
    const each = counts.map((_, key) => key < 3 ? 1 : 0), paintEach = wheel(host, each, 0);
    state.values.key = null;
    paintEach();
    same(middle(), ['each once', '3 tracks'], 'no key is more common');
    state.values.key = 1;
    paintEach();
    same(middle(), ['B major', '1 track'], 'one of them');
  });
  await stage.pass(16);
};

tests.shares = async () => {
  showAll();
  hostOf(300, host => {
    const paint = shares(host, 'genre', ['Genre', 'Tracks', '', 'Share'], [{ name: 'Jazz', count: 2000, value: '67%' },
      { name: 'R'.repeat(61), count: 1000, value: '33%' }]);
    stage.picture('shares', host.firstChild);
    host.querySelector('button').click();
    paint();
    same([state.values.genre, [...host.querySelectorAll('button')].map(node => node.getAttribute('aria-pressed'))], ['Jazz', ['true', 'false']],
      'a click filters');
  });
  await stage.pass(16);
  const runs = (...counts) => counts.map((count, index) => [`2026-01-${String(index + 1).padStart(2, '0')}`, count]);
  hostOf(400, host => { growth(host, runs(10, 40, 20)); stage.picture('growth', host.firstChild); });
  const ticks = (width, list) => hostOf(width,
    host => { growth(host, list); return [...host.querySelectorAll('text[text-anchor]')].filter(node => /Jan/.test(node.textContent))
    .map(node => `${node.textContent} ${node.getAttribute('text-anchor')}`); });
  same(ticks(301, runs(1, 2, 3, 4, 5, 6, 7, 8, 9)), ['Jan 9 end', 'Jan 1 start', 'Jan 5 middle'], 'a date in the middle');
  same(ticks(300, runs(1, 2, 3, 4, 5, 6, 7, 8, 9)), ['Jan 9 end', 'Jan 1 start'], 'if there is room');
  same(ticks(301, runs(1, 2, 3, 4, 5, 6, 7, 8)), ['Jan 8 end', 'Jan 1 start'], 'and there are many runs');
  same(ticks(400, [['2026-01-01', 1], ['2026-01-01', 2]]), ['Jan 1 end'], 'the same day once');
  same(hostOf(300, host => growth(host, runs(1, 2))()), undefined, 'nothing to paint again');
};

/* The library at a glance */

const glanceOf = (make, rows, options) => { show(rows, options); const chart = make(); return chart && [chart.finding,
  chart.note && [...chart.note].flat().map(part => part.nodeType ? outline(part).trim() : part).join(''), Boolean(chart.draw)]; };
const times = (count, act) => Array.from({ length: count }, (_, index) => act(index));

tests.tempoChart = () => {
  const note = 'Pale: tracks counted. Solid: weighted by confidence, so the gap is doubt. Drag to filter.';
  cases('tempoChart', rows => glanceOf(tempoChart, rows), [
    [[{ title: 'x' }], ['No track has a steady beat', undefined, false]], [[{ bpm: 120.04 }], ['One track has a tempo: 120.0 BPM', undefined, false]],
    [[{ bpm: 120.04 }, { bpm: 120 }], ['All 2 tempos are 120.0 BPM', undefined, false]],
    [[{ bpm: 120 }, { bpm: 121 }, { bpm: 150 }], ['2 of 3 tracks run at 120 to 125 BPM', note, true]],
    [[{ bpm: 60 }, { bpm: 105 }, { bpm: 150 }, { bpm: 195 }], ['2 of 4 tracks run at 60 to 110 BPM', note, true]],
    [[{ bpm: 60 }, { bpm: 110 }, { bpm: 161 }, { bpm: 199 }], ['2 of 4 tracks run at 160 to 200 BPM', note, true]],
    [[{ bpm: 60 }, { bpm: 115 }, { bpm: 115 }, { bpm: 170 }, { bpm: 172 }].slice(0, 4), ['2 of 4 tracks run at 115 to 120 BPM', note, true]],
    [[...times(6, index => ({ bpm: 52 + index * 25 })), { bpm: 52 }], ['Tempos are spread widely; 50 to 55 BPM is most common', note, true]]]);
};

tests.keyChart = () => {
  const note = 'Inner ring minor, outer ring major.', keys = (...list) => list.map(key => ({ key }));
  cases('keyChart', rows => glanceOf(keyChart, rows), [
    [[{ title: 'x' }], ['No track has a clear key', undefined, false]], [keys(14), ['One track has a key: 8A, A minor', undefined, false]],
    [keys(14, 14), ['All 2 keys are 8A, A minor', undefined, false]], [keys(14, 15), ['Keys, on the Camelot wheel', note, true]],
    [keys(...times(11, index => index * 2)), ['Keys, on the Camelot wheel', note, true]], [keys(...times(12, index => index * 2)),
      ['All keys are minor', note, true]],
    [keys(...times(12, index => index)), ['Minor and major keys are about equally common', note, true]],
      [keys(...times(12, index => index < 3 ? 1 : 0)), ['Three in four keys are minor', note, true]],
    [keys(...times(12, index => index < 3 ? 0 : 1)), ['Three in four keys are major', note, true]],
    [keys(...times(25, index => index < 14 ? 0 : 1)), ['56% of the keys are minor', note, true]],
      [keys(...times(20, index => index < 11 ? 0 : 1)), ['Minor and major keys are about equally common', note, true]]]);
  show(keys(14, 14, 3));
  const host = element('div');
  keyChart().draw(host)();
  same([...host.querySelectorAll('text')].slice(-2).map(node => node.textContent), ['most: 8A', '2 tracks'], 'the wheel');
};

tests.loudnessChart = () => {
  const note = 'Dashed: −14, a common streaming level.', loud = (...list) => list.map(loudness => ({ loudness }));
  cases('loudnessChart', rows => glanceOf(loudnessChart, rows), [
    [[{ title: 'x' }], ['No track is loud enough to measure', undefined, false]], [loud(-9.04), ['One track has −9.0 LUFS', undefined, false]],
    [loud(-9.04, -9), ['All 2 tracks have −9.0 LUFS', undefined, false]], [loud(...times(7, index => -index - 6)),
      ['Loudness of the tracks', note, true]],
    [loud(...times(8, index => -index - 6)), ['Half of the tracks are between −11 and −7 LUFS', note, true]],
      [loud(...times(8, index => -8 - index / 20)), ['Most tracks are near −8 LUFS', note, true]]]);
  const drawn = (name, rows) => { show(rows); hostOf(500, host => { loudnessChart().draw(host);
    stage.picture(name, [...host.querySelectorAll('title, text, .reference')].map(node => outline(node)).join('')); }); };
  drawn('loudness', loud(...times(10, index => -30 + index * 2.5)));
  drawn('loudness-of-extremes', loud(-70, ...times(8, index => -15 + index), 3));
  drawn('loudness-of-few', loud(-12, -11, -8));
  drawn('loudness-of-quiet-ones', loud(-20, -15, -12));
};

tests.yearChart = () => {
  const years = (...list) => list.map(year => ({ year }));
  cases('yearChart', rows => glanceOf(yearChart, rows), [
    [[{ title: 'x' }], null], [years(1999), ['One track has a year: 1999', '', false]], [years(1999, 1999),
      ['All 2 dated tracks are from 1999', '', false]],
    [years(1999, 1999, null), ['All 2 dated tracks are from 1999', '1 track has no year. button.link type="button" (onclick) "Show them"', false]],
    [years(1990, 1990, 1999, 2000, 2005), ['2 of 5 dated tracks are from 1990', '', true]],
      [years(1990, 1991, 2003, 2014), ['Half of the dated tracks are from the 1990s', '', true]],
    [years(1950, 1960, 1970, 1980), ['One in four dated tracks is from the 1950s', '', true]],
      [years(1950, 1960, 1970, 1980, 1990), ['The music is from 1950 to 1990', '', true]]]);
  const drawn = (name, list) => { show(years(...list)); hostOf(400, host => { yearChart().draw(host);
    stage.picture(name, [...host.querySelectorAll('title, text')].map(node => outline(node)).join('')); }); };
  drawn('years-of-few', [2001, 2006, 2003]);
  drawn('years-of-six', [2001, 2007]);
  drawn('years-of-twelve', [2001, 2013]);
  drawn('years-of-thirteen', [2001, 2014]);
  drawn('years-of-forty', [1961, 2000]);
  drawn('years-of-more', [1961, 2001]);
  drawn('years-of-a-hundred', [1881, 2000]);
  drawn('years-of-centuries', [1881, 2001]);
};

tests.durationChart = () => {
  const long = (...list) => list.map((duration, track) => ({ title: `T${track}`, duration }));
  const note = (time, track) => `The longest, at ${time}: button.link.tag type="button" data-open="${track}" "T${track}"`;
  cases('durationChart', rows => glanceOf(durationChart, rows), [
    [[{ title: 'x' }], null], [long(60), ['One track has a length: 1:00', undefined, false]],
      [long(60, 60.2), ['All 2 tracks last 1:00', undefined, false]],
    [long(60, 90, 75), ['Lengths of the tracks', note('1:30', 1), true]], [long(...times(8, index => 60 + index * 30)),
      ['Half of the tracks last 2:00 to 4:00', note('4:30', 7), true]],
    [long(...times(8, index => 200 + index / 20), 100), ['Most tracks last about 3:20', note('3:20', 7), true]]]);
  const drawn = (name, list, width = 400) => { show(long(...list)); hostOf(width, host => { durationChart().draw(host);
    stage.picture(name, [...host.querySelectorAll('title, text')].map(node => outline(node)).join('')); }); };
  drawn('lengths', times(40, index => 10 + index * 9));
  drawn('lengths-narrow', times(40, index => 10 + index * 9), 200);
  drawn('lengths-short', [1, 2, 1.5]);
  drawn('lengths-of-twenty', [10, 20]);
  drawn('lengths-very-long', [3600 * 80, 3600 * 10]);
  drawn('lengths-with-an-outlier', [...times(40, index => 100 + index), 3600]);
};

tests.formatChart = () => {
  const rows = (lossless, lossy, more = {}) => [...times(lossless, () => ({ codec: 'FLAC', flags: 16, ...more })),
    ...times(lossy, index => ({ codec: 'MP3', flags: 32, bit_rate: 128 + index, ...more }))];
  cases('formatChart', rows => glanceOf(formatChart, rows), [
    [[{ title: 'x' }], null], [rows(2, 0), ['All tracks are lossless', '', true]], [rows(0, 2), ['No track is lossless', '', true]],
    [rows(1, 3), ['One in four tracks is lossless', '1 lossless, 3 lossy. ', true]], [rows(3, 1),
      ['Three in four tracks are lossless', '3 lossless, 1 lossy. ', true]],
    [rows(0, 49), ['No track is lossless', '', true]], [rows(0, 50), ['No track is lossless', 'Bit rates: the middle 80%.', true]]]);
  show([...times(8, index => ({ codec: `C${index}`, flags: 16 })), { codec: 'C7', flags: 32, bit_rate: 99 }]);
  hostOf(300, host => { formatChart().draw(host); stage.picture('formats', host.firstChild); });
  cases('rateWords', rateWords, [[[], '–'], [[128], '128'], [[320, 128], '128–320'], [[128.4, 127.6], '128'], [[1320, 900], '900–1,320'],
    [times(49, index => index), '0–48'], [times(50, index => index), '5–44'],
    [times(59, index => 58 - index), '5–53']]);
};

tests.genreChart = () => {
  const rows = counts => Object.entries(counts).flatMap(([genre, count]) => times(count, () => ({ genre: genre === 'none' ? null : genre })));
  const without = (count, words) => `${words} no genre. button.link type="button" (onclick) "Show them"`;
  cases('genreChart', rows => glanceOf(genreChart, rows), [
    [[{ title: 'x' }], null], [rows({ Jazz: 1 }), ['One track has a genre: Jazz', '', false]],
      [rows({ Jazz: 2, none: 2 }), ['All 2 tracks with a genre are Jazz', without(2, '2 tracks have'), false]],
    [rows({ Jazz: 3, Folk: 1 }), ['Three in four tracks are Jazz', '', true]], [rows({ Jazz: 3, Folk: 1, none: 1 }),
      ['Three in four tagged tracks are Jazz', without(1, '1 track has'), true]],
    [rows({ A: 1, B: 1, C: 1, D: 1, E: 1 }), ['One in five tracks is A', '', true]], [rows({ A: 1, B: 1, C: 1, D: 1, E: 1, F: 1 }),
      ['6 genres', '', true]],
    [rows({ A: 2, B: 1, C: 1, D: 1, E: 1, F: 1, G: 1, H: 1, I: 1, J: 1 }), ['10 genres, the largest is A', 'And 3 smaller genres. ', true]],
    [rows({ A: 1, B: 1, C: 1, D: 1, E: 1, F: 1, G: 1 }), ['7 genres', '', true]], [rows({ A: 1, B: 1, C: 1, D: 1, E: 1, F: 1, G: 1, H: 1 }),
      ['8 genres', 'And 1 smaller genre. ', true]],
    [rows({ ['x'.repeat(41)]: 1 }), [`One track has a genre: ${'x'.repeat(40)}…`, '', false]]]);
  show(rows({ A: 300, B: 1, C: 1, D: 1, E: 1, F: 1, G: 1, H: 1 }));
  hostOf(300, host => { genreChart().draw(host); stage.picture('genres', host.firstChild); });
};

tests.growthChart = () => {
  const runs = (...counts) => counts.map((count, index) => [`2026-01-0${index + 1}`, count]),
    growing = (list, more) => glanceOf(growthChart, [{ title: 'x' }], { library: { runs: list, ...more } });
  const note = count => `Tracks in the library after each of the last ${count} runs.`;
  cases('growthChart', growing, [
    [runs(1), {}, null], [null, {}, null], [runs(1, 2), { first_run: true }, null], [runs(5, 5), {},
      ['The library holds 5 tracks, as in the last 2 runs', undefined, false]],
    [runs(1, 1), {}, ['The library holds 1 track, as in the last 2 runs', undefined, false]],
      [runs(1, 2000, 3000), {}, ['The library grew from 2,000 to 3,000 tracks today', note(3), true]],
    [runs(2, 3), { run_name: null }, ['The library grew from 2 to 3 tracks', note(2), true]],
      [runs(1, 3, 2), {}, ['The library shrank from 3 to 2 tracks', note(3), true]],
    [runs(1, 2, 2), {}, ['The library went from 1 to 2 tracks in 3 runs', note(3), true]]]);
};

tests.noteWithout = async () => {
  show([{ year: 1990 }, {}, { status: 2 }, {}]);
  const [words, button] = noteWithout('year', 'year'), scrolled = stage.spy(find('#tracks'), 'scrollIntoView');
  same(words, '2 tracks have no year. ', 'files that failed are not counted');
  button.click();
  same([state.values.year, scrolled.length], ['none', 1], 'and shown');
  await stage.pass(16);
  same(stage.texts('#rows tr.row').length, 2, 'these');
  scrolled.restore();
};

tests.glance = () => {
  showAll();
  const charts = () => stage.texts('#charts h3'),
    spans = () => [...document.querySelectorAll('#charts figure')].map(node => node.className.replace('chart ', ''));
  same([find('#glance').hidden, charts().length, spans()], [false, 7, ['span-6 large', 'span-3', 'span-3', 'span-6', 'span-6', 'span-6', 'span-6']],
    'seven charts');
  same([...document.querySelectorAll('#charts .host')].map(node => node.childElementCount), Array(7).fill(1), 'drawn');
  same(painters.length, 8, 'and the small one of tempos');
  show([{ bpm: 1 }, { bpm: 2 }]);
  same([find('#charts').childElementCount], [0], 'two tracks have no charts');
  show([{ bpm: 100 }, { bpm: 110 }, { bpm: 100 }]);
  same([charts(), find('#glance').hidden, spans()], [['2 of 3 tracks run at 100 to 105 BPM'], false, ['span-6']],
    'three have those of what is known');
  show([{ bpm: 100 }, { bpm: 100 }, { bpm: 100 }]);
  same([charts(), spans(), stage.texts('#charts .host')], [['All 3 tempos are 100.0 BPM'], ['span-4'], []], 'a sentence stands alone');
  show([{}, {}, {}]);
  same([charts(), find('#glance').hidden], [[], true], 'nothing to say');
  const widths = (upper, lower) => { const [a, b] = [times(upper, () => ({})), times(lower, () => ({}))]; setWidths(a, b);
    return [...a, ...b].map(chart => chart.width).join(' '); };
  cases('setWidths', widths, [[1, 0, 'span-6'], [2, 1, 'span-6 span-6 span-6'], [3, 2, 'span-6 large span-3 span-3 span-6 span-6'],
    [0, 3, 'span-4 span-4 span-4'], [0, 4, 'span-6 span-6 span-6 span-6'], [0, 5, 'span-4 span-4 span-4 span-6 span-6']]);
};

tests.printsOfNewFolders = () => {
  show(times(26, track => ({ title: `T${track}`, details: track === 1 ? {} : { onsets: [.1, base64([1, 2, 3])] } })));
  const host = element('span', { 'data-prints': [...times(26, index => index)].join() }), none = element('span', { 'data-prints': '' });
  document.body.append(host, none);
  paintPrints();
  same([host.childElementCount, none.childElementCount], [23, 0], 'at most 24, without those that have none');
  same([host.firstChild.dataset.open, host.firstChild.title, host.firstChild.getAttribute('aria-label'),
    host.firstChild.firstChild.getAttribute('width')], ['0', 'T0', 'Open T0', '30'], 'a button each');
  host.remove();
  none.remove();
};

/* Neighbors */

tests.likeness = () => {
  show([{ sound: [1, 0] }, { sound: [2, 0] }, { sound: [0, 3] }, { sound: [-128, 5] }, { sound: [0, 0] }, { sound: [-1, 0] }]);
  cases('likeness', likeness, [[0, 1, 1], [0, 2, 0], [0, 5, -1], [0, 3, NaN], [3, 0, NaN], [0, 4, NaN], [4, 0, NaN]]);
  same([sounds() === sounds(), table.columns.sound], [true, null], 'unpacked once');
  cases('keyDistance', keyDistance, [[0, 0, 0], [0, 2, .15], [0, 22, .15], [2, 0, .15], [0, 4, 1], [0, 1, .15], [1, 0, .15], [0, 3, 1], [23, 1, .15],
    [12, 0, 1]]);
};

tests.nearest = () => {
  show([{ title: 'A', artist: 'x' }, { title: 'a', artist: 'X' }, { title: 'B' }, { title: 'C' }, { title: 'B' }, { title: 'D' },
    ...times(30, index => ({ title: `N${index}` }))]);
  const far = { 1: .1, 2: 3, 3: 1, 4: 2, 5: NaN };
  same(nearest(0, other => far[other] ?? NaN), [3, 4], 'the nearest first, and no copies');
  same(nearest(0, other => other, 2), [2, 3], 'so many');
  same(nearest(0, other => -other), [35, 34, 33, 32, 31, 30], 'six');
  same(nearest(0, other => other === 35 ? .5 : 1, 1), [35], 'a better one comes into a full list');
  same(nearest(35, other => other % 2), [0, 2, 6, 8, 10, 12], 'equal ones in their order');
  same(copyName(0), copyName(1), 'a copy has the same name');
  show([{ title: 'A' }, { title: 'a' }, { title: 'A' }, { title: 'X' }, { title: 'Y' }]);
  same(nearest(0, other => [0, .1, .2, .5, .3][other], 1), [4], 'copies take no place of others');
  same(soundNeighbors(0), [], 'no sounds, no neighbors');
  show([{ title: 'A', sound: [10, 0] }, { title: 'B', sound: [0, 10] }, { title: 'C', sound: [9, 1] }]);
  same(soundNeighbors(0), [2, 1], 'by their sound');
};

tests.mixes = () => {
  const row = (title, bpm, key, confidence = .9) => ({ title, bpm, key, confidence });
  show([row('A', 100, 0), row('same', 100, 0), row('near', 104, 0), row('far', 104.1, 0), row('double', 202, 0), row('double far', 208, 0),
    row('half', 50.3, 0), row('doubt', 100, 0, .49), row('sure', 101, 0, .5),
    row('other key', 100, 4), row('neighbor key', 100, 2), row('no key', 100, null), row('no tempo', null, 0)]);
  const names = track => mixNeighbors(track).map(other => trackName(other));
  same(names(0), ['same', 'neighbor key', 'sure', 'half', 'no key', 'double'], 'close in tempo and key');
  same(names(12), [], 'no tempo');
  show([row('A', 100, 0), row('slower', 96.1, 0), row('too slow', 95.9, 0), row('twice', 205.9, 0), row('twice off', 206.1, 0), row('half', 48.6, 0),
    row('half off', 48.4, 0)]);
  same([...names(0)].sort(), ['half', 'slower', 'twice'], 'of half and twice the tempo a percent less');
  show([row('A', 100, null), row('B', 101, null), row('C', 101, 5)].map((each, track) => ({ ...each, sound: [[10, 0], [0, 10], [10, 0]][track] })));
  same(names(0), ['C', 'B'], 'those of equal distance by their sound');
  show([{ ...row('A', 100, null), sound: [10, 0] }, row('B', 100.5, null), { ...row('C', 101, null), sound: [10, 0] }]);
  same(names(0), ['C', 'B'], 'a sound that is not known counts nothing');
};

tests.neighborList = () => {
  show([{ title: 'A', artist: 'X', bpm: 120, key: 3 }, { title: 'B'.repeat(130) }]);
  same(neighborList('Title', 'aside', []), [], 'none');
  stage.picture('neighbors', neighborList('Sounds like', 'BPM', [0, 1]).map(node => outline(node)).join(''));
};

/* Strips */

tests.beatTimes = () => {
  cases('beatTimes', beatTimes, [[{}, []], [{ beats: [500, 500, base64([128, 129, 127])] }, [.5, 1, 1.501, 2]],
    [{ beats: [0, 0, base64([232, 3, 1, 1])] }, [0, 1, 1.257]], [{ beats: [250, 500, ''] }, [.25]]]);
  cases('downbeatTimes', downbeatTimes, [[{}, [1, 2], null], [{ downbeats: base64([0b10000101, 1]) }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2, 7, 8]]]);
  same(stripSound({ onsets: [.1] }, [1, 2]), { peaks: [.5, 1], levels: null, onsets: { step: .1, values: [.5, 1] } },
    'onsets in place of a waveform');
  same(stripSound({ onsets: [.1], wave: [base64([255, 51]), base64([0, 255])] }, [4]), { peaks: [1, .2].map(Math.fround), levels: [0, 1],
    onsets: { step: .1, values: [1] } }, 'peaks and levels');
};

const strip = (more, row = {}) => {
  show([{ title: 'T', file: "it's.flac", duration: 60, bpm: 120, ...row, details: { onsets: [.1, base64(ramp(600))], ...more } }]);
  const about = detail(0), made = makeStrips(0, about, about.onsets ? bytesOf(about.onsets[1]) : null);
  find('#panel-body').replaceChildren(...made.nodes);
  return { made, words: stage.texts('#panel-body .caption span'), aside: stage.text('#panel-body h3 span'), closeUp: find('#panel-body .closeup'),
    overview: find('#panel-body .overview') };
};
const BEATS = [500, 500, base64(Array(20).fill(128))], BARS = base64([0x11, 0x11, 0x11]), WAVE = [base64(ramp(90)), base64(ramp(90))];

tests.stripWords = () => {
  const said = (more, row) => { const { words, aside } = strip(more, row); return [aside, words[1], words[4] ?? words[3]]; };
  const legendOf = (more, row) => { const { words, aside } = strip(more, row); return [aside, words[1], words.slice(3)]; };
  const legend = (more, row) => legendOf(more, row)[2].find(text => /eat|Onset/.test(text));
  same(said({})[1], 'Whole track, onset strength', 'no waveform');
  same(said({ wave: WAVE })[1], 'Whole track', 'a waveform');
  same(said({ wave: WAVE, sections: [[0, 'A']] })[1], 'Whole track', 'one section is none');
  same(said({ wave: WAVE, sections: [[0, 'A'], [9, 'B']] })[1], 'Whole track and its sections', 'two are some');
  same(said({ wave: WAVE, faults: [[0, 30]] })[1], 'Whole track, with faults', 'faults');
  same(said({ wave: WAVE, faults: [[0, 30.1]] })[1], 'Whole track', 'a fault of the whole track is none');
  same(legend({ beats: BEATS, downbeats: BARS }), 'Beats; tall lines are bar starts', 'bars');
  same(legend({ beats: BEATS, meter: '3/4' }), 'Beats in 3/4; where bars start is unsure, so not drawn', 'no bars');
  same(legend({}), 'Onset strength', 'no beats, but a tempo');
  same(legend({}, { bpm: null, key: 1 }), 'Onset strength; no beats', 'no tempo');
  same(said({ beats: BEATS, downbeats: BARS, meter: '4/4' })[0], '21 beats · 4/4', 'beats and meter');
  same(said({ beats: BEATS, meter: '4/4' })[0], '21 beats', 'the meter only with bars');
  same(said({ beats: [500, 500, ''] })[0], '1 beat', 'one beat');
  same(stage.texts('#panel-body .caption span')[0] + stage.texts('#panel-body .caption span')[2], '0:001:00', 'from the start to the end');
  const none = strip({ onsets: undefined });
  same([none.made.draw, stage.text('#panel-body code')], [null, "analyze show --json '/music/it'\\''s.flac'"],
    'without details, the command that has them');
  same(strip({ onsets: undefined }, { status: 2 }).made, { nodes: [], draw: null }, 'a file that failed has none');
  same(strip({ onsets: undefined }, { status: 1 }).made.nodes.length, 3, 'a damaged one has');
  same(strip({}, { duration: null }).made.nodes.length, 3, 'no length');
  same(strip({}, { duration: 0 }).made.nodes.length, 3, 'no sound');
  show([{ details: {} }]);
  same(makeStrips(0, {}, null), { nodes: [], draw: null }, 'a report without tempos');
};

tests.stripDrawing = async () => {
  find('#panel').hidden = false;
  const colors = themeColors(), size = (node, width, height) => { Object.defineProperty(node, 'clientWidth', { value: width, configurable: true });
    Object.defineProperty(node, 'clientHeight', { value: height, configurable: true }); };
  const drawn = (name, more) => {
    const { made, closeUp, overview } = strip(more);
    size(overview, 31, 60);
    size(closeUp, 100, 80);
    made.draw();
    stage.picture(name, `${stage.drawn(overview, colors)}\n---\n${stage.drawn(closeUp, colors)}`);
    return { made, closeUp, overview };
  };
  drawn('strips', { wave: WAVE, beats: BEATS, downbeats: BARS, faults: [[1, 2]], sections: [[0, 'A'], [5, 'B'], [40, 'C']],
    cues: { highlight: [20, 30] } });
  drawn('strips-of-onsets', {});
  drawn('strips-of-near-sections', { sections: [[0, 'A'], [26, 'B'], [27.7, 'C'], [54, 'D']] });
  drawn('strips-of-one-section', { sections: [[0, 'A']] });
  const { closeUp, overview, made } = drawn('strips-at-the-end', { beats: BEATS, cues: { highlight: [59, 60] } });
  const caption = () => [closeUp.nextSibling.firstChild.textContent, closeUp.nextSibling.lastChild.textContent,
    closeUp.getAttribute('aria-valuenow'), closeUp.getAttribute('aria-valuetext')];
  same(caption(), ['0:48', '1:00', '48', '0:48 to 1:00'], 'the close-up ends with the track');
  same([closeUp.getAttribute('aria-valuemin'), closeUp.getAttribute('aria-valuemax'), closeUp.tabIndex], ['0', '48', 0], 'it is a slider');
  const press = key => { const taken = stage.key(closeUp, key); return [taken, closeUp.getAttribute('aria-valuenow')]; };
  cases('press', press, [['Home', [true, '0']], ['ArrowRight', [true, '1']], ['ArrowLeft', [true, '0']], ['ArrowLeft', [true, '0']],
    ['PageDown', [true, '12']], ['PageUp', [true, '0']], ['End', [true, '48']],
    ['ArrowRight', [true, '48']], ['x', [false, '48']]]);
  const heard = [], listen = event => heard.push(event.key);
  find('#panel').addEventListener('keydown', listen);
  stage.key(closeUp, 'Home');
  find('#panel').removeEventListener('keydown', listen);
  same(heard, [], 'its keys are its own');
  overview.getBoundingClientRect = () => ({ left: 100 });
  stage.pointer(overview, 'pointerdown', 100 + 31 / 2);
  same(closeUp.getAttribute('aria-valuenow'), '24', 'a press moves the close-up around the place');
  stage.pointer(overview, 'pointermove', 100 + 31);
  same(closeUp.getAttribute('aria-valuenow'), '48', 'as far as the track');
  stage.pointer(overview, 'pointerup');
  stage.pointer(closeUp, 'pointerdown', 50);
  stage.pointer(closeUp, 'pointermove', 100);
  same(closeUp.getAttribute('aria-valuenow'), '42', 'dragging moves the sound');
  stage.pointer(closeUp, 'pointerup');
  find('#panel-body').replaceChildren();
  closeUp.setAttribute('aria-valuenow', 'old');
  made.draw();
  same(closeUp.getAttribute('aria-valuenow'), 'old', 'nothing is drawn that is not there');
  same(strip({ wave: WAVE }).overview.getAttribute('aria-label') + strip({}).overview.getAttribute('aria-label'),
    'Waveform of the whole trackOnset strength over the whole track', 'names');
  same(strip({}, { duration: 8 }).closeUp.getAttribute('aria-valuemax'), '0', 'a short track is all in the close-up');
  strip({}).made.draw();
  same(find('#panel-body .closeup').getAttribute('aria-valuenow'), '18', 'without a highlight the close-up begins at three tenths');
  find('#panel').hidden = true;
};

/* Verdict */

tests.relation = () => {
  cases('relation', relation, [[120, 120, 'chosen'], [240, 120, 'twice as fast'], [60, 120, 'half as fast'], [360, 120, 'three times as fast'],
    [40, 120, 'a third'], [480, 120, 'four times as fast'],
    [30, 120, 'a quarter'], [180, 120, '3/2 of it'], [80, 120, '2/3 of it'], [160, 120, '4/3 of it'], [90, 120, '3/4 of it'],
      [150, 120, '5/4 of it'], [96, 120, '4/5 of it'], [320, 120, '8/3 of it'],
    [45, 120, '3/8 of it'], [122.3, 120, 'chosen'], [122.5, 120, ''], [117.7, 120, 'chosen'], [117.5, 120, ''], [244, 120, 'twice as fast'],
      [245, 120, ''], [61.1, 120, 'half as fast'], [61.3, 120, '']]);
};

tests.tempoWords = () => {
  const said = row => { show([{ bpm: null, confidence: null, alternative: null, alternative_share: null, octave: null, ...row }]);
    return tempoWords(0); };
  cases('tempoWords', said, [
    [{ tempo_reason: 'no_pulse' }, 'No steady beat was found. Ambient, spoken or very free music often has none.'],
      [{ tempo_reason: 'silence' }, 'The track is silent, so it has no tempo.'],
    [{ tempo_reason: 'too_short' }, 'The track is too short to measure a tempo.'], [{ tempo_reason: 'odd' }, 'No tempo was found.'],
      [{}, 'No tempo was found.'], [{ status: 2 }, null], [{ status: 1 }, 'No tempo was found.'],
    [{ bpm: 120, status: 2, confidence: .95 }, 'Very likely right: 95% confidence.'], [{ bpm: 120, confidence: .3, flags: 2 },
      'You set this tempo. No analysis overwrites it.'],
    [{ bpm: 120, confidence: .9, alternative: 60, alternative_share: .09, flags: 4 },
      'Very likely right: 90% confidence. No other tempo comes close. The tempo is steady from start to end.'],
    [{ bpm: 120, confidence: .9, alternative: 60, alternative_share: .1 }, 'Very likely right: 90% confidence.'],
    [{ bpm: 120, confidence: .89, alternative: 60, alternative_share: .15, octave: .75 },
      'Probably right: 89% confidence. The doubt is in how to count it: 120.0 or 60.0 BPM (half as fast).'],
    [{ bpm: 120, confidence: .89, alternative: 240, alternative_share: .14, octave: .74 },
      'Probably right: 89% confidence. The doubt is in how to count it: 120.0 or 240.0 BPM (twice as fast).'],
    [{ bpm: 120, confidence: .89, alternative: 60, alternative_share: .14, octave: .75 },
      'Probably right: 89% confidence. 60.0 BPM has 14% of the evidence.'],
    [{ bpm: 120, confidence: .4, alternative: 90, alternative_share: .5, octave: .1 }, 'A guess: 40% confidence. 90.0 BPM has 50% of the evidence.'],
    [{ bpm: 120, confidence: .4, alternative: 90, alternative_share: .1, octave: .1 }, 'A guess: 40% confidence. 90.0 BPM has 10% of the evidence.'],
    [{ bpm: 120, confidence: .4, alternative: 90, alternative_share: .09 },
      'A guess: 40% confidence. No other tempo comes close, but the beat is not clear.'],
    [{ bpm: 120, confidence: .6, flags: 8 }, 'Worth a listen: 60% confidence. The tempo changes along the way.'],
    [{ bpm: 120, confidence: .6, flags: 8, details: { map: [[0, 120]] } }, 'Worth a listen: 60% confidence. The tempo changes along the way.'],
    [{ bpm: 120, confidence: .6, flags: 8, details: { map: [[0, 120], [9, 130]] } },
      'Worth a listen: 60% confidence. The tempo changes once, between 120.0 and 130.0 BPM.'],
    [{ bpm: 120, confidence: .6, flags: 8, details: { map: [[0, 120], [9, 130], [12, 110]] } },
      'Worth a listen: 60% confidence. The tempo changes twice, between 110.0 and 130.0 BPM.'],
    [{ bpm: 120, confidence: .6, flags: 8, details: { map: [[0, 120], [9, 130], [12, 110], [20, 90]] } },
      'Worth a listen: 60% confidence. The tempo changes 3 times, between 90.0 and 130.0 BPM.'],
    [{ bpm: 120, confidence: .6, details: { map: [[0, 120], [9, 130]] } }, 'Worth a listen: 60% confidence.']]);
  show([{ title: 'x' }]);
  same(tempoWords(0), null, 'a report without tempos');
};

tests.shellWords = () => {
  cases('shellWord', shellWord, [['/a b/c.mp3', "'/a b/c.mp3'"], ["it's", "'it'\\''s'"], ['a\nb', "$'a\\x0Ab'"], ['a\\xE9b', "$'a\\xE9b'"],
    ['a\\xe9b', "'a\\xe9b'"], ["\u001f\u007f'\\", "$'\\x1F\\x7F\\'\\\\'"], ['\0', "$'\\x00'"],
    ['\\xE9\\', "$'\\xE9\\\\'"], [' ', "' '"]]);
};

tests.corrections = () => {
  const offered = row => { show([{ title: 'x', file: 'f', bpm: null, alternative: null, ...row }]);
    return correction(0).map(node => node.textContent.replace(/Copy$/, '')); };
  const wrong = 'Sounds wrong? Run this; --half, --double and --bpm all work. The correction survives every later run.';
  cases('correction', offered, [
    [{ bpm: 120, flags: 2 }, ['To go back to the analyzed tempo, run this:', "analyze set '/music/f' --unset bpm"]],
      [{}, ['If you know the tempo, set it. It survives every later run.', "analyze set '/music/f' --bpm 120"]],
    [{ bpm: 120, alternative: 60 }, [wrong, "analyze set '/music/f' --half"]], [{ bpm: 120, alternative: 240 },
      [wrong, "analyze set '/music/f' --double"]],
    [{ bpm: 120, alternative: 90 }, [wrong, "analyze set '/music/f' --bpm 90.0"]], [{ bpm: 111 }, [wrong, "analyze set '/music/f' --half"]],
      [{ bpm: 110 }, [wrong, "analyze set '/music/f' --double"]],
    [{ bpm: 120, status: 2 }, []], [{ bpm: 120, status: 1 }, [wrong, "analyze set '/music/f' --half"]]]);
  show([{ title: 'x' }]);
  same(correction(0), [], 'a report without tempos');
  same(command('do it').outerHTML, '<div class="command"><code>do it</code><button class="copy" type="button" data-copy="do it">Copy</button></div>',
    'a command');
  cases('shareWords', shareWords, [[.009, '<1%'], [.01, '1%'], [.5, '50%']]);
  same([candidate('A', .001, 'w', false), candidate('B', .5, 'w', true)].map(node => `${node.className} ${node.querySelector('i').style.width}`),
    ['candidate 0.5%', 'candidate best 50%'], 'bars');
};

tests.candidates = () => {
  const listed = row => { show([{ title: 'x', bpm: null, alternative: null, alternative_share: null, ...row }]);
    return tempoCandidates(0).map(node => [node.className, ...stage.texts('span', node)].join('|')); };
  cases('tempoCandidates', listed, [
    [{}, []], [{ bpm: 120 }, []], [{ bpm: 120, alternative: 60, alternative_share: .2 }, ['|share of the evidence',
      'candidate|60.0 BPM||20% · half as fast']],
    [{ bpm: 120, details: { candidates: [[119, .7], [61, .2], [77, .001], [1, 0], [2, 0], [3, 0]] } },
      ['|share of the evidence', 'candidate best|120.0 BPM||70% · chosen', 'candidate|61.0 BPM||20% · half as fast',
      'candidate|77.0 BPM||<1%', 'candidate|1.0 BPM||<1%', 'candidate|2.0 BPM||<1%']],
    [{ details: { candidates: [[119, .7]] } }, []]]);
  show([{ bpm: 120, alternative: 60 }]);
  same(tempoCandidates(0)[0].firstChild.data, 'Next candidate', 'one that is next');
  show([{ bpm: 120, details: { candidates: [[120, 1]] } }]);
  same(tempoCandidates(0)[0].firstChild.data, 'Tempo candidates', 'all of them');
};

tests.keyCandidates = () => {
  const listed = row => { show([{ title: 'x', key: null, key_confidence: null, ...row }]);
    return keyCandidates(0).map(node => node ? node.textContent : node); };
  cases('keyCandidates', listed, [
    [{}, []], [{ key: 14 }, ['Key8A · A minor', false]], [{ key: 14, key_confidence: .8 }, ['Key8A · A minor', 'Probably right: 80% confidence.']],
    [{ key: 14, details: { tuning: 442 } }, ['Key8A · A minor', 'Tuned to 442.0 Hz.']], [{ key: 14, details: { tuning: 441.9 } },
      ['Key8A · A minor', false]], [{ key: 14, details: { tuning: 438 } }, ['Key8A · A minor', 'Tuned to 438.0 Hz.']],
    [{ key: 14, details: { key_map: [[0, 14]] } }, ['Key8A · A minor', false]], [{ key: 14, details: { key_map: [[0, 14], [65, 3]] } },
      ['Key8A · A minor', 'Along the way: 8A from 0:00, 2B from 1:05.']],
    [{ key: 14, details: { keys: [[14, .9]] } }, ['Key8A · A minor', false]], [{ key: 14, details: { keys: [[14, .9], [15, .1]] } },
      ['Key8A · A minor', false, '8A A minor90%', '8B C major10%']]]);
  const changes = count => times(count, index => [index, index % 24]);
  same(listed({ key: 0, details: { key_map: changes(8) } })[1].endsWith('4B from 0:07.'), true, 'eight keys');
  same(listed({ key: 0, details: { key_map: changes(9) } })[1].endsWith('4B from 0:07, and more.'), true, 'and more');
  show([{ key: 15, details: { keys: [[14, .9], [15, .1]] } }]);
  same(keyCandidates(0).slice(2).map(node => node.className), ['candidate', 'candidate best'], 'the key itself stands out');
};

tests.tempoMap = () => {
  const drawn = (name, map, duration) => { show([{ bpm: 100, duration, details: { map } }]);
    stage.picture(name, tempoMap(0).map(node => outline(node)).join('')); };
  drawn('tempo-map', [[0, 100], [30, 120]], 60);
  drawn('tempo-map-wide', [[5, 60], [30, 121], [40, 90]], null);
  drawn('tempo-map-wider', [[0, 60], [30, 141]], 60);
  drawn('tempo-map-of-forty', [[0, 95], [30, 110]], 60);
  drawn('tempo-map-of-eighty', [[0, 60], [30, 130]], 60);
  show([{ bpm: 100, details: { map: [[0, 1]] } }]);
  same(tempoMap(0), [], 'one tempo needs no map');
  show([{ bpm: 100 }]);
  same(tempoMap(0), [], 'nor none');
  same(panelWidth(), 432, 'room in the panel');
  phone(true);
  same(panelWidth(), 448, 'and on a phone');
  phone(false);
};

/* Facts */

tests.facts = () => {
  const listed = row => { show([{ title: 'x', ...row }]); return [...facts(0).children].map(node => node.textContent); };
  cases('facts', listed, [
    [{ bpm: 120, key: 14, loudness: -9.24, duration: 187 }, ['Tempo120.0 BPM', 'Key8A A minor', 'Loudness−9.2 LUFS', 'Length3:07']],
    [{ bpm: null, key: null, loudness: null, tempo_reason: 'silence', flags: 64, duration: 60 },
      ['Tempo– silent', 'Key–', 'Loudness–', 'Length1:00 estimated']],
    [{ bpm: null }, ['Tempo–', 'Length–']], [{}, ['Length–']]]);
  same(measured('duration', 0, clock), null, 'not known');
  same(pairs([['A', null], ['B', ''], ['C', undefined]]), null, 'nothing is known');
  same(pairs([['A', 0], ['B', 'x'.repeat(601)]]).textContent.length, 1 + 1 + 1 + 601, 'a number may be none; long texts are cut');
};

tests.soundFacts = () => {
  const listed = row => { show([{ title: 'x', ...row }]); const nodes = soundFacts(0);
    return nodes.length ? [...nodes[1].querySelectorAll('dt')].map(node => `${node.textContent}: ${node.nextSibling.textContent}`) : []; };
  cases('soundFacts', listed, [
    [{}, []], [{ true_peak: 0 }, ['True peak: 0.0 dBTP']], [{ true_peak: .5 }, ['True peak: 0.5 dBTP, above full scale']],
      [{ true_peak: -1 }, ['True peak: −1.0 dBTP']],
    [{ range: 5.25, energy: .5, danceability: .61, speechiness: 0 }, ['Range: 5.3 LU', 'Energy: 50%', 'Danceability: 61%', 'Speech: 0%']],
    [{ details: { cues: { first_beat: 0, intro_end: 10, outro_start: 50, highlight: [20, 30], silence: [.5, .6], fade: [1, 2] } } },
      ['First beat: 0.00 s', 'Intro ends: 0:10', 'Outro starts: 0:50', 'Highlight: 0:20 to 0:30',
      'Silence: 0.5 s at the start, 0.6 s at the end', 'Fades: in over 1.0 s, out over 2.0 s']],
    [{ details: { cues: { silence: [.49, .5], fade: [0, 2] } } }, ['Silence: 0.5 s at the end', 'Fades: out over 2.0 s']],
      [{ details: { cues: { silence: [.5, .49], fade: [1, null] } } }, ['Silence: 0.5 s at the start', 'Fades: in over 1.0 s']],
    [{ details: { cues: { silence: [0, 0] } } }, []]]);
};

tests.tagFacts = () => {
  const listed = row => { show([row]); return tagFacts(0)[1].textContent; };
  same(listed({ title: ' ' }), 'This file has no tags.', 'none');
  same(listed({ title: 'A', artist: 'B', album: 'C', genre: 'D', year: 1999, details: { tags: [['Comment', 'E']] } }),
    'TitleAArtistBAlbumCGenreDYear1999CommentE', 'tags');
};

tests.fileFacts = () => {
  const listed = row => { show([{ file: 'f.mp3', folder: 'x', ...row }]);
    return [...fileFacts(0)[2]?.querySelectorAll('dt') ?? []].map(node => `${node.textContent}: ${node.nextSibling.textContent}`); };
  cases('fileFacts', listed, [
    [{}, []], [{ codec: 'MP3', flags: 32, bit_rate: 1320, sample_rate: 44_100, channels: 1, size: 1000, modified: 0, added: 1 },
      ['Format: MP3, lossy', 'Bit rate: 1,320 kb/s', 'Sample rate: 44.1 kHz', 'Channels: mono', 'Size: 1.0 MB',
      'Modified: Jan 1, 1970', 'Added: Jan 2, 1970']],
    [{ codec: 'FLAC', flags: 16, sample_rate: 48_000, bit_depth: 24, channels: 2 }, ['Format: FLAC, lossless', 'Sample rate: 48 kHz, 24 bit',
      'Channels: stereo']], [{ codec: 'WAV', flags: 0, channels: 6 }, ['Format: WAV', 'Channels: 6']],
    [{ details: { size: 1, claimed: 70 } }, ['Size: 1 byte', 'Claimed length: 1:10']], [{ size: 1000, details: { size: 999_999 } },
      ['Size: 999,999 bytes']], [{ size: 1000, details: { size: 1_000_000 } }, ['Size: 1.0 MB']],
    [{ details: { size: 0 } }, ['Size: 0 bytes']]]);
  show([{ file: 'f.mp3', folder: 'x' }]);
  same([fileFacts(0)[1].textContent, fileFacts(0)[0].querySelector('button').dataset.copy], ['/music/x/f.mp3', '/music/x/f.mp3'],
    'the path, to copy');
};

tests.warnings = () => {
  const listed = row => { show([{ title: 'x', ...row }], { library: { problems: PROBLEMS } });
    return warnings(0).map(node => `${node.className}: ${node.textContent}`); };
  cases('warnings', listed, [
    [{}, []], [{ status: 1, problem: 0 }, ['warning: Damaged. It ends early. Copy it again.']],
      [{ status: 2, problem: 1 }, ['warning: Failed. It is no audio. ']], [{ status: 3, problem: 2 },
      ['warning: Not analyzed. It is too long. Raise the limit.']],
    [{ problem: 0 }, []], [{ status: 1 }, []], [{ status: 1, problem: 0, details: { problem: { what: 'Own.' } } }, ['warning: Damaged. Own. ']],
    [{ details: { remarks: ['R'], findings: ['F'.repeat(601)] } }, ['say small: R', `say small: ${'F'.repeat(600)}…`]]]);
};

/* The panel */

tests.panel = async () => {
  showAll();
  const row = () => find('#rows [data-position="3"]');
  row().focus();
  openPanel(3, true);
  const place = () => stage.text('#panel-place');
  same([find('#panel').hidden, document.body.classList.contains('has-panel'), document.activeElement.id, place(), current, row().className],
    [false, true, 'panel-close', '4 of 40', 3, 'row open'], 'the panel opens');
  await stage.pass(200);
  same(location.hash, '#track=%2Fmusic%2FOne%2F03+file.flac', 'the address has the track');
  same([find('#panel').getAttribute('aria-modal'), find('#page').inert], ['false', false], 'the page goes on beside it');
  find('#panel').scrollTop = 50;
  openPanel(4, false);
  same([find('#panel').scrollTop, place(), openTrack], [0, '5 of 40', 4], 'another track begins at its top');
  step(1);
  same(openTrack, 5, 'the next');
  step(-2);
  same(openTrack, 3, 'and back');
  step(-9);
  same(openTrack, 0, 'not before the first');
  step(100);
  same(openTrack, 39, 'nor after the last');
  state.query = 'title 01';
  apply();
  same([place(), find('#panel-next').disabled], ['not in the list below', false], 'a track that is not listed');
  step(1);
  same(openTrack, 1, 'then the first of the list');
  closePanel();
  same([find('#panel').hidden, document.body.classList.contains('has-panel'), openTrack, current, document.activeElement.dataset.position,
    drawStrips], [true, false, -1, 0, '0', null], 'closed; the focus is on its row');
  await stage.pass(200);
  same(location.hash, '#q=title+01', 'the address has none');
  state.query = 'zzz';
  apply();
  openPanel(1, true);
  same([find('#panel-previous').disabled, find('#panel-next').disabled], [true, true], 'no list, no steps');
  step(1);
  same(openTrack, 1, 'none at all');
  closePanel();
  same(document.activeElement.id, 'q', 'no row: the focus goes to the search');
  showAll();
  const opener = element('button');
  document.body.append(opener);
  opener.focus({ preventScroll: true });
  openPanel(2, true);
  openPanel(3, true);
  closePanel();
  same(document.activeElement === opener, true, 'what has opened it gets the focus back');
  opener.focus({ preventScroll: true });
  openPanel(2, false);
  closePanel();
  same(document.activeElement.dataset.position, '2', 'unless a person has not opened it');
  opener.focus({ preventScroll: true });
  openPanel(2, true);
  opener.remove();
  closePanel();
  same(document.activeElement.dataset.position, '2', 'or it is gone');
  phone(true);
  openPanel(2, true);
  same([isModal(), find('#panel').getAttribute('aria-modal'), find('#page').inert], [true, 'true', true], 'on a phone the page waits');
  closePanel();
  same([isModal(), find('#page').inert], [false, false], 'and goes on');
  phone(false);
};

tests.panelContents = () => {
  showAll();
  const drawn = stage.spy(window, 'requestAnimationFrame');
  for (const track of [0, 7, 36, 37]) { openPanel(track, false); stage.picture(`panel-${track}`,
    find('#panel-body').outerHTML.includes('canvas') ? outline(find('#panel-body')).replaceAll(/(width|height|viewBox|d)="[^"]*"/g,
    '$1') : find('#panel-body')); }
  drawn.restore();
  openPanel(0, false);
  same(stage.drawn(find('#panel .overview')).length > 0, true, 'strips are drawn');
  same([typeof drawStrips, find('#panel .print').getAttribute('width')], ['function', '64'], 'with a print');
  show([{ file: 'f', artist: 'A'.repeat(201), title: 'T'.repeat(301), year: 1999, bpm: 100 }, { file: 'g' }]);
  openPanel(0, false);
  same([stage.text('#panel-title').length, stage.text('#panel .by')], [301, `${'A'.repeat(200)}… · 1999`], 'long names are cut');
  openPanel(1, false);
  same([stage.text('#panel-title'), stage.text('#panel .by')], ['g', 'No artist or album in the tags'], 'nothing is known');
  same(detail(1), {}, 'no details');
  closePanel();
};

/* Theme, copying */

tests.theme = () => {
  localStorage.removeItem('nocturne-theme');
  setTheme('auto');
  const seen = [];
  let drawn = 0;
  drawStrips = () => { drawn++; };
  for (let turn = 0; turn < 3; turn++) { find('#theme').click(); seen.push([document.documentElement.dataset.theme, stage.text('#theme'),
    localStorage.getItem('nocturne-theme')]); }
  same([seen, drawn], [[['light', 'Theme: light', 'light'], ['dark', 'Theme: dark', 'dark'], [undefined, 'Theme: auto', null]], 3],
    'three themes in turn; strips are drawn again');
  drawStrips = null;
};

tests.copying = async () => {
  const copied = [], clipboard = { writeText: async text => { copied.push(text); } };
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
  const button = element('button', { 'data-copy': 'text' }, element('i'));
  document.body.append(button);
  button.firstChild.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await stage.calm();
  same([copied, stage.text('#toast'), find('#toast').className], [['text'], 'Copied', 'toast on'], 'copied');
  await stage.pass(1799);
  same(find('#toast').className, 'toast on', 'told for a while');
  await stage.pass(1);
  same(find('#toast').className, 'toast', 'and no longer');
  copy('a');
  await stage.pass(1000);
  copy('b');
  await stage.pass(1799);
  same(find('#toast').className, 'toast on', 'told anew');
  await stage.pass(1);
  clipboard.writeText = async () => { throw new Error('refused'); };
  const commands = stage.spy(document, 'execCommand', () => { commands.selected = document.activeElement.value; return commands.works; });
  commands.works = true;
  button.focus();
  await copy('old way');
  same([stage.text('#toast'), commands.flat(), commands.selected, document.activeElement === button, find('textarea')],
    ['Copied', ['copy'], 'old way', true, null], 'by a selection where there is no clipboard');
  commands.works = false;
  await copy('x');
  same(stage.text('#toast'), 'Not copied: select the text and copy it', 'or not at all');
  commands.restore();
  delete navigator.clipboard;
  button.remove();
  await stage.pass(1800);
};

/* Keys */

tests.keys = () => {
  showAll();
  const q = find('#q'), scrolled = stage.spy(find('#tracks'), 'scrollIntoView'), selected = stage.spy(q, 'select');
  document.activeElement.blur();
  for (const held of ['ctrlKey', 'metaKey', 'altKey']) same([stage.key(document.body, '/', { [held]: true }), document.activeElement.id],
    [false, ''], `${held} is for the browser`);
  same([stage.key(document.body, '/'), document.activeElement.id, scrolled.length, selected.length], [true, 'q', 1, 1], '/ goes to the search');
  same(stage.key(q, '/'), false, 'where it is a letter');
  same(stage.key(find('#sort'), '/'), false, 'and in a menu');
  q.value = state.query = 'title 01';
  apply();
  stage.key(q, 'Escape');
  same([q.value, state.query, view.length, document.activeElement.id], ['', '', 40, 'q'], 'Escape clears');
  stage.key(q, 'Escape');
  same(document.activeElement.id, '', 'and leaves');
  const menu = find('#columns-menu');
  menu.open = true;
  openPanel(0, true);
  stage.key(document.body, 'Escape');
  same([menu.open, document.activeElement.tagName, openTrack], [false, 'SUMMARY', 0], 'a menu is closed first');
  stage.key(document.body, 'Escape');
  same(openTrack, -1, 'then the panel');
  same([stage.key(q, 'ArrowDown'), current, document.activeElement.dataset.position], [true, 0, '0'], 'down to the rows');
  same([stage.key(q, 'Enter'), current, stage.key(q, 'x')], [true, 0, false], 'or Enter');
  openPanel(1, true);
  const close = find('#panel-close');
  same([stage.key(close, 'ArrowDown'), openTrack, stage.key(close, 'ArrowUp'), openTrack, stage.key(close, 'ArrowLeft')], [true, 2, true, 1, false],
    'steps in the panel');
  same(stage.key(close, 'Tab'), false, 'beside the page, Tab goes on');
  const canvas = element('canvas');
  find('#panel-body').append(canvas);
  same(stage.key(canvas, 'ArrowDown'), false, 'a strip has keys of its own');
  closePanel();
  document.activeElement.blur();
  same(stage.key(document.body, 'ArrowDown'), false, 'elsewhere they scroll');
  phone(true);
  openPanel(1, true);
  same([stage.key(document.body, '/'), document.activeElement.id], [false, 'panel-close'], 'no search behind a sheet');
  closePanel();
  phone(false);
  scrolled.restore();
  selected.restore();
};

tests.rowKeys = () => {
  show(many(100));
  const at = (position, key) => { goTo(position); const taken = stage.key(document.activeElement, key);
    return [taken, document.activeElement.dataset.position ?? document.activeElement.id]; };
  const page = Math.floor(900 / 36) - 3;
  cases('at', at, [[5, 'ArrowDown', [true, '6']], [5, 'ArrowUp', [true, '4']], [0, 'ArrowUp', [true, 'q']],
    [5, 'PageDown', [true, String(5 + page)]], [50, 'PageUp', [true, String(50 - page)]], [5, 'PageUp', [true, '0']],
    [5, 'Home', [true, '0']], [5, 'End', [true, '99']], [99, 'ArrowDown', [true, '99']], [5, 'x', [false, '5']]]);
  goTo(5);
  same([stage.key(document.activeElement, 'Enter'), openTrack, document.activeElement.id], [true, 5, 'panel-close'], 'Enter opens');
  closePanel();
  goTo(6);
  same([stage.key(document.activeElement, ' '), openTrack], [true, 6], 'the space bar too');
  goTo(7);
  stage.key(document.activeElement, 'ArrowDown');
  same([openTrack, document.activeElement.dataset.position], [8, '8'], 'an open panel follows; the focus stays in the rows');
  closePanel();
  const inner = innerHeight;
  Object.defineProperty(window, 'innerHeight', { value: 100, configurable: true });
  same(at(5, 'PageDown'), [true, '6'], 'a page is at least a row');
  Object.defineProperty(window, 'innerHeight', { value: inner, configurable: true, writable: true });
};

tests.focusInSheet = () => {
  showAll();
  phone(true);
  openPanel(1, true);
  const stops = [...find('#panel').querySelectorAll('button:not([disabled]), [tabindex="0"]')], [first, last] = [stops[0], stops.at(-1)];
  const tab = (from, shiftKey) => { from.focus(); const taken = stage.key(from, 'Tab', { shiftKey });
    return [taken, document.activeElement === first ? 'first' : document.activeElement === last ? 'last' : 'between']; };
  same([tab(last, false), tab(first, true), tab(first, false), tab(last, true), tab(stops[1], false)],
    [[true, 'first'], [true, 'last'], [false, 'first'], [false, 'last'], [false, 'between']], 'Tab goes around');
  closePanel();
  phone(false);
};

tests.stillFocus = async () => {
  show(many(30));
  const moves = async (what, act, count = 1) => same(await stage.focusing(act), Array(count).fill(true), what);
  await moves('/', () => { stage.key(document.body, '/'); });
  await moves('a row', () => goTo(2));
  await moves('the panel', () => openPanel(2, true), 2);
  await moves('its end', closePanel);
  state.values.confidence = 'right';
  state.query = 't';
  apply();
  await moves('a chip', () => find('.chip').click());
  await moves('Clear all', () => find('#status .link').click());
  find('#head button').focus();
  await moves('a heading', paintHead);
  const node = element('button', { tabindex: 0 });
  document.body.append(node);
  drag(node, () => () => {});
  await moves('what is dragged', () => { stage.pointer(node, 'pointerdown'); stage.pointer(node, 'pointerup'); });
  await moves('what had the focus before a copy', () => copyBySelection('x'));
  node.remove();
  await stage.pass(600);
};

/* Start, clicks, address, paper */

tests.opening = () => {
  showAll();
  const scrolled = stage.spy(find('#tracks'), 'scrollIntoView');
  const open = element('button', { 'data-open': 5 }), more = element('button', { 'data-show': 'genre=Jazz&q=title' });
  document.body.append(open, more);
  open.click();
  same(openTrack, 5, 'a button opens its track');
  closePanel();
  state.columns = ['bpm'];
  more.click();
  same([state.values.genre, state.query, find('#q').value, state.columns, find('[data-filter=genre]').value, scrolled.length],
    ['Jazz', 'title', 'title', ['bpm'], 'Jazz', 1], 'another shows some tracks, in the same columns');
  same(view.length, rowsWhere(row => row.genre === 'Jazz' && row.title).length, 'these');
  document.body.click();
  open.remove();
  more.remove();
  find('#rows tr.row').click();
  same(openTrack, view[0], 'a click on a row opens it');
  find('#scrim').click();
  same(openTrack, -1, 'one beside the sheet closes it');
  openPanel(view[1], true);
  find('#panel-next').click();
  same(openTrack, view[2], 'next');
  find('#panel-previous').click();
  find('#panel-previous').click();
  same(openTrack, view[0], 'previous');
  find('#panel-close').click();
  same(openTrack, -1, 'close');
  getSelection().selectAllChildren(find('#rows tr.row .title'));
  find('#rows tr.row').click();
  same(openTrack, -1, 'a selection of text is no click');
  getSelection().removeAllRanges();
  find('#rows').dispatchEvent(new MouseEvent('click'));
  same(openTrack, -1, 'nor is one between rows');
  find('#rows [data-position="3"]').focus();
  same(current, 3, 'the row with the focus is the current one');
  state.values = {};
  find('#q').value = 'title 02';
  find('#q').dispatchEvent(new Event('input'));
  same([state.query, view.length], ['title 02', rowsWhere(row => row.title?.includes('02')).length], 'typing searches');
  scrolled.restore();
};

tests.addresses = async () => {
  showAll();
  const scrolled = stage.spy(find('#tracks'), 'scrollIntoView');
  const at = fragment => { scrolled.length = 0; history.replaceState(null, '', `#${fragment}`); dispatchEvent(new Event('hashchange'));
    return [state.values, openTrack, scrolled.length]; };
  same(at('genre=Jazz'), [{ genre: 'Jazz' }, -1, 1], 'a filter');
  same(find('[data-filter=genre]').value, 'Jazz', 'in its menu');
  same(at('tracks'), [{ genre: 'Jazz' }, -1, 0], 'a place on the page changes nothing');
  same(at('q=title&track=/music/One/03+file.flac'), [{}, 3, 1], 'a track');
  same([find('#q').value, document.activeElement.id], ['title', 'panel-close'], 'open');
  same(at('track=/music/nothing'), [{}, 3, 1], 'a track that is not there');
  same(at('q=x'), [{}, -1, 1], 'no track closes the panel');
  same(at(''), [{}, -1, 0], 'nothing');
  same([trackOf('/music/Two/Deep/01 file.flac'), trackOf('/nothing'), trackOf('/music/One/00 file.flac')], [1, -1, 0], 'by its path');
  at('columns=bpm,genre');
  same([shownColumns.map(({ id }) => id), [...document.querySelectorAll('.menu input:checked')].map(box => box.dataset.column)],
    [['title', 'bpm', 'genre'], ['bpm', 'genre']], 'columns');
  scrolled.restore();
  at('');
  await stage.pass(600);
};

tests.printing = () => {
  show(many(600));
  const causes = [false, true].map(open => { const cause = element('details', { class: 'cause' }, element('summary')); cause.open = open;
    document.body.append(cause); return cause; });
  const open = () => causes.map(cause => cause.open);
  dispatchEvent(new Event('beforeprint'));
  same([isPrinting, open(), document.documentElement.classList.contains('on-paper'), find('#rows').childElementCount, hiddenForWidth],
    [true, [true, true], true, 500, 0], 'on paper');
  dispatchEvent(new Event('afterprint'));
  same([isPrinting, open(), document.documentElement.classList.contains('on-paper'), find('#rows').querySelectorAll('tr.row').length < 100,
    causes.map(cause => cause.dataset.opened)],
    [false, [false, true], false, true, [undefined, undefined]], 'and as it was');
  for (const cause of causes) cause.remove();
};

tests.scrolling = async () => {
  show(many(300));
  scrolled(36 * 100);
  dispatchEvent(new Event('scroll'));
  dispatchEvent(new Event('scroll'));
  same(firstRow, 0, 'not at once');
  await stage.pass(16);
  same(firstRow, 90, 'in the next frame');
  scrolled(36 * 150);
  dispatchEvent(new Event('resize'));
  await stage.pass(16);
  same(firstRow, 140, 'after another size too');
  unscrolled();
  paintRows(true);
};

tests.sizes = async () => {
  showAll();
  const watched = [], old = window.ResizeObserver;
  window.ResizeObserver = class { constructor(act) { this.act = act; watched.push(this); } observe(node) { this.node = node; } };
  watchSizes();
  window.ResizeObserver = old;
  const [table, tools] = watched;
  same(watched.map(({ node }) => node.id), ['tracks', 'tools'], 'watched');
  let strips = 0;
  drawStrips = () => { strips++; };
  const width = (node, value) => Object.defineProperty(find(node), 'clientWidth', { value, configurable: true });
  width('#charts', 700);
  width('#tracks', 700);
  roomFor(500);
  const chart = () => find('#charts svg'), before = chart();
  table.act();
  same([strips, chart() !== before, shownColumns.length < 6, find('#rows td.album')], [1, true, true, null], 'charts, strips and columns follow');
  const drawn = chart(), shown = find('#rows tr.row');
  table.act();
  same([strips, chart() === drawn, find('#rows tr.row') === shown], [1, true, true], 'the same width changes nothing');
  width('#charts', 600);
  table.act();
  same([strips, chart() !== drawn, find('#rows tr.row') === shown], [2, true, true], 'that of the charts alone');
  drawStrips = null;
  width('#charts', 650);
  table.act();
  width('#tracks', 1200);
  table.act();
  same([Boolean(find('#rows td.album')), stage.text('#columns-note')], [true, ''], 'that of the table alone');
  Object.defineProperty(find('#tools'), 'offsetHeight', { value: 81, configurable: true });
  tools.act();
  same(document.documentElement.style.getPropertyValue('--tools-height'), '80px', 'the heading stays below the tools');
  delete find('#tools').offsetHeight;
  for (const node of ['#charts', '#tracks']) delete find(node).clientWidth;
  openPanel(1, true);
  phone(true);
  isPhone.dispatchEvent(new Event('change'));
  same(find('#page').inert, true, 'a window that becomes as narrow as a phone');
  phone(false);
  isPhone.dispatchEvent(new Event('change'));
  same(find('#page').inert, false, 'and wide again');
  closePanel();
  find('#grid').parentNode.style.cssText = '';
};

tests.starting = async () => {
  for (const [id, value] of Object.entries(dataset(ROWS.slice(0, 5)))) document.body.append(element('script',
    { type: 'application/json', id, text: JSON.stringify(value) }));
  localStorage.setItem('nocturne-columns', 'bpm,nonsense,key');
  for (const id of ['#filters', '#charts']) find(id).replaceChildren();
  unpackedColumns.clear();
  orders.clear();
  [lastResult, searchTexts, allTracks, tempoBins, charts] = [null, null, null, null, []];
  const hidden = ['copy', 'link'].map(name => { const node = element('button', { class: name, hidden: true }); document.body.append(node);
    return node; });
  find('#tracks').hidden = find('#theme').hidden = true;
  const old = { listen: window.listen, watchSizes: window.watchSizes };
  window.listen = window.watchSizes = () => {};
  try { start(); } finally { Object.assign(window, old); }
  same([trackCount, state.columns, hidden.map(node => node.hidden), find('#tracks').hidden, find('#theme').hidden,
    document.getElementById('library')], [5, ['bpm', 'key'], [false, false], false, false, null], 'started');
  await stage.pass(20);
  same(searchTexts?.length, 5, 'search is prepared');
  localStorage.removeItem('nocturne-columns');
  for (const node of hidden) node.remove();
  showAll();
};
