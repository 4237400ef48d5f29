import { describe, expect, it } from '@jest/globals';
import { pathFilter } from './path-filter.js';

describe('pathFilter', () => {
  it.each([
    ['src', 'src'],
    ['./src//a', 'src/a'],
    ['src/', 'src'],
    ['src/.', 'src'],
    ['src//', 'src'],
    ['a./', 'a.'],
  ])('reads %j as %j', (typed, path) => {
    expect(pathFilter(typed)).toBe(path);
  });

  it.each(['.', './', undefined])('filters nothing out for %j', (typed) => {
    expect(pathFilter(typed)).toBeUndefined();
  });

  it.each([
    ['', 'path_empty'],
    ['/', 'path_absolute'],
    ['/srv', 'path_absolute'],
    ['../a', 'path_escapes'],
    ['.retrace/journal', 'path_control_folder'],
  ])('refuses %j with %s', (typed, code) => {
    expect(() => pathFilter(typed)).toThrow(expect.objectContaining({ code }));
  });
});
