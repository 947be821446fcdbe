// One track: what it is, how it sounds, its tempo and beats, and their correction.

import { barDoubt, clock, element, find, keyName, keyOf, oneDecimal, percent, plural, shortened, signed } from './shared.js';
import { art } from './art.js';
import { address, addToPlaylist, button, byline, heading, isPlayable, length, link, none, title, trackList } from './parts.js';
import { correction } from './correction.js';
import { lyricsSection } from './lyrics.js';
import { player } from './player.js';
import { ask, server } from './server.js';
import { drawCloseUp, drawOverview, soundOf, steer, tellPosition } from './strips.js';

export async function showTrack([id], _, { signal, reload }) {
  const about = await ask(`tracks/${encodeURIComponent(id)}`, { signal }), { track } = about;
  // Of a file that failed there is nothing to hear or to correct.
  if (!isPlayable(track)) return { name: track.file, nodes: [head(about), ...problems(about), ...details(about)] };
  const waveform = about.has_waveform ? await ask(`tracks/${id}/waveform`, { signal }).catch(() => null) : null;
  const wave = waveStrip(about, waveform), fix = about.tempo && correction(about, tempo => wave.setTempo(tempo));
  const words = lyricsSection(about, seconds => {
    if (player.track?.id === id) player.seek(seconds);
      else player.play([track], 0, seconds);
    player.resume();
  });
  const sing = () => { if (player.track?.id === id) words.follow(player.position); };
  const beat = setInterval(sing, 200);
  const similar = element('section', { class: 'similar', hidden: true });
  const stop = [wave.start(), fix?.start()];
  const changed = event => { if (event.detail.id === id && !fix?.knows(event.detail)) reload(); };
  const missed = () => ask(`tracks/${encodeURIComponent(id)}`, { signal }).then(({ tempo }) => {
    if (tempo) changed({ detail: { id, bpm: tempo.bpm, locked: tempo.locked } });
  }, () => { /* told by the banner */ });
  server.addEventListener('tempo', changed);
  server.addEventListener('missed', missed);
  if (about.has_descriptor) showSimilar(id, similar, signal);
  return {
    name: track.title || track.file,
    nodes: [head(about), ...problems(about), wave.node, ...fix ? fix.nodes : [], words.node, similar, ...details(about)]
      .filter(Boolean),
    shown: wave.draw,
    leave: () => {
      for (const each of stop) each?.();
      clearInterval(beat);
      server.removeEventListener('tempo', changed);
      server.removeEventListener('missed', missed);
    }
  };
}

function head({ track, key, loudness, cues, is_vanished: isVanished }) {
  const cannotPlay = isVanished || !isPlayable(track), highlight = cues?.highlight_start_s;
  const fact = (name, value, unit, hint) => element('div', {}, element('dt', { text: name }),
    element('dd', { title: hint }, value, unit && element('small', { text: ` ${unit}` })));
  const artists = track.artists?.length ? track.artists.flatMap((artist, index) =>
    [index ? ', ' : '', link(artist.name, address('artist', artist.id), { class: 'quiet tag' })]) : [byline(track)];
  const album = track.album && [' · ', track.album.id
    ? link(track.album.name, address('album', track.album.id), { class: 'quiet tag' }) : track.album.name];
  return element('header', { class: 'head' },
    art(track.id, 112),
    element('div', { class: 'what' }, title(track.title || track.file, { class: track.is_untitled ? 'tag untitled' : 'tag' }),
      element('p', { class: 'by' }, artists, album, track.year && ` · ${track.year}`),
      element('div', { class: 'btns' },
        button('Play', { class: 'btn primary', disabled: cannotPlay, id: 'track-play' }, () => {
          if (player.track?.id === track.id) player.toggle();
            else player.play([track], 0, cursor.id === track.id ? cursor.position : 0);
        }),
        highlight >= 1 && !cannotPlay && button(`Play the highlight, ${clock(highlight)}`, { id: 'track-highlight' }, () => {
          if (player.track?.id === track.id) { player.seek(highlight); player.resume(); } else player.play([track], 0, highlight);
        }),
        button('Add to the queue', { disabled: cannotPlay }, () => player.add([track])),
        button('Add to a playlist', { disabled: cannotPlay }, () => addToPlaylist([track])))),
    isPlayable(track) && element('dl', { class: 'facts' },
      fact('Key', key?.camelot || track.key_camelot || '–', key?.camelot && keyName(keyOf(key.camelot)), key?.text),
      fact('Loudness', loudness?.integrated_lufs != null ? signed(oneDecimal(loudness.integrated_lufs)) : '–',
        loudness?.integrated_lufs != null && 'LUFS'),
      fact('Length', length(track.duration_s))));
}

function problems({ problems: list = [], remarks = [], is_vanished: isVanished }) {
  const nodes = list.map(problem => element('p', { class: 'warning' },
    element('b', { text: problem.is_failure ? '▲ Failed. ' : '◐ Damaged. ' }), `${problem.what} ${problem.do || ''}`));
  if (isVanished) {
    nodes.push(element('p', { class: 'warning' }, element('b', { text: 'Gone. ' }),
      'The file is not there any more. If its drive is not mounted, mount it and run analyze again.'));
  }
  return [...nodes, ...remarks.map(text => element('p', { class: 'say', text }))];
}

/** Where the waveform was clicked before the track is played. */
const cursor = { id: '', position: 0 };

/** The waveform and its close-up, which follow the player or, before it plays this track, the last click. */
function waveStrip({ track, tempo, sections, faults }, waveform) {
  const sound = soundOf(waveform, tempo);
  let beats = tempo?.beats_s || [], downbeats = tempo?.downbeats_s || null, metre = tempo?.metre, lastColumn = '';
  const canvas = attributes => element('canvas', { tabindex: 0, role: 'slider', 'aria-valuemin': 0, ...attributes });
  const overview = canvas({ class: 'overview', id: 'overview', 'aria-label': 'Position in the track' });
  const closeUp = canvas({ class: 'close-up', id: 'close-up', 'aria-label': 'Position, from beat to beat' });
  const now = element('span'), legend = element('span', { id: 'legend' });
  if (cursor.id !== track.id) Object.assign(cursor, { id: track.id, position: 0 });
  const isMine = () => player.track?.id === track.id;
  const place = () => ({ duration: isMine() ? player.duration : track.duration_s || 0,
    position: isMine() ? player.position : Math.min(cursor.position, track.duration_s || 0) });
  const seek = seconds => {
    cursor.position = seconds;
    if (isMine()) player.seek(seconds);
    draw();
  };
  const draw = () => {
    const { duration, position } = place();
    drawOverview(overview, { sound, duration, position, sections: sections?.map, faults: faults || [] });
    drawCloseUp(closeUp, { sound, duration, position, beats, downbeats });
    now.textContent = clock(Math.floor(position));
    tellPosition(overview, position, duration);
    tellPosition(closeUp, position, duration);
    // A start that is not the beginning is said.
    const play = find('#track-play');
    if (play) play.textContent = isMine() ? player.isPlaying ? 'Pause' : 'Play'
      : cursor.position >= 1 ? `Play from ${clock(Math.floor(cursor.position))}` : 'Play';
    legend.textContent = !beats.length ? 'Onset strength; no beats'
      : downbeats ? 'Beats around the playhead; tall lines are bar starts' : barDoubt(metre);
  };
  const frame = () => {
    const { duration, position } = place(), column = `${Math.floor(position / duration * overview.clientWidth / 3)}`;
    if (column !== lastColumn || now.textContent !== clock(Math.floor(position))) {
      lastColumn = column;
      draw();
    } else {
      drawCloseUp(closeUp, { sound, duration, position, beats, downbeats });
    }
  };
  steer(overview, { seek, place });
  drag(closeUp, seek, place);
  const clicks = button('Hear clicks on the beats', { class: 'link', id: 'track-clicks', 'aria-pressed': false,
    disabled: !beats.length }, () => {
    if (!isMine()) player.play([track], 0, place().position);
      else if (!player.isPlaying && !player.hasClicks) player.resume();
    player.toggleClicks();
  });
  closeUp.addEventListener('keydown', event => {
    const { position, duration } = place();
    if (!beats.length || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = event.key === 'ArrowRight' ? beats.find(time => time > position + .02)
      : beats.findLast(time => time < position - .02);
    seek(next ?? (event.key === 'ArrowRight' ? duration : 0));
  });
  const about = waveform ? sections?.map?.length > 1 ? 'Waveform and sections' : 'Waveform'
    : sections?.map?.length > 1 ? 'Onset strength and sections' : 'Onset strength';
  const marks = faults?.some(fault => fault.end_s - fault.start_s <= (track.duration_s || 0) / 2) ? ', with faults' : '';
  const node = element('section', { class: 'wave', 'aria-label': 'Waveform and beats' }, overview,
    element('div', { class: 'cap' }, now, element('span', { text: about + marks }), element('span', { text: length(track.duration_s) })),
    closeUp, element('div', { class: 'cap' }, legend, clicks));
  return {
    node, draw,
    setTempo(next) {
      beats = next.beats_s || [];
      downbeats = next.downbeats_s;
      metre = next.metre;
      clicks.disabled = !beats.length;
      player.setBeats(track.id, beats, downbeats);
      draw();
    },
    start() {
      let isOver = false;
      const follow = () => {
        if (isOver || !isMine() || !player.isPlaying) return;
        frame();
        requestAnimationFrame(follow);
      };
      const changed = () => {
        clicks.setAttribute('aria-pressed', isMine() && player.hasClicks);
        clicks.textContent = isMine() && player.hasClicks ? 'Stop the clicks' : 'Hear clicks on the beats';
        draw();
        if (isMine() && player.isPlaying) requestAnimationFrame(follow);
      };
      const events = ['track', 'state', 'clicks', 'time'];
      for (const event of events) player.addEventListener(event, changed);
      for (const event of ['resize', 'theme']) addEventListener(event, draw);
      requestAnimationFrame(changed);
      return () => {
        isOver = true;
        for (const event of events) player.removeEventListener(event, changed);
        for (const event of ['resize', 'theme']) removeEventListener(event, draw);
      };
    }
  };
}

/** Dragging the close-up moves the sound under the playhead. */
function drag(canvas, seek, place) {
  let from = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    from = { x: event.clientX, position: place().position };
  });
  canvas.addEventListener('pointermove', event => {
    if (!from) return;
    const seconds = (canvas.clientWidth < 500 ? 5 : 10) / canvas.clientWidth;
    seek(Math.max(0, Math.min(place().duration, from.position - (event.clientX - from.x) * seconds)));
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { from = null; });
}

async function showSimilar(id, node, signal) {
  try {
    const { items, compared } = await ask(`tracks/${id}/similar?limit=8`, { signal });
    if (!items.length) return;
    node.replaceChildren(heading('Similar tracks', `of ${plural(compared, 'track')}`),
      trackList(items, { player, menu: [] }));
    node.hidden = false;
  } catch (error) {
    if (error.name === 'AbortError') return;
    node.replaceChildren(heading('Similar tracks'), none(error.message));
    node.hidden = false;
  }
}

/** A list of names and values, without those that are not known. */
function pairs(words, rows) {
  const known = rows.filter(([, value]) => value != null && value !== '' && value !== false);
  if (!known.length) return null;
  return element('section', {}, heading(words), element('dl', { class: 'pairs' }, known.flatMap(([name, value]) =>
    [element('dt', { text: name }), element('dd', { class: 'tag', text: String(value) })])));
}

function details({ track, key, loudness, cues, sections, traits, other_findings: others, format, tags, chapters, path,
  size_bytes: size, modified_at: modified, analyzed_at: analyzed, copies, bytes, well_at: well, history }) {
  const number = (value, unit, show = oneDecimal) => value == null ? null : `${signed(show(value)).replace(/^−(?=[0.]+$)/, '')} ${unit}`;
  const share = value => value == null ? null : percent(value);
  const range = (from, to) => from == null || to == null ? null : `${clock(from)} to ${clock(to)}`;
  const time = text => text && new Date(text).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' });
  return [element('div', { class: 'details' }, ...[
    pairs('Key and loudness', [
      ['Key', key?.text || key?.reason],
      ['Other keys', key?.candidates?.slice(1, 3).map(each => `${each.key} (${percent(each.probability)})`).join(', ')],
      ['Tuning', key?.tuning_hz && `A = ${oneDecimal(key.tuning_hz)} Hz`],
      ['Range', number(loudness?.range_lu, 'LU')],
      ['True peak', number(loudness?.true_peak_dbtp, 'dBTP')],
      ['Track gain', number(loudness?.track_gain_db, 'dB')],
      ['Loudest moment', number(loudness?.max_momentary_lufs, 'LUFS')],
      ['Why none', loudness?.reason]
    ]),
    pairs('Character', [
      ['Energy', share(traits?.energy)], ['Danceability', share(traits?.danceability)], ['Speech', share(traits?.speechiness)]
    ]),
    pairs('Form', [
      ['Sections', sections?.form],
      ['First beat', cues?.first_beat_s != null && `${cues.first_beat_s.toFixed(2)} s`],
      ['Intro ends', cues?.intro_end_s && clock(cues.intro_end_s)],
      ['Outro starts', cues?.outro_start_s && clock(cues.outro_start_s)],
      ['Highlight', range(cues?.highlight_start_s, cues?.highlight_end_s)],
      ['Mix in', range(cues?.mix_in_start_s, cues?.mix_in_end_s)],
      ['Mix out', range(cues?.mix_out_start_s, cues?.mix_out_end_s)],
      ['Chapters', chapters?.length > 0 && chapters.map(each => `${clock(each.start_s)} ${each.title || ''}`).join('\n')]
    ]),
    pairs('Other findings', (others || []).map(line => [line.label, line.text])),
    pairs('Tags', [['Genre', track.genre], ...(tags || []).map(tag => [tag.label, shortened(tag.value, 600)])]),
    pairs('File', [
      ['Path', path],
      ['Format', format && [format.codec, format.lossless ? 'lossless' : '', format.bit_rate_bps
        && `${Math.round(format.bit_rate_bps / 1000).toLocaleString('en-US')} kb/s`].filter(Boolean).join(', ')],
      ['Sample rate', format?.sample_rate_hz && `${format.sample_rate_hz / 1000} kHz${format.bit_depth ? `, ${format.bit_depth} bit` : ''}`],
      ['Channels', format?.channels && ({ 1: 'mono', 2: 'stereo' }[format.channels] || format.channels)],
      ['Size', size != null && (size < 1e5 ? plural(size, 'byte') : `${oneDecimal(size / 1e6)} MB`)],
      ['Modified', time(modified)],
      ['Analyzed', time(analyzed)],
      ['Copies', copies > 0 && plural(copies, 'other file')],
      ['Bytes', { well: well && `as they were, on ${time(well)}`, changed_silently: 'changed silently', unreadable: 'could not be read' }[bytes]]
    ]),
    pairs('History', (history || []).map(event => [
      event.text.charAt(0).toUpperCase() + event.text.slice(1),
      [event.at && time(event.at), event.run && `run ${event.run}`, event.detail].filter(Boolean).join(', ')
    ]))
  ].filter(Boolean))];
}
