import picocolors from 'picocolors';

export type Style = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'
>;

/** What text output is made for. */
export interface Screen {
  readonly width: number;
  readonly style: Style;
}

const DEFAULT_WIDTH = 80;
const LEAST_WIDTH = 30;

/** COLUMNS wins over the terminal's own width; without a terminal it is 80. Colour is for terminals alone (NO_COLOR: never). */
export function screenOf(io: { env: NodeJS.ProcessEnv; stdoutIsTty: boolean; columns: number | undefined }): Screen {
  const asked = Number.parseInt(io.env.COLUMNS ?? '', 10);
  const width = asked > 0 ? asked : (io.stdoutIsTty && io.columns) || DEFAULT_WIDTH;
  return {
    width: Math.max(LEAST_WIDTH, width),
    style: picocolors.createColors(io.stdoutIsTty && !io.env.NO_COLOR),
  };
}
