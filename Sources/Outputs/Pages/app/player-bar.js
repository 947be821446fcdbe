// The player at the bottom of every screen.

import { clock, element, find, grouped } from './shared.js';
import { art } from './art.js';
import { address, byline, markPlaying } from './parts.js';
import { player } from './player.js';
import { drawOverview, soundOfTrack, steer, tellPosition } from './strips.js';

const PLAY = 'M5 2.5v11l8-5.5z', PAUSE = 'M4 3h3v10H4zM9 3h3v10H9z';
let sound = null, lastColumn = -1;

export function startPlayerBar() {
  const strip = find('#player-strip');
  find('#player-play').addEventListener('click', () => player.toggle());
  find('#player-previous').addEventListener('click', () => player.previous());
  find('#player-next').addEventListener('click', () => player.next());
  find('#player-clicks').addEventListener('click', () => player.toggleClicks());
  steer(strip, { seek: seconds => player.seek(seconds), place: () => player });
  player.addEventListener('track', showTrack);
  player.addEventListener('state', showState);
  player.addEventListener('queue', showState);
  player.addEventListener('time', () => draw(true));
  player.addEventListener('clicks', showState);
  addEventListener('resize', () => draw(true));
  addEventListener('theme', () => draw(true));
  showTrack();
  showState();
}

async function showTrack() {
  const { track } = player;
  markPlaying(track?.id ?? null);
  find('#player').hidden = !track;
  document.body.classList.toggle('has-player', Boolean(track));
  if (!track) return;
  find('#player-track').href = address('track', track.id);
  find('#player-track').replaceChildren(art(track.id, 44), element('span', {},
    element('span', { class: 'nm tag', text: track.title || track.file }), element('span', { class: 'sub tag', text: byline(track) })));
  sound = { peaks: new Float32Array(0), levels: null };
  draw(true);
  const found = await soundOfTrack(track);
  if (track === player.track) sound = found;
  draw(true);
}

function showState() {
  const button = find('#player-play');
  button.setAttribute('aria-label', player.isPlaying ? 'Pause' : 'Play');
  button.querySelector('path').setAttribute('d', player.isPlaying ? PAUSE : PLAY);
  find('#player-clicks').setAttribute('aria-pressed', player.hasClicks);
  find('#player-next').disabled = player.at + 1 >= player.total;
  find('#player-queue').textContent = player.total > 1
    ? `Queue ${grouped.format(player.at + 1)}/${grouped.format(player.total)}` : 'Queue';
  draw(true);
  if (player.isPlaying) requestAnimationFrame(follow);
}

let isFollowing = false;
function follow() {
  if (isFollowing) return;
  isFollowing = true;
  const step = () => {
    draw(false);
    if (player.isPlaying) requestAnimationFrame(step);
      else isFollowing = false;
  };
  step();
}

/** Draws only when the playhead has reached another column of the strip. */
function draw(force) {
  if (!player.track || !sound) return;
  const strip = find('#player-strip'), { position, duration } = player;
  const column = Math.floor(position / (duration || 1) * strip.clientWidth / 3);
  const now = clock(Math.floor(position));
  if (force || find('#player-now').textContent !== now) {
    find('#player-now').textContent = now;
    find('#player-end').textContent = clock(duration);
    tellPosition(strip, position, duration);
  }
  if (!force && column === lastColumn) return;
  lastColumn = column;
  drawOverview(strip, { sound, duration, position });
}
