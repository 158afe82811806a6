import { readFileSync } from 'node:fs';
import { createApi } from '../src/core/api/index.ts';
import { createArchives } from '../src/main/archives/index.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import type { Api } from '../src/model/contract/index.ts';
import { megabytes, print, thousands, timed, within } from './figures.ts';
import { FROM_NS, type Front, insert, run, SERVICES, STEP, startFront } from './fleet-rows.ts';
import { options } from './options.ts';

/** The sizes that are asked, one after another in the same table; `--spans` replaces the last. */
const SIZES = [5_000_000, 50_000_000];
const HOUR_NS = 3_600_000_000_000n;
const EACH = 5;

/** Questions to a day of a fleet in ClickHouse (chdb), by how many spans it has. */
export async function benchFleet(): Promise<void> {
  const front = await startFront();
  const created = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: noStorage,
    reader: { formats: [] } as never,
    archives: async () => createArchives(true),
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  try {
    let spans = 0;
    const most = Number(options.spans ?? SIZES.at(-1));
    for (const size of [...SIZES.filter((one) => one < most), most]) {
      const filled = await timed(async () => {
        for (; spans < size; spans += STEP) await run(front.url, insert(spans));
      });
      // What was inserted would be merged while it is asked.
      await run(front.url, 'SYSTEM STOP MERGES fleet.otel_traces');
      print(`fleet of ${thousands(spans)} spans`, `${Math.round(filled.ms / 1000)} s to fill`, await sizeOf(front.url));
      await ask(created.api, front);
      await run(front.url, 'SYSTEM START MERGES fleet.otel_traces');
    }
  } finally {
    await created.close();
    front.child.disconnect();
  }
}

const noStorage = {
  open: () => Promise.reject(new Error('no case')),
  create: () => Promise.reject(new Error('no case')),
  recent: async () => [],
  openRecent: () => Promise.reject(new Error('no case')),
};

async function sizeOf(url: string): Promise<string> {
  const sql = "SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts WHERE active AND database = 'fleet'";
  const { data } = JSON.parse(await run(url, sql)) as { data: { bytes: number }[] };
  return `${megabytes(data[0]?.bytes ?? 0)} on disk, ${SERVICES} services, one day`;
}

/** Elapsed, and the processor time of both sides: other work on the machine only changes the first. */
async function spent<T>({ child }: Front, work: () => Promise<T>): Promise<{ value: T; ms: number; cpu: string }> {
  const before = [process.cpuUsage(), processorSeconds(child.pid)] as const;
  const { value, ms } = await timed(work);
  const { user, system } = process.cpuUsage(before[0]);
  const theirs = processorSeconds(child.pid) - before[1];
  return { value, ms, cpu: `processor ${theirs.toFixed(1)} s there, ${((user + system) / 1e6).toFixed(1)} s here` };
}

/** Of another process, where there is /proc; else NaN. */
function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

const searches = [
  '{service.name = "service-17" && duration > 39ms}',
  '{status = error && span.tenant = "tenant-7"}',
  '{service.name = "service-17"} > {status = error}',
];

async function ask(api: Api, front: Front): Promise<void> {
  const plan = `kind: clickhouse\nurl: ${front.url}\ndatabase: fleet\nrequests_per_s: 1000\ntimeout_s: 600\n`;
  const day = { plan, from_ns: FROM_NS, until_ns: FROM_NS + 24n * HOUR_NS };
  const hour = { plan, from_ns: FROM_NS + 10n * HOUR_NS, until_ns: FROM_NS + 11n * HOUR_NS };
  const impacts = await spent(front, () => api['fleet.impacts'](day));
  const services = new Set(impacts.value.impacts.map(({ service }) => service));
  const found = `${services.size} services of ${SERVICES / 50} that are slow`;
  print(
    '  impacts of the day',
    `${Math.round(impacts.ms)} ms`,
    `${within(impacts.ms, 10_000, 'ms')}; ${impacts.cpu}; ${found}`,
  );
  for (const query of searches) {
    const { value, ms, cpu } = await spent(front, () => api['fleet.traces']({ ...hour, query, limit: 100 }));
    print(
      '  TraceQL over an hour',
      `${Math.round(ms)} ms`,
      `${within(ms, 2000, 'ms')}; ${cpu}; ${query}: ${thousands(value.trace_count)} traces`,
    );
  }
  const some = await api['fleet.traces']({ ...hour, query: '{status = error}', limit: EACH, order: 'earliest' });
  for (const { trace_id } of some.traces) {
    const { value, ms, cpu } = await spent(front, () => api['fleet.trace']({ ...day, trace_id }));
    print('  one trace', `${Math.round(ms)} ms`, `${within(ms, 200, 'ms')}; ${cpu}; ${value.spans.length} spans`);
  }
}
