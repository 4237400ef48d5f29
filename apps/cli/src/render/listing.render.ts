import type { FolderEntry } from '@retrace/client';
import type { Screen } from './style.js';
import { renderTable } from './table.js';
import { cutMiddle, shortTime } from './text.js';

/** What a folder holds; a folder's name ends in `/`, a link says where it leads. */
export function renderListing(entries: readonly FolderEntry[], { width, style }: Screen): string {
  if (entries.length === 0) return 'nothing there';
  const columns = [
    { title: 'MODE', min: 4 },
    { title: 'SIZE', right: true, min: 6 },
    { title: width < 70 ? 'UTC' : 'MODIFIED (UTC)', min: 19, paint: style.dim },
    { title: 'NAME', min: 12, shorten: cutMiddle },
  ];
  const rows = entries.map(({ name, kind, size, mode, modified_at, target }) => [
    mode.toString(8).padStart(4, '0'),
    kind === 'file' ? String(size) : kind === 'directory' ? 'folder' : kind,
    shortTime(modified_at, width),
    kind === 'directory' ? `${name}/` : target === null ? name : `${name} → ${target}`,
  ]);
  return renderTable(columns, rows, width);
}
