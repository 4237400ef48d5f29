import { describe, expect, it } from '@jest/globals';
import { judge } from './measure.js';
import { render, type Report, thisMachine } from './report.js';

const REPORT: Report = {
  machine: { cpu: 'Some CPU', cores: 2, memory_gb: 8, system: 'linux 6', node: 'v20.0.0' },
  date: '2026-01-02T03:04:05.000Z',
  mode: 'standalone',
  durability: 'process',
  quick: false,
  profiled: false,
  measures: [
    judge({ name: 'one', value: 3, unit: 'ms', baseline: 2, target: { of: 'ratio', at: 'most', is: 1.8 } }),
    judge({ name: 'two', value: 1, unit: 'MB', target: { of: 'value', at: 'least', is: 2 } }),
  ],
};

describe('render', () => {
  it('shows the machine, and a line for each measure', () => {
    expect(render(REPORT)).toBe(`standalone, durability process, 2026-01-02T03:04:05.000Z
2 × Some CPU, 8 GB, linux 6, node v20.0.0

| measure | value | baseline | ratio | target       |         |
| :------ | ----: | -------: | ----: | :----------- | :------ |
| one     |  3 ms |     2 ms |   1.5 | ratio <= 1.8 | reached |
| two     |  1 MB |          |       | value >= 2   | missed  |
`);
  });

  it('says when figures are not what they seem', () => {
    expect(render({ ...REPORT, quick: true, profiled: true })).toMatch(/^QUICK:.*\nPROFILED:/m);
  });
});

describe('thisMachine', () => {
  it('knows where it is', () => {
    expect(thisMachine()).toMatchObject({ node: process.version, cores: expect.any(Number) });
  });
});
