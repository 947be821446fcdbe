// A server with tokens asks for one.

import { element, find } from './shared.js';
import { button, title } from './parts.js';

/** Shows the question in place of the screen; `done` is called once the server has taken a token. */
export function showLogin(done) {
  const field = element('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true }),
    answer = element('p', { class: 'say', role: 'alert' });
  const form = element('form', { class: 'login' }, title('This server wants a token'),
    element('p', { class: 'say', text: 'It is a line of the token file that analyze serve was started with.' }),
    element('label', { for: 'token', text: 'Token' }), field,
    element('div', { class: 'btns' }, button('Log in', { class: 'btn primary', type: 'submit' }, () => {})), answer);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    try {
      const response = await fetch('/app/api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: field.value.trim() }) });
      if (response.ok) return done();
      answer.textContent = response.status === 401 || response.status === 403
        ? 'That is not one of its tokens. Check for missing characters.' : `The server answered ${response.status}. Try again later.`;
    } catch {
      answer.textContent = 'The server does not answer. Try again later.';
    }
    field.select();
  });
  find('#main').replaceChildren(form);
  find('#player').hidden = true;
  document.title = 'Log in · Nocturne';
  field.focus();
}
