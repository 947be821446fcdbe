/* Search field, filters and chips */

/** "273 tracks, 5 failed": files that failed or were passed over are rows, and no tracks. */
function rowWords(rows, all) {
  const counts = [0, 0, 0, 0], status = column('status');
  for (const row of rows) counts[status[row]]++;
  const tracks = counts[OK] + counts[DAMAGED], [, , failed, others] = counts;
  return [all != null && all !== tracks ? `${grouped.format(tracks)} of ${plural(all, 'track')}` : plural(tracks, 'track'),
    failed && `${grouped.format(failed)} failed`, others && `${grouped.format(others)} not analyzed`].filter(Boolean).join(', ');
}
let allTracks = null;
/** How many tracks the library has. */
const countOfTracks = () => allTracks ??= column('status').reduce((sum, status) => sum + (status < FAILED), 0);

let announceTimer = 0;
function paintStatus(active) {
  const isFiltered = active.length > 0 || state.query !== '';
  const count = rowWords(view, isFiltered ? countOfTracks() : null);
  const nodes = [element('span', { class: 'count', text: viewDuration ? `${count} · ${span(viewDuration)}` : count })];
  for (const filter of active) {
    const words = filter.chip(state.values[filter.parameter]);
    const chip = element('button', { class: 'chip', type: 'button', 'aria-label': `Remove filter: ${words}` },
      element('span', { class: 'tag', text: shortened(words, 80) }), '×');
    chip.onclick = () => { setFilter(filter.parameter, null); find('#q').focus({ preventScroll: true }); };
    nodes.push(chip);
  }
  if (isFiltered) {
    const clear = element('button', { class: 'link', type: 'button', text: 'Clear all' });
    clear.onclick = () => { clearFilters(); find('#q').focus({ preventScroll: true }); };
    nodes.push(clear);
  }
  find('#status').replaceChildren(...nodes);
  find('#empty').hidden = view.length > 0;
  find('#grid').hidden = view.length === 0;
  find('#empty b').textContent = trackCount ? 'No tracks match.' : 'No tracks yet.';
  find('#empty span').textContent = trackCount ? 'Remove a filter, or search for fewer words.'
    : 'Run analyze on a folder with music.';
  find('#print-note').textContent = view.length > PRINTED_ROWS
    ? `The first ${PRINTED_ROWS} of ${plural(view.length, 'row')}.` : '';
  clearTimeout(announceTimer); // a screen reader should hear the count after typing, not at each key
  announceTimer = setTimeout(
    () => { find('#live').textContent = view.length ? rowWords(view) : 'No tracks match.'; }, 500);
}

function counted(name) {
  const counts = new Uint32Array(dictionary(name).length);
  for (const index of column(name)) if (known(index)) counts[index]++;
  return dictionary(name).map((text, index) => [text, counts[index]]).sort((a, b) => b[1] - a[1]);
}

/** A menu of values for one filter; left out if there is nothing to choose. */
function selectFor(parameter, title, spoken, options) {
  if (!options.length) return null;
  const select = element('select', { 'data-filter': parameter }, element('option', { value: '', text: title }),
    ...options.map(([value, words]) => element('option', { value, text: shortened(words, 80) })));
  const filter = filters.find(item => item.parameter === parameter);
  select.onchange = () => setFilter(parameter, select.value ? filter.read(select.value) : null);
  return element('label', { class: 'field' }, element('span', { class: 'sr', text: spoken }), select);
}

const MENU_LENGTH = 60;
function makeFilters() {
  const withCount = ([text, count]) => [text, `${text} (${grouped.format(count)})`];
  const tempos = hasColumn('bpm') ? Object.entries(CONFIDENCE).map(([value, { option }]) => [value, option]) : [];
  const genres = dictionary('genre').length
    ? [...counted('genre').slice(0, MENU_LENGTH).map(withCount), ['none', 'No genre']] : [];
  const codecs = dictionary('codec').length > 1 ? counted('codec').map(withCount) : [];
  const any = test => { for (let track = 0; track < trackCount; track++) if (test(track)) return true; return false; };
  const statuses = Object.entries(STATUS).filter(([, { test }]) => any(test)).map(
    ([value, { name }]) => [value, name()]);
  const codes = new Set(column('problem'));
  statuses.push(...library.problems.filter((_, index) => codes.has(index)).map(({ code, name }) => [code, name]));
  const nodes = [sortSelect(),
    hasColumn('bpm') ? element('div', { class: 'mini' }, element('div', { id: 'mini' }),
    element('span', { id: 'mini-text', text: 'Any tempo' })) : null,
    selectFor('confidence', 'Confidence', 'Tempo confidence', tempos), selectFor('genre', 'Genre', 'Genre', genres),
    selectFor('format', 'Format', 'Format', codecs), selectFor('status', 'Status', 'Status', statuses), columnMenu()];
  find('#filters').append(...nodes.filter(Boolean));
}

/** On phones, where the table has no headings. */
function sortSelect() {
  const words = { title: ['Title, A to Z'], artist: ['Artist, A to Z'], bpm: ['Slowest first', 'Fastest first'],
    key: ['Key'],
    length: ['Shortest first', 'Longest first'], loudness: ['Quietest first', 'Loudest first'],
      year: ['Oldest first', 'Newest first'] };
  const options = tableColumns.filter(({ id, has }) => words[id] && has())
    .flatMap(({ id }) => words[id].map((text, index) => element('option', { value: (index ? '-' : '') + id, text })));
  const select = element('select', { id: 'sort' }, element('option', { value: '', text: 'Sort: folder' }), ...options);
  select.onchange = () => {
    state.sort = select.value.replace(/^-/, '');
    state.descending = select.value.startsWith('-');
    paintHead();
    apply();
  };
  return element('label', { class: 'field sort' }, element('span', { class: 'sr', text: 'Sort by' }), select);
}

function columnMenu() {
  const choices = tableColumns.filter(({ id, has }) => id !== 'title' && has()).map(item => {
    const box = element('input', { type: 'checkbox', 'data-column': item.id });
    box.onchange = () => {
      const chosen = [...document.querySelectorAll('.menu input:checked')].map(input => input.dataset.column);
      const usual = tableColumns.filter(({ id, has, chosen }) => chosen && has() && id !== 'title').map(({ id }) => id);
      state.columns = chosen.join() === usual.join() ? null : chosen;
      remember('columns', state.columns ? state.columns.join() : null);
      chooseColumns();
      paintRows(true);
      writeAddress();
      paintColumnMenu();
    };
    return element('label', {}, box, item.name || item.label);
  });
  const menu = element('details', { class: 'menu', id: 'columns-menu' }, element('summary', { text: 'Columns' }),
    element('fieldset', {}, element('legend', { class: 'sr', text: 'Columns of the table' }), ...choices,
      element('p', { id: 'columns-note' })));
  document.addEventListener('click', event => { if (!menu.contains(event.target)) menu.open = false; });
  return menu;
}

function paintColumnMenu() {
  for (const box of document.querySelectorAll('.menu input')) {
    const id = box.dataset.column;
    box.checked = state.columns ? state.columns.includes(id) : tableColumn(id).chosen === true;
  }
  find('#columns-note').textContent = hiddenForWidth
    ? `${plural(hiddenForWidth, 'chosen column')} ${hiddenForWidth === 1 ? 'has' : 'have'} no room in this window.`
      : '';
}

const painters = [];
/** Makes menus and charts show the state. */
function syncControls() {
  for (const select of document.querySelectorAll('[data-filter]')) {
    const value = state.values[select.dataset.filter];
    select.value = value ?? '';
    select.parentNode.classList.toggle('on', value != null);
  }
  find('#sort').value = (state.descending ? '-' : '') + state.sort;
  for (const paint of painters) paint();
}

function remember(name, value) {
  try { // storage is refused where pages from files may not have any
    if (value == null) localStorage.removeItem(`nocturne-${name}`);
      else localStorage.setItem(`nocturne-${name}`, value);
  } catch { /* The choice then lasts until the page is closed. */ }
}
function remembered(name) {
  try { return localStorage.getItem(`nocturne-${name}`); } catch { return null; }
}
