import type { Note } from '../../domain/types.js';
import { escapeHtml } from '../../server/escape-html.js';

/** One note; the folder is named after the part of the address that varies. */
export const renderNote = ({ title, body, tags }: Note): string => `
<article>
  <h1>${escapeHtml(title)}</h1>
  <p>${escapeHtml(body)}</p>
  <footer>${tags.map(escapeHtml).join(' · ')}</footer>
</article>`;
