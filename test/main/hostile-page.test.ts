import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { valuesOf } from '../../fuzz/schema-values.ts';
import type { CreatedApi } from '../../src/core/api/index.ts';
import { compose } from '../../src/main/compose.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { contract, type ProcedureName } from '../../src/model/contract/index.ts';
import { ProblemError } from '../../src/model/problem.ts';

/**
 * What a page can do with each call if it is not ours any more. The compiler asks for a line when the contract grows.
 * `reads`: answers of the open case. `case`: changes the open case, or which one is open, of those that Faultline keeps.
 * `given`: works on files that a person chose, by handles. `asks`: a person is asked outside the page first. `process`: what
 * the app itself does meanwhile, which ends with it. `keychain`: puts or removes an entry, and reads none. `refused`: the
 * command line alone may.
 */
type Power = 'reads' | 'case' | 'given' | 'asks' | 'process' | 'keychain' | 'refused';
const powers: Readonly<Record<ProcedureName, Power>> = {
  'bundle.preview': 'reads',
  'bundle.write': 'asks',
  'capture.kinds': 'reads',
  'capture.plan': 'reads',
  'capture.watch_folder': 'asks',
  'capture.test': 'asks',
  'capture.keep_secret': 'keychain',
  'capture.forget_secret': 'keychain',
  'capture.start': 'asks',
  'capture.stop': 'process',
  'capture.state': 'reads',
  'capture.run': 'asks',
  'archive.kinds': 'reads',
  'archive.read': 'reads',
  'archive.schema': 'reads',
  'archive.test': 'asks',
  'archive.pull': 'asks',
  'fleet.impacts': 'asks',
  'fleet.heat': 'asks',
  'fleet.events': 'asks',
  'fleet.gpus': 'asks',
  'fleet.traces': 'asks',
  'fleet.metric': 'asks',
  'fleet.trace': 'asks',
  'fleet.logs': 'asks',
  'fleet.create_tables': 'refused',
  'fleet.push': 'refused',
  'fleet.similar': 'refused',
  'app.info': 'reads',
  'app.diagnostics': 'reads',
  'files.pick': 'asks',
  'files.save': 'asks',
  'clocks.list': 'reads',
  'case.current': 'reads',
  'case.recent': 'reads',
  'case.open': 'given',
  'case.repair': 'given',
  'case.load': 'given',
  'case.open_demo': 'case',
  'case.close': 'case',
  'case.forget_recent': 'case',
  'case.changes': 'reads',
  'app.new_window': 'process',
  'import.inspect': 'given',
  'import.columns': 'given',
  'import.discard': 'process',
  'import.run': 'given',
  'import.answer': 'process',
  'names.list': 'reads',
  'names.hold_apart': 'case',
  'names.rejoin': 'case',
  'sources.remove': 'case',
  'rejects.list': 'reads',
  'differences.find': 'reads',
  'differences.examples': 'reads',
  'export.tables': 'asks',
  'export.trace': 'asks',
  'export.csv': 'asks',
  'gpus.fleet': 'reads',
  'jobs.list': 'reads',
  'jobs.heat': 'reads',
  correlate: 'reads',
  'correlate.render': 'reads',
  'incidents.list': 'reads',
  'incidents.whatIf': 'reads',
  'feeds.list': 'reads',
  'mechanisms.status': 'reads',
  'mechanisms.bundled': 'reads',
  'incidents.telemetry': 'reads',
  'lifecycle.list': 'reads',
  'logs.templates': 'reads',
  'logs.records': 'reads',
  'traces.tags': 'reads',
  'traces.values': 'reads',
  'traces.services': 'reads',
  'logs.facets': 'reads',
  'logs.around': 'reads',
  'notices.list': 'reads',
  'patterns.known': 'reads',
  'parts.list': 'reads',
  'patterns.list': 'reads',
  'thresholds.status': 'reads',
  'rates.get': 'reads',
  'rates.choose': 'case',
  'rates.remove': 'case',
  'incidents.costs': 'reads',
  'report.render': 'reads',
  'report.document': 'reads',
  'report.print': 'reads',
  'sql.schema': 'reads',
  'query.sql': 'reads',
  'query.parquet': 'reads',
  'trace.story': 'reads',
  'trace.cost': 'reads',
  'trace.resources': 'reads',
  'trace.stages': 'reads',
  'trace.tokens': 'reads',
  'stages.list': 'reads',
  'costs.list': 'reads',
  'timeline.lanes': 'reads',
  'timeline.data': 'reads',
  'timeline.silences': 'reads',
  'timeline.statistics': 'reads',
  'timeline.overview': 'reads',
  'rows.list': 'reads',
  'trace.get': 'reads',
  search: 'reads',
  'evidence.get': 'reads',
  'topology.get': 'reads',
  'annotations.list': 'reads',
  'annotations.change': 'case',
  'traces.metric': 'reads',
  'traces.search': 'reads',
  'traces.prepare': 'reads',
  'traces.flame': 'reads',
  'traces.flameEstimate': 'reads',
};

const SECRET = 'canary-9f2c41';
const workerFile = new URL('../../out/main/import-worker.js', import.meta.url);
const requests: string[] = [];
/** What somebody listened to: requests that a plan of the page led to. */
const messages: string[] = [];
let [folder, root, private_] = ['', '', ''];
let app: CreatedApi;
let close = async (): Promise<void> => undefined;
let address = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-canary-'));
  root = join(folder, 'home-of-cases');
  private_ = join(folder, 'private.txt');
  await writeFile(private_, SECRET);
  vi.stubEnv('CANARY_TOKEN', SECRET);
  vi.stubEnv('FAULTLINE_CANARY', SECRET);
  const server = createServer((request, response) => {
    messages.push(inspect([request.url, request.rawHeaders]));
    response.end('# nothing\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host = {
    kind: 'electron' as const,
    pickFiles: async () => [],
    saveFile: async () => null,
    bundleTarget: async () => null,
    exportTarget: async () => null,
    confirm: async ({ message, detail }: { readonly message: string; readonly detail: string }) => {
      requests.push(`${message}\n${detail}`);
      return 'no' as const;
    },
  };
  app = compose({ host, files: createFileHandles(), workerFile, root });
  await app.api['case.open_demo']({});
  close = async () => {
    await app.close();
    await new Promise((resolve) => server.close(resolve));
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  };
});
afterAll(() => close());

const LISTEN_MS = 500;

/** Everything that a page gets to see of a call. */
async function seenOf(name: ProcedureName, input: unknown): Promise<string> {
  const stop = new AbortController();
  const isStream = contract[name].kind === 'stream';
  const timer = setTimeout(() => stop.abort(new Error('enough')), isStream ? LISTEN_MS : 5000);
  const seen: unknown[] = [];
  try {
    const answer = (app.api[name] as (input: unknown, context: object) => unknown)(input, { signal: stop.signal });
    if (isStream) for await (const event of answer as AsyncIterable<unknown>) seen.push(event);
    else seen.push(await answer);
  } catch (error) {
    if (error instanceof ProblemError) seen.push(error.problem);
    else if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return inspect(seen, { depth: 20, maxArrayLength: 2000, maxStringLength: 20_000 });
}

const plans = (): readonly string[] =>
  [
    `  - kind: prometheus\n    url: http://ADDRESS/metrics\n    bearer: env:CANARY_TOKEN\n`,
    `  - kind: prometheus\n    url: http://ADDRESS/metrics\n    bearer: env:FAULTLINE_CANARY\n`,
    `  - kind: prometheus\n    url: http://ADDRESS/metrics\n    bearer: keychain:anything\n`,
    `  - kind: redfish\n    url: http://ADDRESS\n    user: u\n    password: env:FAULTLINE_CANARY\n`,
    `  - kind: kubernetes\n    url: http://ADDRESS\n    token: env:CANARY_TOKEN\n`,
    `  - kind: kubernetes\n    kubeconfig: ${private_}\n`,
    `  - kind: nvml\n    library: ${private_}\n`,
    `  - kind: azure\n    subscription: 00000000-0000-4000-8000-000000000001\n    token: env:CANARY_TOKEN\n    endpoint: http://ADDRESS\n`,
  ].map((feed) => `feeds:\n${feed.replace('ADDRESS', address)}`);

/** What somebody would try who knows what each call takes. */
const attacks = (): readonly (readonly [ProcedureName, unknown])[] => [
  ...plans().flatMap((plan) =>
    (['capture.start', 'capture.run', 'capture.test'] as const).map((name) => [name, { plan }] as const),
  ),
  ...[private_, '/etc/passwd', root, `${root}/recent.json`, '../../private.txt', 'case', '0'].flatMap((handle) => [
    ['case.open', { handle }] as const,
    ['case.load', { handle }] as const,
    ['case.repair', { handle }] as const,
    ['import.inspect', { handles: [handle] }] as const,
    ['import.run', { handles: [handle] }] as const,
  ]),
  ...[
    `select * from read_text('${'PATH'}')`,
    `copy (select 1) to '${'PATH'}'`,
    "select getenv('CANARY_TOKEN')",
    'from duckdb_settings()',
    "select current_setting('temp_directory')",
    'from duckdb_databases()',
    "attach 'PATH' as other",
  ].flatMap((sql) => [
    ['query.sql', { sql: sql.replace('PATH', private_) }] as const,
    ['query.parquet', { sql: sql.replace('PATH', private_) }] as const,
  ]),
  ...(['fleet.push', 'fleet.similar', 'fleet.create_tables'] as const).map(
    (name) => [name, { plan: `kind: clickhouse\nurl: http://${address}\n`, days: 1, important_days: 1 }] as const,
  ),
  ['bundle.write', { sign: private_ }],
  ['bundle.write', { sign: 'env:CANARY_TOKEN' }],
  ['export.csv', { table: '../../../x' }],
  ['files.save', { suggested_name: '../../x', content: 'x' }],
  ['report.render', { format: 'html', template: '<script>alert(1)</script>{{all}}' }],
];

const harmless = (seen: string): void => {
  expect(seen).not.toContain(SECRET);
  for (const part of [folder, root, process.env.HOME ?? '/root/'].filter((one) => one.length > 5))
    expect(seen).not.toContain(part);
};

test('what somebody would try with a page that they took over is refused, or harmless', async () => {
  for (const [name, input] of attacks()) harmless(await seenOf(name, input));
  expect(messages.filter((request) => request.includes(SECRET))).toEqual([]);
  expect(messages.filter((request) => request.includes('faultline_'))).toEqual([]);
  // Secrets for a new host need a prompt outside the page, which was not accepted.
  expect(requests.length).toBeGreaterThan(0);
  expect((await readdir(folder)).sort()).toEqual(['home-of-cases', 'private.txt']);
});

test.each(Object.keys(contract) as ProcedureName[])(
  'whatever a page puts into %s, it learns neither secrets nor places, and nothing beside the cases is written',
  async (name) => {
    if (powers[name] === 'keychain') {
      // It would write into this user's keychain; its answer cannot contain a secret.
      const { output } = contract[name];
      expect(JSON.stringify(output.safeParse({ secret: SECRET, forgotten: true }).data)).not.toContain(SECRET);
      return;
    }
    const before = (await stat(private_)).mtimeMs;
    const words = ['span', 'event', 'pdu', '{ }', 'select 1', address];
    // Calls that take nothing have one input: a dozen times shows no more than once.
    const inputs = fc.sample(valuesOf(contract[name].input, words), { numRuns: 12, seed: 7 });
    const shown = (input: unknown): string => inspect(input, { depth: 20 }).replaceAll('[Object: null prototype] ', '');
    for (const input of new Map(inputs.map((one) => [shown(one), one])).values()) harmless(await seenOf(name, input));
    expect((await stat(private_)).mtimeMs).toBe(before);
    expect((await readdir(folder)).sort()).toEqual(['home-of-cases', 'private.txt']);
    if (powers[name] === 'case') await app.api['case.open_demo']({});
  },
);
