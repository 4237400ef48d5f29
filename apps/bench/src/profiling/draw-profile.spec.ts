import { describe, expect, it } from '@jest/globals';
import { drawProfile } from './draw-profile.js';

const node = (id: number, functionName: string, hitCount: number, url = '', children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 4 },
  hitCount,
  children,
});
const AT = 'file:///home/me/retrace/apps/policy/dist/decide.js';

describe('drawProfile', () => {
  const nodes = [node(1, '(root)', 0, '', [2, 3, 4]), node(2, '(idle)', 900), node(3, 'decide', 3, AT), node(4, '', 1)];
  const svg = drawProfile({ nodes });

  it('shows functions by name and place in the project, with their share of what was worked', () => {
    expect(svg).toMatch(/<title>decide apps\/policy\/dist\/decide\.js:5 \(3 samples\), 75%\)<\/title>/);
    expect(svg).toContain('<title>(anonymous) (1 samples), 25%)</title>');
  });

  it('keeps waiting, scripts and places on the machine out of it', () => {
    expect(svg).not.toMatch(/idle|script|onmouse|\/home/);
  });
});
