// The app: screens, header, keys.

import { find } from './shared.js';
import { kept, say } from './parts.js';
import { connect, disconnect, server, unlock } from './server.js';
import { screen, show, startRouter } from './router.js';
import { player } from './player.js';
import { startPlayerBar } from './player-bar.js';
import { showSearch } from './search.js';
import { showLibrary } from './library.js';
import { showAlbum, showArtist, showGenre } from './albums.js';
import { showTrack } from './track.js';
import { showPlaylist } from './playlists.js';
import { showQueue } from './queue.js';
import { showListen } from './listen.js';
import { showMetronome } from './metronome-screen.js';
import { showReport } from './report.js';
import { showDuplicates } from './duplicates.js';
import { showLogin } from './login.js';

screen('search', 'search', showSearch);
screen('library', 'library', showLibrary);
screen('album', 'library', showAlbum);
screen('artist', 'library', showArtist);
screen('genre', 'library', showGenre);
screen('track', '', showTrack);
screen('playlist', 'library', showPlaylist);
screen('queue', '', showQueue);
screen('listen', 'listen', showListen);
screen('metronome', 'metronome', showMetronome);
screen('report', 'report', showReport);
screen('duplicates', 'report', showDuplicates);

/* Theme */

const THEMES = ['auto', 'light', 'dark'];
function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  find('#theme').textContent = `Theme: ${theme}`;
  dispatchEvent(new Event('theme'));
}
find('#theme').addEventListener('click', () => {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || 'auto') + 1) % THEMES.length];
  setTheme(theme);
  kept.write('theme', theme);
});
setTheme(THEMES.includes(kept.read('theme')) ? kept.read('theme') : 'auto');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => dispatchEvent(new Event('theme')));

/* What the header tells */

function showRun(run) {
  const bar = find('#progress');
  bar.hidden = !run;
  if (!run) return;
  find('#state').textContent = run.text;
  if (run.total) bar.value = run.done / run.total;
    else bar.removeAttribute('value');
}
const showStatus = status => {
  find('#state').textContent = status.text;
  showRun(status.run);
};
server.addEventListener('hello', event => showStatus(event.detail));
server.addEventListener('run', event => showRun(event.detail));
server.addEventListener('run-ended', event => {
  showRun(null);
  if (event.detail.text) find('#state').textContent = event.detail.text;
});
server.addEventListener('library', event => {
  if (find('#progress').hidden) find('#state').textContent = event.detail.text;
});
server.addEventListener('gone', () => {
  find('#gone').textContent = 'The server stopped. Run analyze serve again; this page reconnects by itself.';
  find('#gone').hidden = false;
});
server.addEventListener('back', () => {
  find('#gone').hidden = true;
  say('The server answers again.');
});

/* A token is needed */

server.addEventListener('locked', () => {
  disconnect();
  showLogin(() => {
    unlock();
    connect();
    show();
  });
});

/* Keys */

find('#skip').addEventListener('click', event => { event.preventDefault(); find('#main').focus(); });
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || find('dialog[open]')) return;
  const { target } = event, isField = target.matches('input:not([type=range], [type=checkbox]), select, textarea');
  if (isField && event.key !== 'Escape') return;
  const acts = {
    '/': () => { if (find('#q')) { find('#q').focus(); find('#q').select(); } else location.hash = '#/search'; },
    ' ': () => player.toggle(), n: () => player.next(), p: () => player.previous(), c: () => player.toggleClicks(),
    m: () => { location.hash = '#/metronome'; }, l: () => { location.hash = '#/listen'; }
  };
  const act = acts[event.key];
  if (!act || (event.key === ' ' && target.matches('button, a, summary, input, [role=slider]'))) return;
  event.preventDefault();
  act();
});

startPlayerBar();
startRouter();
connect();
