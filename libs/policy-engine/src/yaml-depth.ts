import { CST, Lexer } from 'yaml';

/** A policy nests five levels. */
const MOST = 32;
const MOST_INDENT = 100;

const OPENS = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSES = new Set(['flow-map-end', 'flow-seq-end']);
const NESTS = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/**
 * Answers the line where a text nests deeper than any policy does; read without recursion, before anything reads it with.
 * A parser that runs out of stack is not always an error that can be caught: the engine gives up the process where a regular
 * expression is compiled there.
 */
export function lineThatIsTooDeep(yaml: string): number | undefined {
  let [line, flow, block] = [1, 0, 0];
  for (const token of new Lexer().lex(yaml)) {
    const type = CST.tokenType(token) ?? 'scalar';
    const breaks = token.split('\n').length - 1;
    line += breaks;
    if (breaks > 0) block = 0;
    if (OPENS.has(type)) flow += 1;
    else if (CLOSES.has(type)) flow -= 1;
    else if (NESTS.has(type) && flow === 0) block += 1;
    if (flow > MOST || block > MOST || (type === 'space' && token.length > MOST_INDENT)) return line;
  }
  return undefined;
}
