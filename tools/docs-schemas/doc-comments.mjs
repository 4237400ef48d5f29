import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENTED = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g;
const INTENT = /export const (\w+IntentSchema) = z(?:(?!export const)[\s\S])*?type: z\.literal\('([\w.]+)'\)/g;

/** What the source says about its exported constants, by name: schemas keep no comments. */
export function docComments(sourceFolder) {
  const comments = new Map();
  const intents = new Map();
  for (const source of sources(sourceFolder)) {
    for (const [, comment, name] of source.matchAll(DOCUMENTED)) comments.set(name, plain(comment));
    for (const [, name, type] of source.matchAll(INTENT)) intents.set(type, name);
  }
  return { of: (name) => comments.get(name), ofIntent: (type) => comments.get(intents.get(type)) };
}

const sources = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.includes('.spec.') && !name.includes('.testing.'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'));

const plain = (comment) =>
  comment
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\{@link ([^}]+)\}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
