import { redactSecrets } from '@retrace/policy-engine';
import { TextRedactor } from '../../ports/redactor.port.js';

/** Knows secrets by their shapes. */
export class EngineRedactor extends TextRedactor {
  redact(text: string): string {
    return redactSecrets(text);
  }
}
