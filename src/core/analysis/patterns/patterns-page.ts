import { patternTexts } from './catalog.ts';
import { patterns } from './index.ts';

const HEAD = `# Patterns

A pattern is a named failure signature with a detector. \`faultline patterns CASE [--pattern NAME] [--json]\`, the Patterns view and the
report list its findings: one sentence with the main numbers, the affected entities, the records as evidence, the remediation, and
whether the finding is **complete** or **partial**. Partial means that data that would confirm or bound it was not recorded; the
finding names the layer and the open point. Without recordings there are no findings, so no finding is no proof of health.

Findings are based on recorded events, events derived from metric samples, collectives, spans and log records of the whole case, and are
the same for imported and live rows. Per entity, the first 500 events of a type and the first 500 log records of a text
are read. The report lists findings with an incident if they share an event of its chain, or overlap it and are about the
infrastructure of its service. Their remediation becomes its action items: published advice, each with its source.

Some findings have an **estimate**: arithmetic on their own numbers, with what it assumes and the observation that would disprove it. It is
not measured. Findings on the serving of models rest on spans (OpenTelemetry \`gen_ai.*\`, InferTrace, OpenInference, OpenLLMetry) or on
metrics of inference servers; either gives the same finding. If one begins with an impact, it names the cause, for example
\`batching_limit\`, \`cache_misses\` or \`slow_tool\`.

## Add your own cases

\`faultline replay FOLDER\` runs all patterns over labelled recordings, each in a temporary case, and prints how often each pattern was
found and missed, every finding that was not expected, and every recording that could not be read. The exit code is 0 only if all labels
hold. Without FOLDER it runs the corpus of Faultline (\`corpus/\`); \`--pattern NAME\` runs one pattern and the healthy recordings, \`--json\`
prints everything. A corpus is a folder of folders:

\`\`\`
my-corpus/
  psu-failure/              the id of a pattern
    positive.json           it has to be found, complete
    positive-2/             a folder of files is one recording
    partial.log             it has to be found, partial
    negative.csv            nothing may be found
    adjacent-two-psus.flb   looks alike, but is something else; a bundle or a case is opened as it is
    label.yaml
  healthy/                  nothing may be found in any of them
    monday.tar.gz
\`\`\`

The name of a file or folder begins with its kind. Any format that Faultline imports will do ([formats.md](formats.md)); a file that is
refused makes its recording "not read", because what it lacks might have shown the pattern. \`label.yaml\` is optional, and so is all in it:

\`\`\`yaml
source: our cluster, 2026-03          # of all recordings of the folder, or of one below
licence: internal
recordings:
  positive:                           # the name of the recording, with or without its ending
    why: PSU-2 of n1 was replaced the next day
    expect:
      - pattern: psu-failure
        verdict: complete             # or partial
        headline: PSU-2 of n1         # words of the headline
        missing: [power]              # exactly the layers that the finding lacks
        entities: ['psu:n1/PSU-2']    # at least these
        from: 2026-03-01T10:00:00Z    # the finding overlaps this time
        to: 2026-03-01T10:05:00Z
  adjacent-two-psus:
    expect:
      - pattern: feed-failover        # what it is instead
\`\`\`

A finding that meets none of the expectations of its recording is unexpected, also one of another pattern in a \`negative\` recording: where it is right, expect it there. What was not recorded can be written by hand, as in the corpus:
a text that begins with \`# Faultline recording from 2026-01-01T00:00:00Z\`, and then a line for each row, in seconds after that time
(\`src/main/sources/hand-written/index.ts\` lists all forms).

\`\`\`
server:n1 contains psu:n1/PSU-2
10 psu:n1/PSU-2 psu_failure high redfish: PSU-2 failed
samples hw.power server:n1 every 60: 1200 1210 1190
log 12 server:n1: power supply 2 removed
until 1200
\`\`\`

## Change thresholds

\`faultline thresholds\` prints every threshold of the patterns as a file, with default, range and meaning; names that are left out keep
their defaults. \`patterns\`, \`replay\` and \`report\` take such a file by \`--thresholds FILE\`. \`faultline thresholds --init\` writes your own
(\`--edit-path\` prints its place), which every command and window uses from then on; while it is not valid, the last valid one stays in use.
An unknown name, a value out of range or of the wrong type is refused with its line. What was changed is stated beside the findings, in the
report too.

## Add a pattern

A pattern is a file in \`src/core/analysis/patterns/\`, a line in its \`index.ts\`, its texts in \`patterns.yaml\` and four recordings
in \`corpus/\`: positive, negative, adjacent (similar, but another problem) and partial. This page is generated from the
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
