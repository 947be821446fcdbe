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

/** Which beats are downbeats. */
function downbeatFlags({ downbeats }, count) {
  if (!downbeats) return null;
  const bits = bytesOf(downbeats);
  return Array.from({ length: count }, (_, beat) => (bits[beat >> 3] >> (beat & 7) & 1) === 1);
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
    { beats, downbeats, wave, sections, overview, closeUp, from, to } = strip;
  steer(strip);
  const whole = !wave ? 'Whole track, onset strength' : sections.length > 1 ? 'Whole track and its sections'
    : 'Whole track';
  let legend = downbeats ? 'Beats; tall lines are bar starts' : barDoubt(about.meter);
  if (!beats.length) legend = known(column('bpm')[track]) ? 'Onset strength' : 'Onset strength; no beats';
  const caption = (...parts) =>
    element('div', { class: 'caption' }, parts.map(part => part.nodeType ? part : element('span', { text: part })));
  return {
    nodes: [heading(title, [beats.length ? plural(beats.length, 'beat') : '', downbeats && about.meter].filter(Boolean).join(' · ')),
      overview, caption('0:00', whole, clock(duration)), closeUp, caption(from, legend, to)],
    draw: () => draw(strip)
  };
}

/** What both canvases are drawn from. The close-up begins at the highlight. */
function makeStrip(duration, about, envelope) {
  const seconds = Math.min(CLOSE_UP, duration), beats = beatTimes(about),
    wave = about.wave ? about.wave.map(bytesOf) : null;
  const highlight = about.cues && about.cues.highlight ? about.cues.highlight[0] : duration * .3;
  return {
    duration, seconds, start: Math.max(0, Math.min(highlight, duration - seconds)), step: about.onsets[0], envelope,
    loudest: Math.max(1, ...envelope), beats, downbeats: downbeatFlags(about, beats.length), wave,
      sections: about.sections || [],
    overview: element('canvas',
      { class: 'overview', role: 'img',
      'aria-label': wave ? 'Waveform of the whole track' : 'Onset strength over the whole track' }),
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
  drawCloseUp(strip, colors);
  strip.from.textContent = clock(strip.start);
  strip.to.textContent = clock(strip.start + strip.seconds);
  strip.closeUp.setAttribute('aria-valuenow', Math.round(strip.start));
  strip.closeUp.setAttribute('aria-valuetext', `${clock(strip.start)} to ${clock(strip.start + strip.seconds)}`);
}

/** Mirrored peaks and levels, or the onset strength; what the close-up shows is in the accent color. */
function drawOverview({ overview, duration, start, seconds, wave, envelope, sections }, colors) {
  const { context, width, height } = prepare(overview), count = Math.floor(width / 3),
    hasSections = sections.length > 1;
  const room = height - (hasSections ? 16 : 4), middle = room / 2;
  const largest = (values, index) => {
    const from = Math.floor(index / count * values.length),
      to = Math.max(from + 1, Math.floor((index + 1) / count * values.length));
    let most = 0;
    for (let k = from; k < to; k++) most = Math.max(most, values[k] || 0);
    return most / 255;
  };
  for (let index = 0; index < count; index++) {
    const at = index / count * duration, isInside = at >= start - duration / count && at <= start + seconds;
    if (wave) {
      const peak = Math.max(1, largest(wave[0], index) * room), level = Math.max(1, largest(wave[1], index) * room);
      context.fillStyle = isInside ? colors.accent : colors.faint;
      context.globalAlpha = isInside ? .5 : 1;
      context.fillRect(index * 3, middle - peak / 2, 2, peak);
      context.globalAlpha = 1;
      context.fillStyle = isInside ? colors.accent : colors.bar;
      context.fillRect(index * 3, middle - level / 2, 2, level);
    } else {
      const tall = Math.max(1, largest(envelope, index) * room);
      context.fillStyle = isInside ? colors.accent : colors.bar;
      context.fillRect(index * 3, room - tall, 2, tall);
    }
  }
  context.fillStyle = colors.accent;
  context.fillRect(start / duration * width, room, Math.max(3, seconds / duration * width), 1.5);
  if (hasSections) drawSections(context, sections, duration, width, height, colors);
}

function drawSections(context, sections, duration, width, height, colors) {
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
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

function drawCloseUp({ closeUp, start, seconds, step, envelope, loudest, beats, downbeats }, colors) {
  const { context, width, height } = prepare(closeUp), bottom = height - 18,
    x = time => (time - start) / seconds * width;
  // Onsets between two values follow a smooth curve; fine ones are drawn as they are.
  const strength = time => {
    const place = time / step, index = Math.floor(place), part = place - index, eased = part * part * (3 - 2 * part);
    return ((envelope[index] || 0) * (1 - eased) + (envelope[index + 1] ?? envelope[index] ?? 0) * eased) / loudest;
  };
  context.beginPath();
  context.moveTo(0, bottom);
  for (let i = 0; i <= width; i++) context.lineTo(i, bottom - strength(start + i / width * seconds) * (bottom - 26));
  context.lineTo(width, bottom);
  context.globalAlpha = .55;
  context.fillStyle = colors.bar;
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = colors.line;
  context.fillRect(0, bottom, width, 1);
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = 'center';
  let bars = 0, free = 0;
  beats.forEach((time, beat) => {
    const isDownbeat = downbeats && downbeats[beat];
    if (isDownbeat) bars++;
    if (time < start || time > start + seconds) return;
    context.fillStyle = isDownbeat || !downbeats ? colors.accent : colors.text;
    if (isDownbeat) context.fillRect(x(time) - .75, 4, 1.5, bottom - 4);
    else context.fillRect(x(time) - .5, downbeats ? bottom - 16 : 4, 1, downbeats ? 16 : 14);
    if (isDownbeat && x(time) - free > 24 && x(time) < width - 16) {
      context.fillStyle = colors.text;
      context.fillText(`bar ${bars}`, Math.max(18, x(time)), height - 4);
      free = x(time) + 20;
    }
  });
  if (downbeats) return;
  context.fillStyle = colors.text;
  for (let time = Math.ceil(start); time < start + seconds; time += 3) {
    context.fillText(clock(time), Math.max(14, Math.min(width - 14, x(time))), height - 4);
  }
}
