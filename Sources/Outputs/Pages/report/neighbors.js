/* Neighbors are looked for when a panel opens; a comparison with 100,000 tracks takes milliseconds. */

let soundVectors = null;
/** Signed bytes, `width` for each track; the first is −128 where there are none. */
function sounds() {
  if (!soundVectors) {
    const { width, data } = table.columns.sound;
    soundVectors = { width, numbers: new Int8Array(bytesOf(data).buffer), lengths: new Float64Array(trackCount) };
    for (let track = 0; track < trackCount; track++) {
      let sum = 0;
      for (let k = track * width; k < (track + 1) * width; k++) sum += soundVectors.numbers[k] ** 2;
      soundVectors.lengths[track] = Math.sqrt(sum);
    }
    table.columns.sound = null;
  }
  return soundVectors;
}

/** The cosine of two tracks' sounds, or NaN. */
function likeness(a, b) {
  const { width, numbers, lengths } = sounds();
  if (numbers[a * width] === -128 || numbers[b * width] === -128 || !lengths[a] || !lengths[b]) return NaN;
  let sum = 0;
  for (let k = 0; k < width; k++) sum += numbers[a * width + k] * numbers[b * width + k];
  return sum / lengths[a] / lengths[b];
}

/** The tracks with the least distance, without further copies of a recording. */
function nearest(track, distance, count = 6) {
  const best = [];
  for (let other = 0; other < trackCount; other++) {
    if (other === track) continue;
    const far = distance(other);
    if (!known(far) || (best.length === 3 * count && far >= best[best.length - 1][0])) continue;
    const place = best.findIndex(([worse]) => far < worse);
    best.splice(place < 0 ? best.length : place, 0, [far, other]);
    if (best.length > 3 * count) best.pop();
  }
  const names = new Set([copyName(track)]), kept = [];
  for (const [, other] of best) {
    if (names.has(copyName(other))) continue;
    names.add(copyName(other));
    kept.push(other);
  }
  return kept.slice(0, count);
}
const copyName = track => folded(`${trackName(track)}\n${entry('artist', track) || ''}`);

const soundNeighbors = track => hasColumn('sound') ? nearest(track, other => -likeness(track, other)) : [];

/** How far keys are apart for a mix: 0 the same or relative key, up to 1. */
function keyDistance(a, b) {
  const steps = Math.abs((a >> 1) - (b >> 1)), around = Math.min(steps, 12 - steps);
  if ((a & 1) === (b & 1)) return around === 0 ? 0 : around === 1 ? .15 : 1;
  return around === 0 ? .15 : 1;
}

/** Tracks within 4% of the tempo, or of half or twice of it, in a key that goes with this one. */
function mixNeighbors(track) {
  const tempos = column('bpm'), confidences = column('confidence'), keys = column('key'), bpm = tempos[track],
    hasSounds = hasColumn('sound');
  if (!known(bpm)) return [];
  return nearest(track, other => {
    if (!known(tempos[other]) || confidences[other] < .5) return NaN;
    const ratio = tempos[other] / bpm,
      off = Math.min(Math.abs(ratio - 1), Math.abs(ratio * 2 - 1) + .01, Math.abs(ratio / 2 - 1) + .01);
    if (off > .04) return NaN;
    const keyOff = known(keys[track]) && known(keys[other]) ? keyDistance(keys[track], keys[other]) : .6;
    if (keyOff === 1) return NaN;
    return off + keyOff * .03 - (hasSounds ? .01 * (likeness(track, other) || 0) : 0);
  });
}

function neighborList(title, aside, tracks) {
  if (!tracks.length) return [];
  const rows = tracks.map(track => {
    const artist = entry('artist', track);
    return element('li', {}, element('button', { type: 'button', 'data-open': track },
      element('span', { class: 'tag',
        text: shortened(artist ? `${trackName(track)} · ${artist}` : trackName(track), 120) }),
      element('span', { class: 'num', text: measured('bpm', track, bpm => `${oneDecimal(bpm)}`) || '–' }),
        element('span', { class: 'num', text: measured('key', track, camelot) || '–' })));
  });
  return [heading(title, aside), element('ul', { class: 'neighbors' }, rows)];
}
