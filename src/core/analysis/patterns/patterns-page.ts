import { patternTexts } from './catalog.ts';
import { patterns } from './index.ts';

const HEAD = `# Patterns

A pattern is a named failure signature with a detector. \`faultline patterns CASE [--pattern NAME] [--json]\`, the Patterns view and the
report tell its findings: one sentence with the numbers that matter, whom it is about, the records that it rests on, what to do, and
whether it is **complete** or **partial**. Partial means that a layer which would have confirmed or bounded it was not recorded; it is
named, and so is what is unknown for want of it. Nothing is found where nothing was recorded, and finding nothing is no proof of health.

Findings rest on recorded events, on events that samples show, on collectives, spans and log records of the whole case, and are
the same whether the rows were imported or came live. Of one type of event about one thing, and of one text in the log of one thing, the first
500 are read. Findings that share a chain's event with an incident, or overlap it and are about what its service runs on, stand with it in
the report, and action items are their remediation: other people's advice, each with its source.

A pattern is a file in \`src/core/analysis/patterns/\`, a line in its \`index.ts\`, its texts in \`patterns.yaml\` and four drawn cases
in \`test/core/patterns/\`: positive, negative, adjacent (looks alike, is something else) and partial. This page is made of the
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
      `- Described in: ${source}`,
      `- Partial when: ${partial}`,
      `- Not this: ${adjacent}`,
      ...remediation.map(({ text, source: from }) => `- To do: ${text} (${from})`),
      '',
    ].join('\n');
  });
  return [HEAD, ...parts].join('\n');
}
