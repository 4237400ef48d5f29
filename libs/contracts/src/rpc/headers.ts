/** Headers of RPC messages: bodies are raw bytes or JSON, meta data stands here. */
export const RPC_HEADERS = {
  /** On a reply: the error's code; the body is a {@link Problem}. */
  error: 'Retrace-Error',
  hash: 'Retrace-Hash',
  /** Decimal bytes. */
  offset: 'Retrace-Offset',
  size: 'Retrace-Size',
  state: 'Retrace-State',
} as const;
/** Largest piece of content in one message, in bytes. */
export const CHUNK_BYTES = 512 * 1024;
