/** Takes secrets out of free texts before they reach the log; another one can be bound here. */
export abstract class TextRedactor {
  abstract redact(text: string): string;
}
