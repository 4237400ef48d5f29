const SHOWN = 40;

/** A list that a person can read; the last line is the verdict. */
export function report(findings, figures) {
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(18)} ${plain(value)}`);
  for (const kind of new Set(findings.map((finding) => finding.kind))) {
    const some = findings.filter((finding) => finding.kind === kind);
    lines.push('', `${kind}: ${some.length}`);
    lines.push(...some.slice(0, SHOWN).map(({ text }) => `  ${text}`));
    if (some.length > SHOWN) lines.push(`  … and ${some.length - SHOWN} more`);
  }
  const count = (...of) => findings.filter(({ kind }) => of.includes(kind)).length;
  const lost = count('lost', 'sequence', 'chain', 'disk', 'effect', 'blob');
  const other = findings.length - lost - count('doubled', 'order');
  lines.push('', `lost ${lost}, doubled ${count('doubled')}, out of order ${count('order')}, other ${other}`);
  return `${lines.join('\n')}\n`;
}

const plain = (value) =>
  typeof value === 'object'
    ? Object.entries(value)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ') || '0'
    : String(value);
