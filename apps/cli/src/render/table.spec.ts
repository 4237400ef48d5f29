import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { renderTable } from './table.js';
import { displayWidth } from './text.js';

const COLUMNS = [{ title: 'PATH' }, { title: 'N', right: true }, { title: 'NOTE' }, { title: 'ID', ifRoom: true }];
const widest = (table: string): number => Math.max(...table.split('\n').map(displayWidth));

describe('renderTable', () => {
  const rows = [
    ['docs/a-rather-long-name.md', '7', 'first draft of the chapter', 'lop_1'],
    ['b', '12', '', 'lop_2'],
  ];

  it('shows all there is where there is room', () => {
    expect(renderTable(COLUMNS, rows, 80)).toBe(
      [
        'PATH                         N  NOTE                        ID',
        'docs/a-rather-long-name.md   7  first draft of the chapter  lop_1',
        'b                           12                              lop_2',
      ].join('\n'),
    );
  });

  it('leaves out what is only for room, and cuts the widest columns', () => {
    expect(renderTable(COLUMNS, rows, 40)).toBe(
      ['PATH                N  NOTE', 'docs/a-rather-lo…   7  first draft of t…', 'b                  12'].join('\n'),
    );
  });

  it('fits any width that has room for the least of each column', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell, cell)), fc.integer({ min: 20, max: 100 }), (cells, width) => {
        expect(widest(renderTable(COLUMNS, cells, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keeps one line a row, whatever the cells hold', () => {
    expect(renderTable([{ title: 'A' }], [['x\ny\u001b[2J']], 80)).toBe('A\nx\\ny\\u{1b}[2J');
  });
});
