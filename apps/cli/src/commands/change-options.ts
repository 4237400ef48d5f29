import type { Command } from 'commander';
import { type LogicalOperationId, LogicalOperationIdSchema } from '@retrace/contracts';
import { by } from '../globals.js';
import { type Expectation, expectation } from './expectation.js';

/** What every command that changes files takes. */
export interface ChangeFlags {
  readonly lop?: LogicalOperationId;
  readonly ticket?: string;
  readonly userIntent?: string;
}

/** What a command that changes one path takes as well. */
export interface ExpectFlags extends ChangeFlags {
  readonly expect?: Expectation;
}

const RECORD = 'What is recorded:';

export const withChangeOptions = (command: Command): Command =>
  command
    .optionsGroup(RECORD)
    .option('--lop <id>', 'part of this logical operation (retrace begin)', by(LogicalOperationIdSchema))
    .option('--ticket <id>', 'the ticket that it is for')
    .option('--user-intent <text>', 'what the user asked for, in their words')
    .optionsGroup('Options:');

export const withExpect = (command: Command): Command =>
  withChangeOptions(
    command.option(
      '--expect <state>',
      'refuse unless this stands there: a sha256 (12 digits or more), absent, or present (what stands there now, as seen)',
      expectation,
    ),
  );
