import { LogTap } from '@retrace/event-log';
import { connectBus } from '../connect-bus.js';

export interface OpenTap {
  readonly tap: LogTap;
  close(): Promise<void>;
}

/** Hears the log for all services of a thread, on a connection of its own. Throws RetraceError `unavailable`. */
export async function openTap(bus: { url: string; user: string; password: string }): Promise<OpenTap> {
  const { url, user, password } = bus;
  const connection = await connectBus({ url, user, password, name: 'retrace/tap' });
  const tap = await LogTap.open(connection);
  return {
    tap,
    close: async () => {
      tap.close();
      await connection.close();
    },
  };
}
