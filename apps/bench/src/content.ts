import { randomBytes } from 'node:crypto';

/** 4 KiB that nobody has seen before. It is text, because the reference server takes nothing else. */
export const freshContent = (): string => randomBytes(3072).toString('base64');

/** Paths that single writes go round, so that most of them replace something. */
export const pathOf = (index: number): string => `f${index % 50}.txt`;
