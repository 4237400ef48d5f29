import { describe, expect, it } from '@jest/globals';
import { modelOf } from './session.command.js';
import { nameAfter } from './workspace.command.js';

describe('nameAfter', () => {
  it.each([
    ['/home/a/My Notes', 'my-notes'],
    ['/srv/app_v2.0/', 'app-v2-0'],
    ['/srv/__x__', 'x'],
  ])('calls %s %s', (folder, name) => {
    expect(nameAfter(folder)).toBe(name);
  });

  it('asks for a name where the folder gives none', () => {
    expect(() => nameAfter('/')).toThrow(/--name/);
    expect(() => nameAfter('/srv/日本')).toThrow(/--name/);
  });
});

describe('modelOf', () => {
  it.each([
    ['m', { id: 'm' }],
    ['m@2025-01', { id: 'm', version: '2025-01' }],
    ['@org/m@1', { id: '@org/m', version: '1' }],
    ['@org', { id: '@org' }],
  ])('reads %s', (text, model) => {
    expect(modelOf(text)).toEqual(model);
  });
});
