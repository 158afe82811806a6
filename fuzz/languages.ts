import { rmSync } from 'node:fs';
import { bundledMechanisms, checkMechanisms } from '../src/core/analysis/causality/mechanisms.ts';
import { parseRules } from '../src/main/bundle/redact/rules.ts';
import type { Api } from '../src/model/contract/index.ts';
import { type App, incidentFiles, openApp } from './open-app.ts';
import type { Target } from './target.ts';
import { quotedOf, textTarget, yamlOf } from './texts.ts';

/** No search and no statement is given longer. */
const MOST_MS = 2000;

const statements = [
  "select time_utc, device_id, type from events where severity = 'critical' order by time_utc limit 5",
  'select service, count(*), quantile_cont(duration_ns, 0.99) from spans group by all having count(*) > 1',
  'with recursive r(i) as (select 1 union all select i + 1 from r where i < 9) select * from r join events e on true limit 3',
  'select * from (pivot (select severity, type from events) on severity using count(*))',
  "select attributes ->> '$.k', regexp_extract(message, '(a+)b') from events where message ilike '%sag%'",
  'from metrics select metric, avg(value) over (partition by metric order by time_ns rows 3 preceding) qualify row_number() over () < 9',
  'explain analyze select * from topology where valid_from is null',
  "select * from trace('4bf92f3577b34da6a3ce929d0e0e4736')",
  "select struct_pack(a := 1, b := [1, 2]), unnest(['x', 'y']), date_trunc('minute', time_utc) from logs limit 2",
];

/** Open in this process, for all targets that only read. */
let opened: Promise<Api> | undefined;
const demo = (): Promise<Api> => {
  opened ??= openDemo();
  return opened;
};

function emptyApp(): App {
  const app = openApp();
  process.once('exit', () => rmSync(app.root, { recursive: true, force: true }));
  return app;
}

async function openDemo(): Promise<Api> {
  const { api } = emptyApp();
  await api['case.open_demo']({});
  return api;
}

/** A small case with an incident, open: a report of it takes a fifth of the time of one of the demo. */
async function smallCase(): Promise<Api> {
  const { api, register } = emptyApp();
  const handles = await Promise.all(incidentFiles.map(register));
  for await (const _ of api['import.run']({ handles, keep: true }));
  return api;
}

const inTime = async (runCall: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error('long enough')), MOST_MS);
  try {
    await runCall(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** What people write: SQL, TraceQL, plans of captures, templates of reports, rules of redaction, mechanisms. */
export const languages: ReadonlyMap<string, () => Promise<Target>> = new Map([
  [
    'sql',
    async () => {
      const api = await demo();
      return textTarget('sql', statements, (sql) =>
        inTime((signal) => api['query.sql']({ sql, limit: 100 }, { signal })),
      );
    },
  ],
  [
    'traceql',
    async () => {
      const api = await demo();
      const searches = quotedOf('traceql.md', /^\{.*\}/);
      return textTarget('traceql', searches, (query) =>
        inTime((signal) => api['traces.search']({ query }, { signal })),
      );
    },
  ],
  [
    'plan',
    async () => {
      const { api } = emptyApp();
      return textTarget('plan', yamlOf('capture.md'), (text) => api['capture.plan']({ text }));
    },
  ],
  [
    'template',
    async () => {
      const api = await smallCase();
      const templates = [
        '# {{title}}\n\n{{summary}}\n{{all}}\n',
        '{{impact}} {{ timeline }}\n{{appendix}}',
        '{{title}}{{title}}',
      ];
      return textTarget('template', templates, (template) => api['report.render']({ format: 'markdown', template }));
    },
  ],
  ['rules', async () => textTarget('rules', yamlOf('bundle.md'), (text) => parseRules(text))],
  ['mechanisms', async () => textTarget('mechanisms', [bundledMechanisms], (text) => checkMechanisms(text))],
]);
