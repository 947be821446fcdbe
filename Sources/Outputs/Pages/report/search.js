/* Search */

const SEARCHED_DICTIONARIES = ['artist', 'album', 'genre', 'folder'];
let searchTexts = null, searchIndexes = null;

/** Folds the titles and file names of up to `count` more tracks; whether all are done. */
function prepareSearch(count) {
  if (!searchTexts) {
    searchTexts = [];
    // Artists and other entries of dictionaries are searched once for each name, not once for each track.
    searchIndexes = SEARCHED_DICTIONARIES.map(name => {
      const entries = dictionary(name).map(item => folded(name === 'folder' ? table.root + item : item));
      return { entries, indexes: Uint32Array.from(column(name), index => known(index) ? index : entries.length) };
    });
  }
  const end = Math.min(trackCount, searchTexts.length + count);
  for (let track = searchTexts.length; track < end; track++) {
    searchTexts.push(folded(`${tagTitle(track) || ''}\n${fileName(track)}`));
  }
  return end === trackCount;
}
function prepareSearchWhenIdle() {
  if (!prepareSearch(4000)) whenIdle(prepareSearchWhenIdle);
}

/** Those of the tracks that have this word in one of their texts. */
function withWord(word, tracks) {
  prepareSearch(trackCount);
  const [artist, album, genre, folder] = searchIndexes.map(({ entries, indexes }) => {
    const hits = new Uint8Array(entries.length + 1);
    entries.forEach((item, index) => { if (item.includes(word)) hits[index] = 1; });
    return { hits, indexes };
  });
  const found = new Uint32Array(tracks.length);
  let count = 0;
  for (const track of tracks) {
    if (artist.hits[artist.indexes[track]] || album.hits[album.indexes[track]] || genre.hits[genre.indexes[track]] ||
      folder.hits[folder.indexes[track]] || searchTexts[track].includes(word)) found[count++] = track;
  }
  return found.subarray(0, count);
}

/* Order */

const orders = new Map();
/** All tracks in an order; unknown values last in both directions. Kept, because filtering does not change it. */
function order(id, descending) {
  const name = `${id} ${descending}`;
  if (!orders.has(name)) {
    const tracks = Uint32Array.from({ length: trackCount }, (_, track) => track);
    if (id) {
      const values = tableColumn(id).values(), sign = descending ? -1 : 1;
      tracks.sort((a, b) => {
        const x = values[a], y = values[b];
        if (!known(x) || !known(y)) return known(x) ? -1 : known(y) ? 1 : a - b;
        return (x - y) * sign || a - b;
      });
    }
    orders.set(name, tracks);
  }
  return orders.get(name);
}

let lastResult = null;
/** Finds the tracks to show. A longer query searches only the last result. */
function apply() {
  const active = filters.filter(({ parameter }) => state.values[parameter] != null);
  const values = active.map(({ parameter, write }) => [parameter, write(state.values[parameter])]);
  const restricted = JSON.stringify([values, state.sort, state.descending]), query = folded(state.query);
  const isNarrower = lastResult && lastResult.restricted === restricted && query.startsWith(lastResult.query);
  if (isNarrower) view = lastResult.view;
  else {
    const tests = active.map(filter => filter.test(state.values[filter.parameter])),
      all = order(state.sort, state.descending);
    view = tests.length ? all.filter(track => tests.every(test => test(track))) : all;
  }
  // The longest word leaves the fewest tracks for the others.
  for (const word of query.split(/[\s/]+/).filter(Boolean).sort((a, b) => b.length - a.length)) view =
    withWord(word, view);
  lastResult = { restricted, query, view };
  const durations = column('duration');
  viewDuration = 0;
  for (const track of view) if (known(durations[track])) viewDuration += durations[track];
  current = openTrack >= 0 ? view.indexOf(openTrack) : -1;
  paintStatus(active);
  showFirstRow();
  paintRows(true);
  paintPlace();
  writeAddress();
}

let applyFrame = 0;
function applySoon() {
  if (applyFrame) return;
  applyFrame = requestAnimationFrame(() => { applyFrame = 0; apply(); syncControls(); });
}
