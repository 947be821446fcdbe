import { none, title } from './parts.js';
export async function showLibrary() { return { name: 'showLibrary', nodes: [title('showLibrary'), none('soon')] }; }
