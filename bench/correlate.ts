import { investigate } from '../src/core/analysis/correlate.ts';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { createReader } from '../src/core/store/facts/reader.ts';
import { ReaderMemory } from '../src/core/store/facts/reader-memory.ts';
import { SourceWriter } from '../src/core/store/writer/append.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { correlateOptionsSchema } from '../src/model/incident/incident-schema.ts';
import { BatchBuilder } from '../src/model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../src/model/rows/rows.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { print, timed, within } from './figures.ts';

/** The budget is for the last of them; the others show how it grows. */
const SIZES = [1000, 10_000, 100_000, 1_000_000] as const;
const MOST = 1_000_000;
const DEVICES = 10_000;
const SERVICES = 200;
const HOUR_S = 3600;
const START_NS = 1_767_225_600_000_000_000n;
const ONSET_S = 2700;

/** One hour of a fleet: a PDU per 16 servers, a service per 50, every fiftieth service slow for two minutes. */
export async function crowdedCase(
  events: number = MOST,
): Promise<{ readonly session: Session; close(): Promise<void> }> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  const writer = await SourceWriter.begin(session, {
    name: 'bench',
    format: 'bench',
    imported_at_ns: 0n,
    clock_offset_ns: 0n,
    clock_uncertainty_ns: 0n,
  });
  const builder = new BatchBuilder();
  topology(builder);
  measurements(builder);
  await writer.append(builder.finish(0));
  for (let from = 0; from < events; from += 100_000) {
    for (let i = from; i < Math.min(events, from + 100_000); i++) event(builder, i, events);
    await writer.append(builder.finish(0));
  }
  await writer.commit({ digest: '', bytes: 0 });
  return {
    session,
    close: () => {
      session.close();
      return engine.close();
    },
  };
}

/**
 * The same fleet with more and more events. Beside each time stands how it grew against n log n from the size before:
 * 1 where it grows as sorting does, below where what does not depend on the events still outweighs them.
 */
export async function benchCorrelate(): Promise<void> {
  let before: { readonly events: number; readonly ms: number } | undefined;
  for (const events of SIZES) {
    const { session, close } = await crowdedCase(events);
    // As an open case is asked for the first time: nothing is known yet, and services that suffer at one time share answers.
    const reader = new ReaderMemory().over(createReader(session));
    const { value, ms } = await timed(() => investigate(reader, correlateOptionsSchema.parse({})));
    await close();
    const what = `correlate ${events.toLocaleString('en')} events, ${DEVICES / 1000} k devices, ${SERVICES} services`;
    const grown = before ? (ms / before.ms / (effort(events) / effort(before.events))).toFixed(2) : '-';
    const budget = events === MOST ? `${within(ms, 2000, 'ms')}; ` : '';
    print(what, `${Math.round(ms)} ms`, `${budget}to n log n ${grown}; ${value.conclusions.length} incidents`);
    before = { events, ms };
  }
}

const effort = (events: number): number => events * Math.log(events);

const serverOf = (i: number): string => `server-${i % DEVICES}`;

function topology(builder: BatchBuilder): void {
  const link = (from: number, kind: string, to: number) =>
    builder.table('edge').push({
      from_entity: from,
      kind: builder.name(kind),
      to_entity: to,
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: builder.name('bench'),
    });
  for (let i = 0; i < DEVICES; i++) {
    const server = builder.entity('server', serverOf(i));
    link(builder.entity('pdu', `pdu-${i >> 4}`), 'feeds', server);
    link(builder.entity('service', `service-${i % SERVICES}`), 'runs_on', server);
  }
}

function measurements(builder: BatchBuilder): void {
  for (let service = 0; service < SERVICES; service++) {
    const entity = builder.entity('service', `service-${service}`);
    const series = builder.series({
      metric: 'service.latency.p99',
      kind: 'gauge',
      entity,
      resource: -1,
      unit: 'ms',
      description: '',
      temporality: 0,
      monotonic: false,
      attributes: '',
    });
    for (let second = 0; second < HOUR_S; second += 10) {
      const slow = service % 50 === 0 && second >= ONSET_S && second < ONSET_S + 120;
      const time_ns = START_NS + BigInt(second) * 1_000_000_000n;
      builder.table('point').push({ series, start_ns: 0n, time_ns, value: slow ? 2000 : 500 + ((second * 7) % 23) });
    }
  }
}

const types = ['cpu_power_cap', 'thermal_throttle', 'link_flap', 'psu_failover', 'voltage_sag'];

function event(builder: BatchBuilder, i: number, events: number): void {
  const spread = (i * 2_654_435_761) % 4_294_967_296;
  builder.table('event').push({
    original_id: `e${i}`,
    time_ns: START_NS + BigInt(Math.floor((i / events) * HOUR_S * 1e9)),
    entity: builder.entity('server', serverOf(spread)),
    origin: builder.name('bench'),
    type: builder.name(types[spread % types.length] ?? ''),
    severity: spread % 97 === 0 ? 0 : 3,
    message: '',
    attributes: '',
    raw: '',
    details: '',
  });
}
