import type { Note } from '../../domain/types.js';
import { escapeHtml } from '../../server/escape-html.js';

export const renderForm = ({ id, title, body }: Note): string => `
<form method="post" action="/notes/${id}">
  <input name="title" value="${escapeHtml(title)}">
  <textarea name="body">${escapeHtml(body)}</textarea>
  <button>Save</button>
</form>`;
