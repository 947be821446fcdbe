/* What is shown: filters, order and columns. The address keeps it, so that a view can be bookmarked. */

const state = { query: '', values: {}, sort: '', descending: false, columns: null };
let view = [], viewDuration = 0;
let current = -1; // position in the view of the row that has or had the focus
let openTrack = -1;
const isPhone = matchMedia('(max-width: 640px)');

function setFilter(parameter, value) {
  state.values[parameter] = value;
  applySoon();
}
/** Sets a filter, or takes it away if it already has this value. */
function toggleFilter(parameter, value) {
  const old = state.values[parameter];
  setFilter(parameter, JSON.stringify(old) === JSON.stringify(value) ? null : value);
}
function clearFilters() {
  state.values = {};
  state.query = find('#q').value = '';
  applySoon();
}

/** Sets the state from `q=…&bpm=…`. Unknown names and values are left out. */
function readState(fragment) {
  const parameters = new URLSearchParams(fragment);
  state.query = parameters.get('q') || '';
  state.values = {};
  for (const filter of filters) {
    const value = parameters.has(filter.parameter) ? filter.read(parameters.get(filter.parameter)) : null;
    if (value != null) state.values[filter.parameter] = value;
  }
  const sort = parameters.get('sort') || '', sorted = tableColumn(sort.replace(/^-/, ''));
  state.sort = sorted ? sorted.id : '';
  state.descending = sort.startsWith('-');
  if (parameters.has('columns')) state.columns = parameters.get('columns').split(',').filter(isTableColumn);
  return parameters.get('track');
}

function stateFragment() {
  const parameters = new URLSearchParams();
  if (state.query) parameters.set('q', state.query);
  for (const filter of filters) {
    const value = state.values[filter.parameter];
    if (value != null) parameters.set(filter.parameter, filter.write(value));
  }
  if (state.sort) parameters.set('sort', (state.descending ? '-' : '') + state.sort);
  if (state.columns) parameters.set('columns', state.columns.join(','));
  if (openTrack >= 0) parameters.set('track', path(openTrack));
  return parameters.toString();
}

// Browsers allow only so many changes of the address in a while, so it follows when typing pauses.
let addressTimer = 0;
function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const fragment = stateFragment();
    const address = fragment ? `#${fragment}` : location.pathname + location.search;
    if (fragment || location.hash.includes('=')) history.replaceState(null, '', address);
  }, 200);
}
