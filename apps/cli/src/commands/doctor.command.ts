import { localFindings } from '../doctor/local-checks.js';
import { type Finding, inOrder } from '../doctor/finding.js';
import { systemFindings } from '../doctor/system-checks.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { renderFindings } from '../render/findings.render.js';
import { type CommandFactory, describeCommand } from './command.js';

const NOTE = `
It looks at permission, path, disk, locks, bus and blobs, in this order, and changes nothing. It exits 1 where something
failed, and 5 where the system does not answer; warnings alone exit 0.`;

export const doctorCommand: CommandFactory = (runner) =>
  describeCommand(
    'doctor',
    ['retrace doctor', `retrace doctor --json | jq '.checks[] | select(.status != "ok")'`],
    NOTE,
  ).action(
    runner.action(async (invocation) => {
      const { home, principal } = invocation;
      invocation.progress.update('looking');
      const local = await localFindings(home, principal);
      const { findings, reachable } = await systemFindings(invocation);
      const checks = inOrder([...local, ...findings]);
      invocation.print((screen) => renderFindings(checks, screen), { home: home.folder, checks });
      return exitFor(checks, reachable);
    }),
  );

function exitFor(checks: readonly Finding[], reachable: boolean): ExitCode {
  if (!reachable) return EXIT.unreachable;
  return checks.some(({ status }) => status === 'failed') ? EXIT.refused : EXIT.done;
}
