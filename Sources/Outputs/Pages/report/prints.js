/* Prints of new folders */

const SHOWN_PRINTS = 24;
function paintPrints() {
  for (const host of document.querySelectorAll('[data-prints]')) {
    for (const track of host.dataset.prints.split(',').filter(Boolean).map(Number).slice(0, SHOWN_PRINTS)) {
      const { onsets } = detail(track);
      if (!onsets) continue;
      const name = shortened(trackName(track), 120);
      host.append(element('button', { type: 'button', 'data-open': track, title: name, 'aria-label': `Open ${name}` },
        print(bytesOf(onsets[1]), 30)));
    }
  }
}
