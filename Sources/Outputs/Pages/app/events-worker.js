// The server's events for all pages of a browser, over one connection: a browser has six for a server, whatever its tabs are.
// The stream is open while a page is in sight.

const NAMES = ['hello', 'library', 'catalog', 'run', 'run-ended', 'watch', 'tempo'];
/** Pages in sight. */
const watching = new Set();
let source = null;

const tell = (name, data) => { for (const port of watching) port.postMessage({ name, data }); };

function open() {
  source = new EventSource('/app/api/events');
  for (const name of NAMES) source.addEventListener(name, event => tell(name, event.data));
  source.addEventListener('open', () => tell('open'));
  source.addEventListener('error', () => tell('error'));
}

addEventListener('connect', ({ ports: [port] }) => {
  port.addEventListener('message', ({ data: isWatching }) => {
    if (isWatching) watching.add(port);
      else watching.delete(port);
    if (!watching.size && source) {
      source.close();
      source = null;
    } else if (watching.size && (!source || source.readyState === EventSource.CLOSED)) {
      open();
    }
  });
  port.start();
});
