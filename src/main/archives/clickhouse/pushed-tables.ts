const word = 'LowCardinality(String)';
const words = `Array(${word})`;
const time = "DateTime64(9, 'UTC')";

const columns = {
  faultline_incidents: [
    'Case String',
    'Incident String',
    `Start ${time}`,
    `End ${time}`,
    `Service ${word}`,
    'Impacted String',
    `Harm ${word}`,
    'TimesWorse Float64',
    `Verdict ${word}`,
    'Cause String',
    `CauseType ${word}`,
    'Probability Float64',
    'Suspects Array(String)',
    'RuledOut Array(String)',
    `Chain ${words}`,
    `Patterns ${words}`,
    'Title String',
    `Severity ${word}`,
    'Owner String',
    'Actions Array(String)',
    'Done Array(String)',
  ],
  faultline_findings: [
    'Case String',
    'Finding String',
    `Pattern ${word}`,
    `Start ${time}`,
    `End ${time}`,
    `Severity ${word}`,
    'Headline String',
    'Entities Array(String)',
    'Remediation Array(String)',
  ],
} as const;

/**
 * What `faultline push` fills: what is pushed again replaces what was, and nothing is dropped by age. `Removed` is 1 of what the case
 * does not conclude any more.
 */
export const pushedTables = (database: string): string[] =>
  Object.entries(columns).map(([name, own]) =>
    [
      `CREATE TABLE IF NOT EXISTS ${database}.${name} (`,
      [...own, 'Removed UInt8 DEFAULT 0', "Pushed DateTime64(9, 'UTC') DEFAULT now64(9)"]
        .map((column) => `  ${column}`)
        .join(',\n'),
      ') ENGINE = ReplacingMergeTree(Pushed)',
      `ORDER BY (Case, ${own[1].split(' ')[0]})`,
    ].join('\n'),
  );
