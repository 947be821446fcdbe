/* Rows. Only those in the window and a few around it exist. */

const PRINTED_ROWS = 500, SPARE_ROWS = 10;
let firstRow = -1, lastRow = -1, isPrinting = false;
const rowHeight = () => isPhone.matches ? 60 : 36;

function makeRow(position) {
  const track = view[position], isCurrent = position === current || (current < 0 && position === 0);
  const row = element('tr',
    { class: track === openTrack ? 'row open' : 'row', role: 'row', tabindex: isCurrent ? 0 : -1,
    'aria-rowindex': position + 2, 'aria-selected': track === openTrack ? 'true' : false, 'data-position': position });
  row.append(element('td', { class: 'state', role: 'cell' }, statusShape(track)));
  for (const item of shownColumns) {
    const cell = element('td', { class: [item.id, item.class].filter(Boolean).join(' '), role: 'cell' });
    if (item.cell) item.cell(track, cell);
    else {
      const text = item.text(track);
      if (text == null) cell.append(element('span', { class: 'dim', text: '–' }));
      else cell.textContent = shortened(text, 200);
    }
    row.append(cell);
  }
  return row;
}

const spacer = height => {
  const row = element('tr', { class: 'spacer', role: 'presentation' });
  row.style.height = `${height}px`;
  return row;
};

function paintRows(force) {
  const body = find('#rows'), height = rowHeight(), top = -body.getBoundingClientRect().top;
  let from = Math.max(0, Math.floor(top / height) - SPARE_ROWS);
  let to = Math.min(view.length, Math.ceil((top + innerHeight) / height) + SPARE_ROWS);
  from = Math.min(from, Math.max(0, view.length - 2 * SPARE_ROWS));
  if (isPrinting) [from, to] = [0, Math.min(PRINTED_ROWS, view.length)];
  else if (from === 0) to = Math.max(to, Math.min(view.length, 2 * SPARE_ROWS));
  if (!force && from === firstRow && to === lastRow) return;
  [firstRow, lastRow] = [from, to];
  const hadFocus = document.activeElement && body.contains(document.activeElement);
  const rows = [];
  if (from > 0) rows.push(spacer(from * height));
  for (let position = from; position < to; position++) rows.push(makeRow(position));
  if (to < view.length && !isPrinting) rows.push(spacer((view.length - to) * height));
  body.replaceChildren(...rows);
  find('#grid').setAttribute('aria-rowcount', view.length + 1);
  if (hadFocus) focusRow();
}

function focusRow() {
  const row = find(`#rows [data-position="${current}"]`);
  if (row) row.focus({ preventScroll: true });
}

/** The height of what stays in sight above the rows. */
const headHeight = () => find('#tools').offsetHeight + (isPhone.matches ? 0 : 33);

/** Other rows are shown from the first one on, wherever the old ones were scrolled to. */
function showFirstRow() {
  const over = headHeight() - find('#rows').getBoundingClientRect().top;
  if (over > 0) scrollBy(0, -over);
}

/** Moves the focus to a row and the row into sight. */
function goTo(position) {
  if (!view.length) return;
  current = Math.max(0, Math.min(view.length - 1, position));
  const height = rowHeight(), y = find('#rows').getBoundingClientRect().top + scrollY + current * height;
  const above = headHeight();
  if (y < scrollY + above) scrollTo(0, y - above);
  else if (y + height > scrollY + innerHeight) scrollTo(0, y + height - innerHeight);
  paintRows(true);
  focusRow();
}
