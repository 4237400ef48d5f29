import type { Retrace } from '@retrace/client';
import type { OperationDetail } from '../render/operation.render.js';
import { logicalOperationAt, type Reference } from './references.js';

/** Every record of an operation or a logical operation, whatever their number. */
export async function recordsOf(
  retrace: Retrace,
  reference: Exclude<Reference, { by: 'session' }>,
  tell: (text: string) => void = () => undefined,
): Promise<OperationDetail[]> {
  const id = reference.by === 'sequence' ? await logicalOperationAt(retrace, reference.sequence) : reference.id;
  const records: OperationDetail[] = [];
  for (let total = 1; records.length < total;) {
    const page = await retrace.operation(id, { from: records.length });
    records.push(...page.operations);
    if (page.operations.length === 0) break;
    total = page.total;
    tell(`reading records: ${records.length} of ${total}`);
  }
  return records;
}
