import { none, title } from './parts.js';
export async function showAlbum() { return { name: 'showAlbum', nodes: [title('showAlbum'), none('soon')] }; }
export async function showArtist() { return { name: 'showArtist', nodes: [title('showArtist'), none('soon')] }; }
export async function showGenre() { return { name: 'showGenre', nodes: [title('showGenre'), none('soon')] }; }
