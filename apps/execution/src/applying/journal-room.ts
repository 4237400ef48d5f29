import { INLINE_BYTES } from './simulated-tree.js';

/** Of all content that one record holds itself. */
const ALL_BYTES = 4 * 1024 * 1024;

/** Content that a journal record may hold itself: it is written in one transaction and held in memory until stored. */
export class JournalRoom {
  private left = ALL_BYTES;

  /** Answers whether so many more bytes fit, and counts them. */
  takes(bytes: number): boolean {
    if (bytes > INLINE_BYTES || bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }
}
