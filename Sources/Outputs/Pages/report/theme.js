/* Theme, and copying to the clipboard */

const THEMES = ['auto', 'light', 'dark'];
function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  find('#theme').textContent = `Theme: ${theme}`;
  if (drawStrips) drawStrips();
}
function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || 'auto') + 1) % THEMES.length];
  setTheme(theme);
  remember('theme', theme === 'auto' ? null : theme);
}

let toastTimer = 0;
async function copy(text) {
  let words = 'Copied';
  try { await navigator.clipboard.writeText(text); } catch { words = copyBySelection(text) ? 'Copied'
    : 'Not copied: select the text and copy it'; }
  const toast = find('#toast');
  toast.textContent = words;
  toast.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove('on'), 1800);
}
/** For pages from files, where some browsers have no clipboard. */
function copyBySelection(text) {
  const field = element('textarea', { class: 'sr' });
  field.value = text;
  document.body.append(field);
  const before = document.activeElement;
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before) before.focus({ preventScroll: true });
  return done;
}
