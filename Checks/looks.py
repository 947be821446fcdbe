"""What holds for every page, of the report and of the app, and texts of tags that try to break it."""

HOSTILE = [
    "</script><script>window.hacked = 1</script>", "<img src=x onerror=window.hacked=1>", '"><svg onload=window.hacked=1>',
    "<!-- <script> ", "]]> --> {{title}} {{{script}}}", "\u202eevil\u202c name", "שלום עולם", "العربية with English",
    "🎵👩‍👩‍👧‍👦 emoji", "Z" + "\u0301\u0316" * 60, "T" * 10_000, "' OR 1=1; --", "\u2028line\u2029", "   ", "a\\x41\\b",
]


def check_width(page, name):
    """No width of phones and windows scrolls sideways."""
    for width in (320, 390, 768, 1360):
        page.resize(width, 844)
        page.settle()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") is True, f"{name}: no sideways scroll at {width} pixels"
    page.resize(1360, 900)
    page.settle()


CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parse = color => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = color => { const [r, g, b] = color.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const ground = node => { const layers = []; for (; node; node = node.parentElement) layers.push(parse(getComputedStyle(node).backgroundColor)); return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]); };
  const visible = node => { const box = node.getBoundingClientRect(), style = getComputedStyle(node); return box.width > 1 && box.height > 1 && style.visibility === 'visible' && +style.opacity === 1; };
  const poor = [];
  let texts = 0, controls = 0;
  for (const node of document.querySelectorAll('body *')) {
    if (!visible(node) || node.closest('.sr, [aria-hidden=true]')) continue;
    const style = getComputedStyle(node), own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
    if (own && !node.closest('title')) {
      texts++;
      const isDrawn = node instanceof SVGTextElement, below = ground(node.closest('svg') || node);
      let back = below;
      if (isDrawn && node.closest('.wheel')) {
        const box = node.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
        const segment = [...document.querySelectorAll('.segment')].find(part => { const p = part.ownerSVGElement.createSVGPoint(); p.x = x; p.y = y; return part.isPointInFill(p.matrixTransform(part.getScreenCTM().inverse())); });
        if (segment) { const look = getComputedStyle(segment), fill = parse(look.fill); fill[3] *= +look.fillOpacity; back = over(fill, below); }
      }
      const found = ratio(over(parse(isDrawn ? style.fill : style.color), back), back), size = parseFloat(style.fontSize);
      const needed = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
      if (found < needed) poor.push(`${found.toFixed(2)} ${node.tagName}.${node.getAttribute('class')} ${node.textContent.slice(0, 30)}`);
    }
    if (node.matches('input, select, .menu summary, .mini')) {
      controls++;
      const found = ratio(parse(style.borderTopColor), ground(node.parentElement));
      if (found < 3) poor.push(`${found.toFixed(2)} border of ${node.tagName} ${node.className}`);
    }
    if (node.matches('.bar:not(.off), .meter i, .handle .grip, .now, .dot')) {
      controls++;
      const back = ground(node.closest('svg, .meter') ? node.closest('svg, .meter').parentElement : node.parentElement);
      const color = node.matches('.meter i') ? null : node.matches('.grip') ? style.stroke : style.fill;
      if (color && ratio(parse(color), back) < 3) poor.push(`${ratio(parse(color), back).toFixed(2)} ${node.getAttribute('class')}`);
    }
  }
  return { poor: [...new Set(poor)], texts, controls };
})()"""


def check_contrast(page, name, least=20):
    """All texts and controls in sight can be read, by WCAG 2.2 AA, in both themes."""
    for theme in ("light", "dark"):
        page.media(dark=theme == "dark")
        page.settle()
        found = page.evaluate(CONTRAST)
        assert found["poor"] == [], f"{name}: contrasts, {theme}"
        assert found["texts"] > least, f"{name}: texts were measured"
    page.media()
