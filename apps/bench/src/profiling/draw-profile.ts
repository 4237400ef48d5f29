import flamegraph from 'flamegraph';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly hitCount: number;
  readonly children?: readonly number[];
}
/** What `node --cpu-prof` writes, as far as it is drawn. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly hitCount: number;
  readonly children: readonly Frame[];
}

/** Narrower frames are left out: nobody can see them, and the file is a tenth of the size. */
const MIN_PIXELS = 2;

/** Draws a profile as an SVG; a frame is as wide as the share of processor time that was spent in it. */
export function drawProfile({ nodes }: CpuProfile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const head = frame(nodes[0]!, byId);
  return withoutScripts(flamegraph.fromCpuProfile({ head }, { internals: true, minwidth: MIN_PIXELS }));
}

function frame({ callFrame, hitCount, children = [] }: ProfileNode, byId: ReadonlyMap<number, ProfileNode>): Frame {
  const { functionName, url, lineNumber } = callFrame;
  return {
    functionName: functionName === '' ? '(anonymous)' : functionName,
    url: shortUrl(url),
    lineNumber: lineNumber + 1,
    // Waiting is no work.
    hitCount: functionName === '(idle)' ? 0 : hitCount,
    children: children.map((id) => frame(byId.get(id)!, byId)),
  };
}

/** From the project's folder on: where it lies on somebody's machine is of no interest. */
const shortUrl = (url: string): string => url.replace(/^file:.*\/(?=(?:apps|libs|node_modules)\/)/, '');

/** Titles show on their own what a frame is; labels that have no room are there as empty ones. */
const withoutScripts = (svg: string): string =>
  svg
    .replaceAll(/<script[\s\S]*?<\/script>/g, '')
    .replaceAll(/ (?:onload|onmouseover|onmouseout|data-[a-z]+)="[^"]*"/g, '')
    .replaceAll(/\s*<text[^>]*><\/text>/g, '')
    .replaceAll(/(\d+\.\d)\d+/g, '$1');
