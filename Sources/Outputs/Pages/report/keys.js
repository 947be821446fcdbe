/* Keyboard */

function onKey(event) {
  const target = event.target, isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
  const search = find('#q'), menu = find('#columns-menu');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !isTyping && !isModal()) {
    event.preventDefault();
    showTracks();
    search.focus({ preventScroll: true });
    search.select();
  } else if (event.key === 'Escape') {
    if (menu && menu.open) { menu.open = false; menu.querySelector('summary').focus(); }
    else if (openTrack >= 0) closePanel();
    else if (target === search && search.value) { search.value = state.query = ''; apply(); }
    else if (target === search) search.blur();
  } else if (event.key === 'Tab' && isModal()) {
    keepFocusInPanel(event);
  } else if (target === search && (event.key === 'Enter' || event.key === 'ArrowDown')) {
    event.preventDefault();
    goTo(0);
  } else if (target.closest('#rows tr')) {
    onRowKey(event);
  } else if (target.closest('#panel') && target.tagName !== 'CANVAS' && /^Arrow(Down|Up)$/.test(event.key)) {
    event.preventDefault();
    step(event.key === 'ArrowDown' ? 1 : -1);
  }
}

function onRowKey(event) {
  const position = +event.target.closest('tr').dataset.position,
    page = Math.max(1, Math.floor(innerHeight / rowHeight()) - 3);
  const next = { ArrowDown: position + 1, ArrowUp: position - 1, PageDown: position + page,
    PageUp: Math.max(0, position - page), Home: 0, End: view.length - 1 }[event.key];
  if (next != null) {
    event.preventDefault();
    if (next < 0) { find('#q').focus(); return; }
    goTo(next);
    if (openTrack >= 0) { openPanel(view[current], false); focusRow(); }
  } else if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    openPanel(view[position], true);
  }
}

function keepFocusInPanel(event) {
  const stops = [...find('#panel').querySelectorAll('button:not([disabled]), [tabindex="0"]')];
  const [first, last] = [stops[0], stops[stops.length - 1]], focused = document.activeElement;
  const next = event.shiftKey ? focused === first && last : focused === last && first;
  if (!next) return;
  event.preventDefault();
  next.focus();
}
