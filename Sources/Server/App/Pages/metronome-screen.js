import { none, title } from './parts.js';
export async function showMetronome() { return { name: 'showMetronome', nodes: [title('showMetronome'), none('soon')] }; }
