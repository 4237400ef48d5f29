import { describe, expect, it } from '@jest/globals';
import {
  AgentNameSchema,
  isOperator,
  NOBODY,
  operatorPrincipal,
  PrincipalSchema,
  WorkspaceNameSchema,
} from './names.js';

const LONGEST = 'a'.repeat(63);
const NO_NAMES = ['', '-a', 'A', 'a b', 'a.b', 'a*', 'a>', 'a_b', 'ä', 'a\n', 'a/b', '..', '_', `${LONGEST}a`];

describe('names', () => {
  it.each(['a', '0', 'docs', 'a-b-', '1-2', LONGEST])('takes %s as a workspace, an agent and a principal', (name) => {
    for (const schema of [WorkspaceNameSchema, AgentNameSchema, PrincipalSchema]) expect(schema.parse(name)).toBe(name);
  });

  it.each(NO_NAMES)('refuses %j as a workspace and as an agent', (name) => {
    for (const schema of [WorkspaceNameSchema, AgentNameSchema]) expect(schema.safeParse(name).success).toBe(false);
  });

  it.each(['_', '_cleanup', '_op-me', `_op-${LONGEST}`])('takes %s as a principal and as no agent', (name) => {
    expect(PrincipalSchema.parse(name)).toBe(name);
    expect(AgentNameSchema.safeParse(name).success).toBe(false);
  });

  it.each([
    '_op-',
    '_op-_',
    '_svc-policy',
    '__',
    '_A',
    '_op-a.b',
    '_op-*',
    '_op-a\n',
    `_op-${LONGEST}a`,
    ...NO_NAMES.filter((name) => name !== '_'),
  ])('refuses %j as a principal', (name) => {
    expect(PrincipalSchema.safeParse(name).success).toBe(false);
  });

  it('tells operators from agents and services', () => {
    expect(isOperator(operatorPrincipal('me'))).toBe(true);
    for (const other of ['op-me', '_cleanup', '_op', NOBODY]) expect(isOperator(other)).toBe(false);
    expect(() => operatorPrincipal('Me')).toThrow('lower-case');
  });
});
