import { none, title } from './parts.js';
export async function showPlaylist() { return { name: 'showPlaylist', nodes: [title('showPlaylist'), none('soon')] }; }
