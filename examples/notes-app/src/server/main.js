import { createServer } from 'node:http';
import { loadNotes } from '../storage/file-store.js';
import { newestFirst } from '../domain/sort.js';
import { escapeHtml } from './escape-html.js';

const port = Number(process.env.PORT ?? 8080);
const dataFile = new URL('../../data/notes.json', import.meta.url).pathname;

const renderList = (notes) =>
  `<ul>${newestFirst(notes)
    .map(({ id, title }) => `<li><a href="/notes/${id}">${escapeHtml(title)}</a></li>`)
    .join('')}</ul>`;

createServer(async (_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(renderList(await loadNotes(dataFile)));
}).listen(port, '127.0.0.1');
