import { none, title } from './parts.js';
export async function showListen() { return { name: 'showListen', nodes: [title('showListen'), none('soon')] }; }
