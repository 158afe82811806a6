import { patternTexts } from './catalog.ts';
import { patterns } from './index.ts';

const HEAD = `# Patterns

A pattern is a named failure signature with a detector. \`faultline patterns CASE [--pattern NAME] [--json]\`, the Patterns view and the
report list its findings: one sentence with the main numbers, the affected entities, the records as evidence, the remediation, and
whether the finding is **complete** or **partial**. Partial means that a layer that would confirm or bound it was not recorded; the
finding names the layer and the open point. Without recordings there are no findings, so no finding is no proof of health.

Findings are based on recorded events, events derived from metric samples, collectives, spans and log records of the whole case, and are
the same for imported and live rows. Per entity, the first 500 events of a type and the first 500 log records of a text
are read. The report lists findings with an incident if they share an event of its chain, or overlap it and are about the
infrastructure of its service. Their remediation becomes its action items: published advice, each with its source.

A pattern is a file in \`src/core/analysis/patterns/\`, a line in its \`index.ts\`, its texts in \`patterns.yaml\` and four drawn cases
in \`test/core/patterns/\`: positive, negative, adjacent (similar, but another problem) and partial. This page is generated from the
texts (\`node --import ./bench/raw-text.mjs scripts/patterns-page.ts\`).
`;

/** \`docs/patterns.md\`. */
export function patternsPage(): string {
  const parts = patterns.map(({ id }) => {
    const texts = patternTexts()[id];
    if (!texts) throw new Error(`no texts of pattern ${id}`);
    const { title, definition, source, partial, adjacent, remediation } = texts;
    return [
      `## ${title}`,
      '',
      `\`${id}\`. ${definition}`,
      '',
      `- Reference: ${source}`,
      `- Partial when: ${partial}`,
      `- Not included: ${adjacent}`,
      ...remediation.map(({ text, source: from }) => `- Remediation: ${text} (${from})`),
      '',
    ].join('\n');
  });
  return [HEAD, ...parts].join('\n');
}
