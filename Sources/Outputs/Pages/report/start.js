/* Start */

const showTracks = () => find('#tracks').scrollIntoView();

/** Shows exactly the tracks of a fragment, as links of the causes and new folders do. */
function showFragment(fragment) {
  const columns = state.columns;
  readState(fragment);
  state.columns = columns;
  find('#q').value = state.query;
  paintHead();
  apply();
  syncControls();
  showTracks();
}

function onClick(event) {
  const target = event.target.closest('[data-copy], [data-show], [data-open]');
  if (!target) return;
  if (target.dataset.copy != null) copy(target.dataset.copy);
  else if (target.dataset.show != null) showFragment(target.dataset.show);
  else openPanel(+target.dataset.open, true);
}

function trackOf(wanted) {
  for (let track = 0; track < trackCount; track++) if (path(track) === wanted) return track;
  return -1;
}

/** Sets everything from the address: at the start, and when somebody edits it. */
function showAddress() {
  const fragment = location.hash.slice(1);
  if (fragment && !fragment.includes('=')) return; // a place on the page
  const wanted = readState(fragment);
  find('#q').value = state.query;
  chooseColumns();
  paintColumnMenu();
  apply();
  syncControls();
  if (wanted) {
    const track = trackOf(wanted);
    if (track >= 0) { openPanel(track, true); scrollRowIntoView(); }
  } else if (openTrack >= 0) closePanel();
  if (fragment) showTracks();
}

function listen() {
  document.addEventListener('click', onClick);
  document.addEventListener('keydown', onKey);
  find('#q').addEventListener('input', event => { state.query = event.target.value; apply(); });
  find('#rows').addEventListener('click', event => {
    const row = event.target.closest('tr.row');
    if (row && !String(getSelection())) openPanel(view[+row.dataset.position], true);
  });
  find('#rows').addEventListener('focusin', event => {
    const row = event.target.closest('tr.row');
    if (row) current = +row.dataset.position;
  });
  find('#theme').addEventListener('click', nextTheme);
  find('#panel-close').addEventListener('click', closePanel);
  find('#scrim').addEventListener('click', closePanel);
  find('#panel-previous').addEventListener('click', () => step(-1));
  find('#panel-next').addEventListener('click', () => step(1));
  addEventListener('hashchange', showAddress);
  let frame = 0;
  const paintSoon = () => { frame ||= requestAnimationFrame(() => { frame = 0; paintRows(false); }); };
  addEventListener('scroll', paintSoon, { passive: true });
  addEventListener('resize', paintSoon);
  addEventListener('beforeprint', () => setPrinting(true));
  addEventListener('afterprint', () => setPrinting(false));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (drawStrips) drawStrips(); });
}

/** Paper has more rows, columns for its width, and the files of all causes. */
function setPrinting(isOnPaper) {
  isPrinting = isOnPaper;
  for (const cause of document.querySelectorAll('.cause')) {
    if (isOnPaper && !cause.open) cause.dataset.opened = cause.open = true;
    else if (!isOnPaper && cause.dataset.opened) { delete cause.dataset.opened; cause.open = false; }
  }
  // The width of a sheet of A4 between its margins: only paper itself would tell, and only when it is too late to draw.
  document.documentElement.classList.toggle('on-paper', isOnPaper);
  drawCharts();
  chooseColumns();
  paintRows(true);
}

/** Redraws what depends on the width of the window. */
function watchSizes() {
  let chartWidth = 0, tableWidth = 0;
  new ResizeObserver(() => {
    const width = find('#charts').clientWidth, room = find('#tracks').clientWidth;
    if (width !== chartWidth) { chartWidth = width; drawCharts(); if (drawStrips) drawStrips(); }
    if (room !== tableWidth) { tableWidth = room; chooseColumns(); paintColumnMenu(); paintRows(true); }
  }).observe(find('#tracks'));
  const tools = find('#tools');
  new ResizeObserver(() => {
    document.documentElement.style.setProperty('--tools-height', `${tools.offsetHeight - 1}px`);
  }).observe(tools);
  isPhone.addEventListener('change', () => { setModal(); chooseColumns(); paintRows(true); });
}

/** Safari has no idle callbacks. */
function whenIdle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work, 50);
}

function start() {
  library = takeJSON('library');
  table = takeJSON('columns');
  trackCount = table.rows;
  for (const node of document.querySelectorAll('.copy, .link, #theme, #tracks')) node.hidden = false;
  const columns = remembered('columns');
  if (columns) state.columns = columns.split(',').filter(isTableColumn);
  makeFilters();
  makeCharts();
  listen();
  showAddress();
  watchSizes();
  whenIdle(() => { paintPrints(); prepareSearchWhenIdle(); });
}

setTheme(THEMES.includes(remembered('theme')) ? remembered('theme') : 'auto');
// The markup is painted before the data is read.
requestAnimationFrame(() => setTimeout(start));
