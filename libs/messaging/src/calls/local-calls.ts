import type { CallHandler } from './call-context.js';

/** The services that live in this process: calls between them skip the bus. Events never do. */
export class LocalCalls {
  private readonly handlers = new Map<string, CallHandler>();

  register(pattern: string, handler: CallHandler): void {
    this.handlers.set(pattern, handler);
  }

  remove(pattern: string): void {
    this.handlers.delete(pattern);
  }

  find(pattern: string): CallHandler | undefined {
    return this.handlers.get(pattern);
  }
}
