import type { TestCore } from '../support/core.ts';
import { type Container, type Fact, iso, type Part, rowsOf, START } from './matrix.ts';

/** Attributes that name where work runs, and the link that they state; `#` is the number of the fact. */
interface PlaceFact extends Fact {
  readonly attributes: Readonly<Record<string, string>>;
  readonly link: string;
}

const uuid = 'GPU-00000000-1111-2222-3333-0000000000#';
type Row = readonly [name: string, attributes: Readonly<Record<string, string>>, link: string];
const rows: readonly Row[] = [
  ['a GPU by UUID on its host', { 'gpu.uuid': uuid, 'host.name': 'h-#' }, `server:h-# contains gpu:${uuid}`],
  ['a GPU by number on its host', { 'gpu.index': '3', 'host.name': 'h-#' }, 'server:h-# contains gpu:h-#/gpu3'],
  ['a GPU by device id', { 'gpu.device_id': '1', 'host.name': 'h-#' }, 'server:h-# contains gpu:h-#/gpu1'],
  ['a service on its host', { 'host.name': 'h-#' }, 'service:svc-# runs_on server:h-#'],
  ['a service in its pod', { 'k8s.pod.name': 'p-#', 'k8s.namespace.name': 'ns' }, 'service:svc-# runs_on pod:ns/p-#'],
  [
    'a pod on its node',
    { 'k8s.pod.name': 'p-#', 'k8s.namespace.name': 'ns', 'k8s.node.name': 'n-#' },
    'pod:ns/p-# runs_on node:n-#',
  ],
  [
    'a rank of a job on its host',
    { 'gen_ai.training.rank': '5', 'gen_ai.training.job_id': 'job-#', 'host.name': 'h-#' },
    'rank:job-#/rank-5 runs_on server:h-#',
  ],
  [
    'a rank on its GPU',
    { 'gen_ai.training.rank': '5', 'gen_ai.training.job_id': 'job-#', 'host.name': 'h-#', 'gpu.uuid': uuid },
    `rank:job-#/rank-5 runs_on gpu:${uuid}`,
  ],
  [
    'a rank of Slurm',
    { 'slurm.procid': '2', 'slurm.job.id': '77#', 'host.name': 'h-#' },
    'rank:77#/rank-2 runs_on server:h-#',
  ],
];
const numbered = (text: string, i: number): string => text.replaceAll('#', String(i + 10));
const facts: readonly PlaceFact[] = rows.map(([name, attributes, link], i) => ({
  name,
  attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, numbered(value, i)])),
  link: numbered(link, i),
}));
const serviceOf = (fact: PlaceFact): string => `svc-${facts.indexOf(fact) + 10}`;

const json = (value: unknown): string => JSON.stringify(value);
const list = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const span = (fact: PlaceFact, attributes: Readonly<Record<string, string>>) => ({
  traceId: '1'.repeat(32),
  spanId: (facts.indexOf(fact) + 1).toString(16).padStart(16, '0'),
  name: 'work',
  startTimeUnixNano: `${START}000000000`,
  endTimeUnixNano: `${START + 1}000000000`,
  attributes: list(attributes),
});
const logRecord = (attributes: Readonly<Record<string, string>>) => ({
  timeUnixNano: `${START}000000000`,
  body: { stringValue: 'step done' },
  attributes: list(attributes),
});
const resourceOf = (fact: PlaceFact, more: Readonly<Record<string, string>>) => ({
  attributes: list({ 'service.name': serviceOf(fact), ...more }),
});

const containers: readonly Container<PlaceFact>[] = [
  {
    name: 'resource of spans',
    write: (asked) => ({
      file: 'otlp.json',
      content: json({
        resourceSpans: asked.map((fact) => ({
          resource: resourceOf(fact, fact.attributes),
          scopeSpans: [{ spans: [span(fact, {})] }],
        })),
      }),
    }),
  },
  {
    name: 'spans',
    write: (asked) => ({
      file: 'otlp.json',
      content: json({
        resourceSpans: asked.map((fact) => ({
          resource: resourceOf(fact, {}),
          scopeSpans: [{ spans: [span(fact, fact.attributes)] }],
        })),
      }),
    }),
  },
  {
    name: 'resource of logs',
    write: (asked) => ({
      file: 'otlp.json',
      content: json({
        resourceLogs: asked.map((fact) => ({
          resource: resourceOf(fact, fact.attributes),
          scopeLogs: [{ logRecords: [logRecord({})] }],
        })),
      }),
    }),
  },
  {
    name: 'log records',
    write: (asked) => ({
      file: 'otlp.json',
      content: json({
        resourceLogs: asked.map((fact) => ({
          resource: resourceOf(fact, {}),
          scopeLogs: [{ logRecords: [logRecord(fact.attributes)] }],
        })),
      }),
    }),
  },
  {
    name: 'resource of metrics',
    write: (asked) => ({
      file: 'otlp.json',
      content: json({
        resourceMetrics: asked.map((fact) => ({
          resource: resourceOf(fact, fact.attributes),
          scopeMetrics: [
            {
              metrics: [{ name: 'queue', gauge: { dataPoints: [{ timeUnixNano: `${START}000000000`, asDouble: 1 }] } }],
            },
          ],
        })),
      }),
    }),
  },
  {
    name: 'JSON lines',
    write: (asked) => ({
      file: 'app.jsonl',
      content: asked
        .map(
          (fact) =>
            `${json({ time: iso(START), level: 'info', msg: 'step done', 'service.name': serviceOf(fact), ...fact.attributes })}\n`,
        )
        .join(''),
    }),
  },
];

/** Of entities under the name that stands for all of theirs. */
const LINKS = `with named as (
    select c.entity_id, e.kind || ':' || e.id as name from canonical c join entity e on e.entity_id = c.canonical_id)
  select distinct f.name || ' ' || k.text || ' ' || t.name from edge
  join named f on f.entity_id = from_entity join named t on t.entity_id = to_entity join name k on k.name_id = edge.kind`;

async function answers(core: TestCore, asked: readonly PlaceFact[]): Promise<readonly unknown[]> {
  const links = new Set((await rowsOf(core, LINKS)).map(([link]) => link));
  return asked.map(({ link }) => (links.has(link) ? link : undefined));
}

/** Where work runs, by attributes at every level that has them. */
export const places: Part<PlaceFact> = {
  title: 'Links by attributes',
  facts,
  containers,
  answers,
  wanted: ({ link }) => link,
};
