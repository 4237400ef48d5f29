const MARK = [0xef, 0xbb, 0xbf];

export const MARK_BYTES = MARK.length;
export const MARK_REMOVED = 'the byte-order mark at the beginning was removed';

export const startsWithMark = (content: Uint8Array): boolean => MARK.every((byte, i) => content[i] === byte);
