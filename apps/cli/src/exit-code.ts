/** What the command answers to the shell. */
export const EXIT = {
  done: 0,
  /** Policy refused, or the files were not as they had to be. */
  refused: 1,
  usage: 2,
  partial: 3,
  nothing: 4,
  unreachable: 5,
  unknown: 6,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0  done
  1  refused or failed (policy, conflict)
  2  usage
  3  partial: some of it was left out
  4  nothing to do
  5  the system is not reachable
  6  the outcome is not known; nothing was cancelled`;
