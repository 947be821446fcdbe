/* Strips: the whole track, and a close-up of some seconds with its beats */

function beatTimes({ beats }) {
  if (!beats) return [];
  const [first, interval, data] = beats, bytes = bytesOf(data), times = [first / 1000];
  let time = first;
  for (let i = 0; i < bytes.length; i += interval ? 1 : 2) {
    time += interval ? interval + bytes[i] - 128 : bytes[i] + 256 * bytes[i + 1];
    times.push(time / 1000);
  }
  return times;
}

function downbeatTimes({ downbeats }, beats) {
  if (!downbeats) return null;
  const bits = bytesOf(downbeats);
  return beats.filter((_, beat) => bits[beat >> 3] >> (beat & 7) & 1);
}

/** Peaks and levels over the whole track, or the onset strength in place of peaks; the onset strength for the close-up. */
function stripSound({ wave, onsets: [step] }, envelope) {
  const onsets = { step, values: scaled(envelope) };
  if (!wave) return { peaks: onsets.values, levels: null, onsets };
  const [peaks, levels] = wave.map(data => Float32Array.from(bytesOf(data), value => value / 255));
  return { peaks, levels, onsets };
}

const CLOSE_UP = 12; // seconds

/** The nodes of the strips, and the function that draws them once they are on the page. */
function makeStrips(track, about, envelope) {
  const duration = column('duration')[track], title = 'Waveform and beats';
  if (!envelope || !(duration > 0)) {
    if (!hasColumn('bpm') || column('status')[track] >= FAILED) return { nodes: [], draw: null };
    const words = 'They are not in this report, to keep it small. This prints everything known about the track:';
    return { nodes: [heading(title), element('p', { class: 'say', text: words }),
      command(`analyze show --json ${shellWord(path(track))}`)], draw: null };
  }
  const strip = makeStrip(duration, about, envelope),
    { beats, downbeats, sound, sections, overview, closeUp, from, to } = strip;
  steer(strip);
  const whole = !sound.levels ? 'Whole track, onset strength' : sections.length > 1 ? 'Whole track and its sections'
    : 'Whole track';
  const marks = strip.faults.some(([start, end]) => end - start <= duration / 2) ? ', with faults' : '';
  let legend = downbeats ? 'Beats; tall lines are bar starts' : barDoubt(about.meter);
  if (!beats.length) legend = known(column('bpm')[track]) ? 'Onset strength' : 'Onset strength; no beats';
  const caption = (...parts) =>
    element('div', { class: 'caption' }, parts.map(part => part.nodeType ? part : element('span', { text: part })));
  return {
    nodes: [heading(title, [beats.length ? plural(beats.length, 'beat') : '', downbeats && about.meter].filter(Boolean).join(' · ')),
      overview, caption('0:00', whole + marks, clock(duration)), closeUp, caption(from, legend, to)],
    draw: () => draw(strip)
  };
}

/** What both canvases are drawn from. The close-up begins at the highlight. */
function makeStrip(duration, about, envelope) {
  const seconds = Math.min(CLOSE_UP, duration), beats = beatTimes(about);
  const highlight = about.cues && about.cues.highlight ? about.cues.highlight[0] : duration * .3;
  return {
    duration, seconds, start: Math.max(0, Math.min(highlight, duration - seconds)), sound: stripSound(about, envelope),
    beats, downbeats: downbeatTimes(about, beats), sections: about.sections || [], faults: about.faults || [],
    overview: element('canvas',
      { class: 'overview', role: 'img',
      'aria-label': about.wave ? 'Waveform of the whole track' : 'Onset strength over the whole track' }),
    closeUp: element('canvas',
      { class: 'closeup', tabindex: 0, role: 'slider', 'aria-label': 'Position of the close-up',
      'aria-valuemin': 0, 'aria-valuemax': Math.round(duration - seconds) }),
    from: element('span'), to: element('span')
  };
}

function steer(strip) {
  const { overview, closeUp, duration, seconds } = strip;
  const moveTo = start => { strip.start = Math.max(0, Math.min(duration - seconds, start)); draw(strip); };
  const toPointer = event =>
    moveTo((event.clientX - overview.getBoundingClientRect().left) / overview.clientWidth * duration - seconds / 2);
  drag(overview, event => { toPointer(event); return toPointer; });
  drag(closeUp, event => {
    const x = event.clientX, start = strip.start;
    return moved => moveTo(start - (moved.clientX - x) / closeUp.clientWidth * seconds);
  });
  closeUp.addEventListener('keydown', event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -seconds, PageDown: seconds, Home: -Infinity,
      End: Infinity }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(strip.start + by);
  });
}

function draw(strip) {
  if (!strip.overview.isConnected) return;
  const colors = themeColors();
  drawOverview(strip, colors);
  drawSeconds(prepare(strip.closeUp), { ...strip, onsets: strip.sound.onsets, areDense: true }, colors);
  strip.from.textContent = clock(strip.start);
  strip.to.textContent = clock(strip.start + strip.seconds);
  strip.closeUp.setAttribute('aria-valuenow', Math.round(strip.start));
  strip.closeUp.setAttribute('aria-valuetext', `${clock(strip.start)} to ${clock(strip.start + strip.seconds)}`);
}

/** The whole track; what the close-up shows is in the accent color. */
function drawOverview({ overview, duration, start, seconds, sound, sections, faults }, colors) {
  const canvas = prepare(overview), { context, width, height } = canvas, hasSections = sections.length > 1;
  const room = height - (hasSections ? 16 : 4);
  drawBars(canvas, sound, { middle: room / 2, bottom: room, tallest: room,
    isMarked: (from, to) => to * duration >= start && from * duration <= start + seconds }, colors);
  drawFaults(canvas, faults, duration, colors);
  context.fillStyle = colors.accent;
  context.fillRect(start / duration * width, room, Math.max(3, seconds / duration * width), 1.5);
  if (hasSections) drawSections(context, sections, duration, width, height, colors);
}

function drawSections(context, sections, duration, width, height, colors) {
  context.font = canvasFont();
  let free = 0;
  for (const [start, name] of sections) {
    const x = start / duration * width;
    context.fillStyle = colors.line;
    context.fillRect(x, height - 13, 1, 13);
    if (x < free) continue;
    context.fillStyle = colors.text;
    context.fillText(name, x + 4, height - 3);
    free = x + 8 + context.measureText(name).width;
  }
}
