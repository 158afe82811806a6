/** Of the commands that answer what a view of the window shows. */
export const messages = {
  lifecycle: {
    summary: 'what became of faults: detected, drained, repaired, or without a recorded reaction',
    usage: 'faultline lifecycle CASE [--parts] [--from TIME] [--to TIME] [--json]',
    none: 'no repair of a node was recorded',
    untreated: (count: number) => `detected, without a recorded reaction: ${count}`,
    columns: { start: 'start', node: 'node', fault: 'fault', outcome: 'outcome', took: 'took', why: 'why' },
    unknownNode: 'unknown node',
    parts: {
      none: 'no hardware with serial, model, samples or events was recorded',
      part: 'part',
      place: 'machine',
      serial: 'serial',
      model: 'model',
      failures: 'failures',
      hours: 'recorded h',
      last: 'last record',
      rate: (
        name: string,
        one: {
          readonly faults: number;
          readonly hours: number;
          readonly mean_hours: number | null;
          readonly low_hours: number | null;
          readonly high_hours: number | null;
        },
      ) =>
        `${name}: ${one.faults} failures in ${one.hours} recorded hours: one in ${one.mean_hours?.toFixed(0)} h (95 %: ${one.low_hours?.toFixed(0)} to ${one.high_hours?.toFixed(0)} h)`,
    },
  },
  logs: {
    summary: 'log templates: what is new or surging since the incident, against the time before',
    usage: [
      'faultline logs CASE [--from TIME] [--to TIME] [--since TIME] [--limit 40] [--json]',
      'faultline logs CASE --fields [--where FIELD=VALUE ...] [--from TIME] [--to TIME] [--json]',
      '  how many lines have which level, sender, resource and attributes',
      'faultline logs CASE --where FIELD=VALUE ... [--limit 100]',
      "  the lines with these values: level=error, from=service:api, 'resource host.name=node-1', 'attribute code=79'",
      'faultline logs CASE --around log:SOURCE/ROW [--context 10]',
      '  what the same sender wrote before and after a line',
    ].join('\n'),
    notALine: (ref: string) => `${ref} names no log line: as --where lists them, log:SOURCE/ROW`,
    noLine: (ref: string) => `the case has no line ${ref}`,
    notACondition: (stated: string) => `${stated} is not FIELD=VALUE`,
    estimated: (share: number) => `estimated from 1 line in ${share}`,
    first: (limit: number) => `the first ${limit} lines; --limit shows more`,
    none: 'no log records in this time',
    before: (seconds: string) => `compared with the ${seconds} s before`,
    noBefore: 'nothing was recorded before, so novelty is unknown',
    more: (count: number) => `and ${count} more templates; --limit shows more`,
    columns: {
      novelty: 'novelty',
      lines: 'lines',
      first: 'first seen',
      sender: 'from',
      template: 'template',
      time: 'time',
      severity: 'severity',
      record: 'record',
      line: 'line',
      field: 'field',
      value: 'value',
    },
    others: (count: number) => ` +${count}`,
  },
  compare: {
    summary: 'what differs in a time from another one: spans, logs, events, metrics',
    usage: [
      'faultline compare CASE [--from TIME --to TIME] [--baseline before|rest] [--limit 40] [--json]',
      '  without a time: the impact of the strongest incident, against as long before it',
    ].join('\n'),
    noTime: 'this case has no incident: state the time with --from and --to',
    none: 'nothing differs more than chance allows',
    time: (from: string, to: string) => `${from} to ${to}`,
    against: (from: string, to: string) => `against ${from} to ${to}`,
    more: (count: number) => `and ${count} more differences; --limit shows more`,
    like: (count: number) => `, and ${count} like it`,
    columns: { attribute: 'attribute', value: 'value', region: 'now', baseline: 'baseline', effect: 'effect', q: 'q' },
  },
  gpus: {
    summary: 'GPUs that differ from their peers or from the fleet, with since when',
    usage:
      'faultline gpus CASE [--from TIME] [--to TIME] [--json]\n  without a time: the impact of the strongest incident',
    notCompared: 'no GPU was measured long enough, in this time and in another, to be compared',
    none: (compared: number) => `none of ${compared} compared GPUs differs`,
    noGpus: 'no GPU was measured in this time',
    columns: {
      gpus: 'GPUs',
      metric: 'metric',
      value: 'observed',
      typical: 'expected',
      since: 'since',
      against: 'against',
    },
    several: (count: number, first: string) => `${count} GPUs, ${first} ...`,
  },
  trace: {
    summary: 'one trace as a tree of its spans, and when the tokens of its answers came',
    usage: 'faultline trace CASE TRACE_ID [--limit 2000] [--json]',
    unknown: (id: string) => `this case has no trace ${id}`,
    failed: 'failed',
    truncated: 'more spans exist; --limit shows more',
    answer: (request: string) => `answer of ${request}`,
    inGap: 'in the longest gap:',
    moreTokens: 'there are more tokens than were read: the figures are of those that were',
    moreAnswers: (count: number) => `${count} more answers are left out; those with the longest gaps are listed`,
    unnamed: 'unnamed',
    unknownService: 'unknown service',
  },
} as const;
