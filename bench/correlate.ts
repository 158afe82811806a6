import { investigate } from '../src/core/analysis/correlate.ts';
import { SourceWriter } from '../src/core/store/append.ts';
import { prepareCase } from '../src/core/store/case-file.ts';
import { createReader } from '../src/core/store/reader.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../src/model/batch-builder.ts';
import type { Session } from '../src/model/engine.ts';
import { correlateOptionsSchema } from '../src/model/incident.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../src/model/rows.ts';
import { print, timed, within } from './figures.ts';

const EVENTS = 1_000_000;
const DEVICES = 10_000;
const SERVICES = 200;
const HOUR_S = 3600;
const START_NS = 1_767_225_600_000_000_000n;
const ONSET_S = 2700;

/** One hour of a fleet: a PDU per 16 servers, a service per 50, every fiftieth service slow for two minutes. */
export async function crowdedCase(): Promise<{ readonly session: Session; close(): Promise<void> }> {
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
  for (let from = 0; from < EVENTS; from += 100_000) {
    for (let i = from; i < from + 100_000; i++) event(builder, i);
    await writer.append(builder.finish(0));
  }
  await writer.commit({ sha256: '', bytes: 0 });
  return {
    session,
    close: () => {
      session.close();
      return engine.close();
    },
  };
}

export async function benchCorrelate(): Promise<void> {
  const { session, close } = await crowdedCase();
  const { value, ms } = await timed(() => investigate(createReader(session), correlateOptionsSchema.parse({})));
  await close();
  const what = `correlate ${EVENTS / 1e6} M events, ${DEVICES / 1000} k devices, ${SERVICES} services`;
  print(what, `${Math.round(ms)} ms`, `${within(ms, 2000, 'ms')}; ${value.conclusions.length} incidents`);
}

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

function event(builder: BatchBuilder, i: number): void {
  const spread = (i * 2_654_435_761) % 4_294_967_296;
  builder.table('event').push({
    original_id: `e${i}`,
    time_ns: START_NS + BigInt(Math.floor((i / EVENTS) * HOUR_S * 1e9)),
    entity: builder.entity('server', serverOf(spread)),
    origin: builder.name('bench'),
    type: builder.name(types[spread % types.length] ?? ''),
    severity: spread % 97 === 0 ? 0 : 3,
    message: '',
    attributes: '',
    raw: '',
  });
}
