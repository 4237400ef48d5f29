import { type AnyEventDefinition, type CallDefinition, callPattern } from '@retrace/contracts';
import { EventPattern, MessagePattern } from '@nestjs/microservices';

export const INTENT_PATTERN = 'intent';
export const eventPattern = (definition: { entity: string; verb: string }): string =>
  `event:${definition.entity}.${definition.verb}`;

// Nest ties the decorator to the handler's first parameter by the pattern's literal; ours come from the catalogue.
const bindEvent = (pattern: string): MethodDecorator => {
  const decorator: unknown = EventPattern(pattern);
  return decorator as MethodDecorator;
};

/** The method handles this event of the log, in order: `(event: StoredEvent<typeof X>, delivery: LaneDelivery)`. */
export const OnEvent = (definition: AnyEventDefinition): MethodDecorator => bindEvent(eventPattern(definition));

/** The method takes every message of `RETRACE_IN`: `(message: JsMsg, delivery: LaneDelivery)`. */
export const OnIntent = (): MethodDecorator => bindEvent(INTENT_PATTERN);

/** The method answers this call: `(request, context: CallContext)`; it returns the reply, or a {@link RawReply}. */
export const Answers = (call: CallDefinition): MethodDecorator =>
  MessagePattern<string>(callPattern(call), undefined, { call });
