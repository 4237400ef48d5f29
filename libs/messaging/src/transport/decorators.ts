import { type AnyEventDefinition, type CallDefinition, callPattern } from '@retrace/contracts';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';

export const INTENT_PATTERN = 'intent';
export const eventPattern = (definition: { entity: string; verb: string }): string =>
  `event:${definition.entity}.${definition.verb}`;

/**
 * Binds a method and its two parameters: the parsed message, and the delivery or call that it came with. Nest would
 * pass the message alone to parameters without a decorator of their own.
 */
const bind =
  (pattern: unknown): MethodDecorator =>
  (target, key, descriptor) => {
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    // Nest ties its decorator to the handler's first parameter by the pattern's literal; ours come from the catalogue.
    (pattern as MethodDecorator)(target, key, descriptor);
  };

/** The method handles this event of the log, in order: `(event: StoredEvent<typeof X>, delivery: LaneDelivery)`. */
export const OnEvent = (definition: AnyEventDefinition): MethodDecorator =>
  bind(EventPattern(eventPattern(definition)));

/** The method takes every message of `RETRACE_IN`: `(message: JsMsg, delivery: LaneDelivery)`. */
export const OnIntent = (): MethodDecorator => bind(EventPattern(INTENT_PATTERN));

/** The method answers this call: `(request, context: CallContext)`; it returns the reply, or a {@link RawReply}. */
export const Answers = (call: CallDefinition): MethodDecorator =>
  bind(MessagePattern(callPattern(call), undefined, { call }));
