import { FsTail, RetraceError } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';

/** Shorter than a call's own time. */
const WAIT_MS = 4_000;

/** Says when nothing of what this service published is missing in the log. */
export abstract class WholeTail {
  /** `undefined`: so it is now. */
  abstract whenWhole(): Promise<void> | undefined;
}

/** Policy decides nothing before execution's tail of the log is repaired. */
@Controller()
export class TailHandlers {
  constructor(@Inject(WholeTail) private readonly log: WholeTail) {}

  @Answers(FsTail)
  async tail(_: z.infer<typeof FsTail.request>, { caller }: CallContext): Promise<z.infer<typeof FsTail.reply>> {
    if (caller.principal !== undefined)
      throw new RetraceError('forbidden', 'services alone ask for the tail of the log');
    const whole = this.log.whenWhole();
    if (whole && !(await within(whole, WAIT_MS)))
      throw new RetraceError('not_ready', 'execution puts back what the log lost; ask again');
    return { whole: true };
  }
}

async function within(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
