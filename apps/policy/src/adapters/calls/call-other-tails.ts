import { FsTail } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { OtherTails } from '../../ports/other-tails.port.js';

const ASK_MS = 5_000;

/** Asks execution by a call. One process serves all workspaces, so it is asked once for all of them. */
export class CallOtherTails extends OtherTails {
  constructor(private readonly calls: CallClient) {
    super();
  }

  async whole(): Promise<void> {
    await this.calls.call(FsTail, '_', {}, { timeoutMs: ASK_MS });
  }
}
