/* The panel of one track: beside the table, on phones a sheet over the page */

let details = null;
/** What is known of a track beyond the columns. */
const detail = track => (details ||= takeJSON('details')).tracks[track] || {};

const panelWidth = () => Math.min(480, innerWidth) - (isPhone.matches ? 32 : 48);

function panelHead(track, envelope) {
  const words = [entry('artist', track), entry('album', track), measured('year', track, String)].filter(Boolean);
  const title = element('h2', { id: 'panel-title', class: 'tag', text: shortened(trackName(track), 300) });
  const by = words.map(part => shortened(part, 200)).join(' · ') || 'No artist or album in the tags';
  return element('div', { class: 'panel-head' }, envelope && print(envelope, 64),
    element('div', {}, title, element('p', { class: 'by tag', text: by })));
}

const isModal = () => openTrack >= 0 && isPhone.matches;
/** On phones the page waits below the sheet. */
function setModal() {
  find('#panel').setAttribute('aria-modal', isModal());
  find('#page').inert = isModal();
}

let focusBefore = null, drawStrips = null;
function openPanel(track, fromUser) {
  if (openTrack < 0 && fromUser) focusBefore = document.activeElement;
  openTrack = track;
  const about = detail(track), envelope = about.onsets ? bytesOf(about.onsets[1]) : null, words = tempoWords(track);
  const strips = makeStrips(track, about, envelope);
  const parts = [
    panelHead(track, envelope), warnings(track), column('status')[track] < FAILED && facts(track),
    words && element('p', { class: 'say', text: words }), strips.nodes, tempoMap(track), tempoCandidates(track),
      correction(track),
    keyCandidates(track), neighborList('Sounds like', hasColumn('bpm') && 'BPM and key', soundNeighbors(track)),
    neighborList('Mixes well with', 'close in tempo and key', mixNeighbors(track)), soundFacts(track), tagFacts(track),
      fileFacts(track)
  ];
  find('#panel-body').replaceChildren(...parts.flat().filter(Boolean));
  const panel = find('#panel');
  panel.hidden = false;
  panel.scrollTop = 0;
  setModal();
  document.body.classList.add('has-panel');
  drawStrips = strips.draw;
  if (drawStrips) drawStrips();
  current = view.indexOf(track);
  paintPlace();
  paintRows(true);
  writeAddress();
  if (fromUser) find('#panel-close').focus({ preventScroll: true });
}

function paintPlace() {
  const place = openTrack >= 0 ? view.indexOf(openTrack) : -1;
  find('#panel-place').textContent = place >= 0 ? `${grouped.format(place + 1)} of ${grouped.format(view.length)}`
    : 'not in the list below';
  find('#panel-previous').disabled = find('#panel-next').disabled = !view.length;
}

function closePanel() {
  const track = openTrack;
  openTrack = -1;
  drawStrips = null;
  find('#panel').hidden = true;
  setModal();
  document.body.classList.remove('has-panel');
  current = view.indexOf(track);
  paintRows(true);
  writeAddress();
  // Rows are made anew all the time, so the focus goes to the row of the track; other openers get it back themselves.
  const row = find(`#rows [data-position="${current}"]`);
  const opener = focusBefore && focusBefore.isConnected && focusBefore !== document.body
    && !focusBefore.closest('#rows') ? focusBefore : null;
  (opener || row || find('#q')).focus({ preventScroll: true });
  focusBefore = null;
}

/** To the track above or below in the list. */
function step(by) {
  if (!view.length) return;
  const place = view.indexOf(openTrack);
  const next = place < 0 ? 0 : Math.max(0, Math.min(view.length - 1, place + by));
  openPanel(view[next], false);
  scrollRowIntoView();
}
function scrollRowIntoView() {
  if (isPhone.matches || current < 0) return;
  const top = find('#rows').getBoundingClientRect().top + current * rowHeight(), above = headHeight();
  if (top < above) scrollBy(0, top - above);
  else if (top + rowHeight() > innerHeight) scrollBy(0, top + rowHeight() - innerHeight);
}
