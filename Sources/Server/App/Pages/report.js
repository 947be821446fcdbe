import { none, title } from './parts.js';
export async function showReport() { return { name: 'showReport', nodes: [title('showReport'), none('soon')] }; }
