import { type AnyEventDefinition, type CallDefinition, callPattern } from '@retrace/contracts';
import { EventPattern, MessagePattern } from '@nestjs/microservices';

export const INTENT_PATTERN = 'intent';
export const eventPattern = (definition: { entity: string; verb: string }): string =>
  `event:${definition.entity}.${definition.verb}`;

/** The method handles this event of the log, in order: `(event: StoredEvent<typeof X>, delivery: LaneDelivery)`. */
export const OnEvent = (definition: AnyEventDefinition): MethodDecorator =>
  EventPattern<string>(eventPattern(definition)) as MethodDecorator;

/** The method takes every message of `RETRACE_IN`: `(message: JsMsg, delivery: LaneDelivery)`. */
export const OnIntent = (): MethodDecorator => EventPattern<string>(INTENT_PATTERN) as MethodDecorator;

/** The method answers this call: `(request, context: CallContext)`; it returns the reply, or a {@link RawReply}. */
export const Answers = (call: CallDefinition): MethodDecorator =>
  MessagePattern<string>(callPattern(call), undefined, { call });
