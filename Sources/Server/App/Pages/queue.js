import { none, title } from './parts.js';
export async function showQueue() { return { name: 'showQueue', nodes: [title('showQueue'), none('soon')] }; }
