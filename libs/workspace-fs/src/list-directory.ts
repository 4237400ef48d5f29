import { CONTROL_FOLDER } from '@retrace/contracts';
import { readDir } from './entries.js';
import { openFolder, splitPath, withHandle } from './handles.js';
import { unlessAbsent } from './capture.js';
import type { Name } from './names.js';
import { statAt, type Stat } from './stat.js';

/** `name` is a Buffer when it is not UTF-8. */
export interface DirectoryEntry {
  name: Name;
  kind: 'file' | 'directory' | 'link' | 'other';
}

function kindOf(stat: Stat): DirectoryEntry['kind'] {
  if (stat.isFile) return 'file';
  if (stat.isFolder) return 'directory';
  return stat.isLink ? 'link' : 'other';
}

/**
 * Lists a folder's entries in byte order, without the control folder; `''` is the root. Names that vanish meanwhile are left out.
 * @throws SafeFsError absent, not_a_folder, link_refused, not_permitted
 */
export function listDirectory(rootFd: number, relPath: string): DirectoryEntry[] {
  const atRoot = relPath === '';
  return withHandle(openFolder(rootFd, atRoot ? [] : splitPath(relPath)), (fd) =>
    readDir(fd)
      .filter((name) => !(atRoot && name === CONTROL_FOLDER))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .flatMap((name) => {
        const stat = unlessAbsent(() => statAt(fd, name));
        return stat === undefined ? [] : [{ name, kind: kindOf(stat) }];
      }),
  );
}
