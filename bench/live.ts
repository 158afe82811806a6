import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { investigate } from '../src/core/analysis/correlate.ts';
import { liveDeriver } from '../src/core/api/captures/live-deriver.ts';
import { createReader } from '../src/core/store/facts/reader.ts';
import { ReaderMemory } from '../src/core/store/facts/reader-memory.ts';
import { LiveWriter } from '../src/core/store/live/live-writer.ts';
import { RoundReader } from '../src/main/capture/otlp/round-reader.ts';
import { SAG_S, START_MS } from '../src/main/demo/incident.ts';
import { writeDemoFiles } from '../src/main/demo/index.ts';
import { logLines, metricLines, traceLines } from '../src/main/demo/signals.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { correlateOptionsSchema } from '../src/model/incident/incident-schema.ts';
import { rowCount } from '../src/model/rows/rows.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { faultline } from '../test/support/command-line.ts';
import { print, thousands, timed, within } from './figures.ts';

const ROWS = 1_000_000;
const BATCH_S = 20;
/** Of the demo, before its trouble. */
const QUIET_S = Math.floor(SAG_S / 60 - 1) * 60;
const SEED = 7;
const TIME = /"(?:start|end)?[tT]imeUnixNano":"(\d+)"/g;
/** Ids of another copy are others. */
const ID = /"(traceId|spanId|parentSpanId)":"([0-9a-f]{2})/g;

/** The same some quiet stretches earlier, as other traces. */
function earlier(line: string, copy: number): string {
  const by_ns = BigInt(copy * QUIET_S) * 1_000_000_000n;
  const id = (prefix: string) => (Number.parseInt(prefix, 16) ^ copy).toString(16).padStart(2, '0');
  return line
    .replaceAll(TIME, (text, time: string) => text.replace(time, String(BigInt(time) - by_ns)))
    .replaceAll(ID, (_, name: string, prefix: string) => `"${name}":"${id(prefix)}`);
}

interface Line {
  readonly line: string;
  /** Since the demo's recording began. */
  readonly second: number;
}

/** The demo's incident as it is recorded, into a case that holds a million rows of quiet hours: the time until it is reported. */
export async function benchLive(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-live-'));
  const [topology = '', events = ''] = await writeDemoFiles(join(folder, 'files'), SEED);
  const path = join(folder, 'live.faultline');
  await faultline('import', path, topology, events);
  const { engine } = await openCaseFolder(path, { create: false });
  const [session, reading] = [await engine.session(), await engine.session()];
  try {
    const writer = await LiveWriter.begin(session, await liveDeriver(session));
    const feed = writer.add({
      ...{ name: 'OTLP', format: 'otlp-live', imported_at_ns: 0n },
      ...{ clock_offset_ns: 0n, clock_uncertainty_ns: 0n },
    });
    const taken = { rows: 0 };
    const requests = new RoundReader('OTLP');
    const receive = (line: Uint8Array): void => {
      requests.read({ id: 0, bytes: new Uint8Array(line), encoding: 'json', packing: 'identity' });
      for (const batch of requests.finish().batches) {
        taken.rows += rowCount(batch);
        writer.append(feed, batch);
      }
    };
    const lines = demoLines();
    const quiet = lines.filter(({ second }) => second < QUIET_S);
    for (let copy = 1; taken.rows < ROWS; copy++) {
      for (const { line } of quiet) receive(Buffer.from(earlier(line, copy)));
      await writer.flush();
    }
    console.log(`\nan incident recorded into a case of ${thousands(taken.rows)} rows, ${BATCH_S} s at once`);
    await follow(lines, { receive, writer, reading });
  } finally {
    session.close();
    reading.close();
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function demoLines(): Line[] {
  const lines = [...metricLines(SEED + 1), ...logLines(SEED + 2)].map((line) => {
    const time = /"timeUnixNano":"(\d+)"/.exec(line)?.[1];
    return { line, second: time === undefined ? 0 : sinceStart(time) };
  });
  return [...lines, ...asExported(traceLines(SEED + 3))].sort((a, b) => a.second - b.second);
}

interface Span {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface SpanRequest {
  readonly resourceSpans: {
    readonly resource: unknown;
    readonly scopeSpans: { readonly scope: unknown; readonly spans: Span[] }[];
  }[];
}

/** As exporters send spans: when they have ended, a few seconds at once. */
function* asExported(lines: readonly string[]): Generator<Line> {
  const sent = new Map<number, SpanRequest['resourceSpans']>();
  for (const { resourceSpans } of lines.map((line) => JSON.parse(line) as SpanRequest))
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { scope, spans } of scopeSpans)
        for (const [at, ended] of Map.groupBy(spans, exportedAt)) {
          const entry = { resource, scopeSpans: [{ scope, spans: ended }] };
          sent.set(at, [...(sent.get(at) ?? []), entry]);
        }
  for (const [second, resourceSpans] of sent) yield { second, line: JSON.stringify({ resourceSpans }) };
}

const EXPORT_S = 5;
const sinceStart = (time: string): number => Number(BigInt(time) / 1_000_000n - BigInt(START_MS)) / 1e3;
const exportedAt = ({ endTimeUnixNano }: Span): number =>
  (Math.floor(sinceStart(endTimeUnixNano) / EXPORT_S) + 1) * EXPORT_S;

interface Case {
  receive(line: Uint8Array): void;
  readonly writer: LiveWriter;
  readonly reading: Session;
}

async function follow(lines: readonly Line[], { receive, writer, reading }: Case): Promise<void> {
  const batches = Map.groupBy(lines, ({ second }) => Math.floor(second / BATCH_S));
  const written: number[] = [];
  const concluded: number[] = [];
  const memory = new ReaderMemory();
  let incidents = 0;
  for (const [, batch] of [...batches].sort(([a], [b]) => a - b)) {
    for (const { line } of batch) receive(Buffer.from(line));
    const flushed = await timed(() => writer.flush());
    written.push(flushed.ms);
    const { value } = flushed;
    if (value !== null && value !== 'full' && value.times) memory.rowsCame(value.times);
    const made = await timed(() => investigate(memory.over(createReader(reading)), correlateOptionsSchema.parse({})));
    concluded.push(made.ms);
    incidents = made.value.conclusions.length;
  }
  for (const [what, times] of [
    ['  written, with what its samples show', written],
    ['  concluded anew', concluded],
  ] as const) {
    const sorted = times.toSorted((a, b) => a - b);
    const [median = 0, worst = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
    print(what, `${Math.round(median)} ms`, `worst ${Math.round(worst)} ms; ${within(worst, 1000, 'ms')}`);
  }
  print('  incidents at the end', String(incidents), '');
}
