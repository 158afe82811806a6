import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { postOtlp } from '../support/post-otlp.ts';

const SIGNALS = ['metrics', 'logs', 'traces'] as const;
type Signal = (typeof SIGNALS)[number];

/** What the demo's site recorded: what lies there as files, and what comes over the wire, line by line. */
async function incident() {
  const [topology, events, ...recorded] = await demoFiles();
  const lines = {} as Record<Signal, string[]>;
  for (const [at, signal] of SIGNALS.entries())
    lines[signal] = gunzipSync(await readFile(recorded[at]!))
      .toString()
      .trimEnd()
      .split('\n');
  return { files: [topology, events], lines };
}

/** By the time of a line's first record. */
const timeOf = (line: string): bigint => BigInt(/"(?:start)?[tT]imeUnixNano":"(\d+)"/.exec(line)?.[1] ?? 0);

/** The report as scripts get it, without the moment at which it was asked for. */
async function conclusionsOf({ api }: TestCore): Promise<unknown> {
  const { generated_at: _, ...report } = await api.correlate(correlateOptionsSchema.parse({}));
  return report;
}

async function imported(files: readonly string[], lines: Readonly<Record<Signal, readonly string[]>>) {
  const core = await openTestCore();
  const folder = await temporaryFolder();
  await core.import(files);
  for (const signal of SIGNALS) {
    const path = join(folder, `${signal}.jsonl`);
    await writeFile(path, `${lines[signal].join('\n')}\n`);
    if (lines[signal].length > 0) await core.import([path]);
  }
  return core;
}

/** What the patterns find, with the records that it rests on: their numbers are of the order in which they came. */
async function findingsOf({ api }: TestCore): Promise<unknown> {
  const { findings } = await api['patterns.list']({});
  const evidenceFields = async (ref: string) => {
    const { kind, title, time_ns } = await api['evidence.get']({ ref });
    return `${kind} ${time_ns} ${title}`;
  };
  return Promise.all(
    findings.map(async (finding) => ({
      ...finding,
      evidence: await Promise.all(
        finding.evidence.map(async ({ text, refs }) => ({
          text,
          records: await Promise.all(refs.map(evidenceFields)),
        })),
      ),
    })),
  );
}

const rowsIn = async ({ api }: TestCore): Promise<number> => {
  const info = await api['case.current']({});
  return Object.values(info?.rows ?? {}).reduce((sum, rows) => sum + rows, 0);
};

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 200));
}

test('what is concluded while an incident is recorded is what an import of the same rows concludes', async () => {
  const { files, lines } = await incident();
  const all = SIGNALS.flatMap((signal) => lines[signal].map((line) => ({ signal, line, at: timeOf(line) })));
  const [first = 0n] = all.map(({ at }) => at).sort();
  // Before the trouble, in the middle of it, and all of it.
  const stages = [15n, 20n, 60n].map((minutes) => all.filter(({ at }) => at < first + minutes * 60_000_000_000n));

  expect(stages.at(-1)).toHaveLength(all.length);

  const live = await openTestCore(undefined, { feeds });
  await live.import(files);
  const plan = `feeds: [${SIGNALS.map((signal) => `{kind: otlp, name: ${signal}, grpc: null, http: "127.0.0.1:0"}`)}]`;
  const stop = new AbortController();
  const urls = new Map<string, string>();
  const ended = (async () => {
    for await (const event of live.api['capture.run']({ plan }, { signal: stop.signal }))
      if (event.kind === 'feed') urls.set(event.feed, `http://${/127\.0\.0\.1:\d+/.exec(event.about)?.[0]}/v1/`);
  })();
  await until(async () => urls.size === SIGNALS.length);
  const sent = new Set<string>();
  let concluded: unknown;
  let found: unknown;
  for (const stage of stages) {
    for (const { signal, line } of stage.filter(({ line }) => !sent.has(line))) {
      await postOtlp(`${urls.get(signal)}${signal}`, line);
      sent.add(line);
    }
    const still = Object.groupBy(stage, ({ signal }) => signal);
    const wanted = await imported(files, {
      metrics: still.metrics?.map(({ line }) => line) ?? [],
      logs: still.logs?.map(({ line }) => line) ?? [],
      traces: still.traces?.map(({ line }) => line) ?? [],
    });
    const rows = await rowsIn(wanted);
    await until(async () => (await rowsIn(live)) >= rows);
    concluded = await conclusionsOf(wanted);
    found = await findingsOf(wanted);
    expect(await conclusionsOf(live)).toEqual(concluded);
    expect(await findingsOf(live)).toEqual(found);
    await wanted.close();
  }
  stop.abort();
  await ended;
  const complete = await conclusionsOf(live);
  expect(complete).toEqual(concluded);
  const findings = await findingsOf(live);
  expect(findings).toEqual(found);
  expect(findings).toContainEqual(expect.objectContaining({ pattern: 'feed-failover' }));
  const [{ causal_chain: chain }, ...others] = (complete as { incidents: [{ causal_chain: { type: string }[] }] })
    .incidents;
  expect([chain[0]?.type, chain.at(-1)?.type, others.length]).toEqual(['voltage_sag', 'trace_degradation', 1]);
});
