'use strict';
// Texts come from tags and file names, so they only ever go through textContent and setAttribute.

/* Markup */

const find = selector => document.querySelector(selector);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') node.textContent = value;
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter(child => child != null && child !== false));
  return node;
}
const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const shape = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const label = (x, y, text, attributes = {}) => shape('text', { x, y, text, ...attributes });

/** Calls what `start` returns for each move of a pressed pointer, and notes on the node whether it moved. */
function drag(node, start) {
  node.addEventListener('pointerdown', event => {
    if (event.button) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.dragged = false;
    if (node.focus && node.hasAttribute('tabindex')) node.focus({ preventScroll: true });
    const move = start(event), x = event.clientX;
    const moved = next => { if (Math.abs(next.clientX - x) > 2) node.dragged = true; move(next); };
    const end = () => { node.removeEventListener('pointermove', moved); node.removeEventListener('pointerup', end);
      node.removeEventListener('pointercancel', end); };
    node.addEventListener('pointermove', moved);
    node.addEventListener('pointerup', end);
    node.addEventListener('pointercancel', end);
  });
}
