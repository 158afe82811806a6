export const messages = {
  summary: 'write the incidents and findings of a case into an archive, so that others find them again',
  usage: [
    'faultline push CASE ARCHIVE.yaml [--json]',
    "  the investigator's judgements come first; pushing again replaces what the case pushed before",
    '  with the address of a Grafana in the plan, its dashboard at the time of the incidents is printed',
    '  the tables are made by: faultline archive init clickhouse --apply ARCHIVE.yaml',
  ].join('\n'),
  pushed: (incidents: number, findings: number, removed: number) =>
    `pushed ${incidents} incidents and ${findings} findings${removed > 0 ? `; ${removed} that the case does not have any more were removed` : ''}`,
} as const;
