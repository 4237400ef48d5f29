import type { BlobUpload } from '@retrace/blob-store';
import type { Principal } from '@retrace/contracts';

/** Uploads that one principal can have under way; one more ends its own oldest, never somebody else's. */
export const UPLOADS_EACH = 8;
/** Services bring pre-images of many workspaces. */
const UPLOADS_OF_SERVICES = 32;

/** What is on its way in, per principal and content. Bounded: only principals with an account are counted. */
export class OpenUploads {
  private readonly byPrincipal = new Map<string, Map<string, Promise<BlobUpload>>>();

  /** The upload under way, or a new one; two first chunks at once share it. */
  of(principal: Principal | undefined, key: string, open: () => Promise<BlobUpload>): Promise<BlobUpload> {
    const mine = this.mine(principal);
    const upload = mine.get(key) ?? open();
    // Last in the map is what was used last.
    mine.delete(key);
    mine.set(key, upload);
    if (mine.size > (principal === undefined ? UPLOADS_OF_SERVICES : UPLOADS_EACH)) this.endOldest(mine);
    return upload;
  }

  forget(principal: Principal | undefined, key: string): void {
    const mine = this.mine(principal);
    mine.delete(key);
    if (mine.size === 0) this.byPrincipal.delete(principal ?? '');
  }

  private mine(principal: Principal | undefined): Map<string, Promise<BlobUpload>> {
    const name = principal ?? '';
    const mine = this.byPrincipal.get(name) ?? new Map<string, Promise<BlobUpload>>();
    this.byPrincipal.set(name, mine);
    return mine;
  }

  private endOldest(mine: Map<string, Promise<BlobUpload>>): void {
    const [key, upload] = mine.entries().next().value!;
    mine.delete(key);
    // It may have failed, or be gone already: either way it holds no place any more.
    upload.then((open) => open.abort()).catch(() => undefined);
  }
}
