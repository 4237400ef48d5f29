import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@retrace/contracts';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { FoldEventsController } from './fold-events.controller.js';

const methods = Object.getOwnPropertyNames(FoldEventsController.prototype).filter((name) => name !== 'constructor');

describe('FoldEventsController', () => {
  it('has a handler for every event of the catalogue: an event without one would be passed over in silence', () => {
    const patterns = methods.flatMap((name): unknown[] => {
      const method: unknown = Object.getOwnPropertyDescriptor(FoldEventsController.prototype, name)?.value;
      return Reflect.getMetadata(PATTERN_METADATA, method as object) as unknown[];
    });
    const named = EVENTS.map(({ entity, verb }) => expect.stringContaining(`${entity}.${verb}`));
    expect(patterns).toHaveLength(EVENTS.length);
    expect(patterns).toEqual(expect.arrayContaining(named));
  });
});
