import { investigate } from '../src/core/analysis/correlate.ts';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { createReader } from '../src/core/store/facts/reader.ts';
import { ReaderMemory } from '../src/core/store/facts/reader-memory.ts';
import { SourceWriter } from '../src/core/store/writer/append.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { correlateOptionsSchema } from '../src/model/incident/incident-schema.ts';
import type { WhatIf } from '../src/model/incident/what-if.ts';
import { whatIfSchema } from '../src/model/incident/what-if-schema.ts';
import { BatchBuilder } from '../src/model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../src/model/rows/rows.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { correlateAsSeed } from './baseline/engine.ts';
import { megabytes, print, timed, within } from './figures.ts';
import { options } from './options.ts';

const SIZES: readonly number[] = options.machines?.split(',').map(Number) ?? [500, 1000, 2000, 4000, 8000, 20_000];
/** The budgets are of this size. */
const MOST = 20_000;
const PER_RACK = 20;
const START_NS = 1_767_225_600_000_000_000n;
const MINUTES = 40;
const ONSET_S = 1800;

/** What all machines have in common, and whether it is recorded. */
const causes = ['sag', 'unrecorded', 'switch'] as const;
type Cause = (typeof causes)[number];

interface Fleet {
  readonly machines: number;
  readonly services: number;
  readonly cause: Cause;
}

const suppositions: Readonly<Record<string, Partial<WhatIf>>> = {
  'a layer dropped': { without_layers: ['power'] },
  'a clock shifted': { clock_shifts: [{ source: 'bmc', seconds: 2 }] },
  'a feed moved': { moved_feeds: [{ to: 'server-0', from: 'pdu-a-1', instead_of: 'pdu-a-0' }] },
};

/**
 * Machines that fail within one second, for one reason: seconds of a correlation and of what-ifs, and how they grow. `grown`
 * compares with the size before and the number of machines: 1 is linear. The rival is the engine of the seed, which only sorts.
 * Processor time counts all threads; unlike seconds it hardly depends on other work of the machine.
 */
export async function benchFailingMachines(): Promise<void> {
  const fleets = causes.flatMap((cause) => [1, 20].map((services) => ({ cause, services })));
  for (const fleet of fleets) {
    if (options.part && options.part !== `${fleet.cause}-${fleet.services}`) continue;
    let before: { readonly machines: number; readonly ms: number } | undefined;
    for (const machines of SIZES) {
      const ms = await measure({ ...fleet, machines }, before);
      before = { machines, ms };
    }
  }
}

async function measure(
  fleet: Fleet,
  before: { readonly machines: number; readonly ms: number } | undefined,
): Promise<number> {
  const { machines, services, cause } = fleet;
  const { value: opened, ms: filled } = await timed(() => caseOf(fleet));
  const memory = new ReaderMemory();
  const reader = memory.over(createReader(opened.session));
  const all = correlateOptionsSchema.parse({});
  const rival = await timed(() => correlateAsSeed(createReader(opened.session), all));
  const used = process.cpuUsage();
  const { value, ms } = await timed(() => investigate(reader, all));
  const { user, system } = process.cpuUsage(used);
  const [first] = value.conclusions;
  const best = first?.incident.hypotheses[0];
  const grown = before ? (ms / before.ms / (machines / before.machines)).toFixed(2) : '-';
  const peak = megabytes(process.resourceUsage().maxRSS * 1024);
  const budget = machines === MOST && services === 1 ? `${within(ms, 5000, 'ms')}; ` : '';
  print(
    `${machines.toLocaleString('en')} machines, ${cause}, ${services} services`,
    `${Math.round(ms)} ms`,
    `${budget}grown ${grown}; ${(ms / rival.ms).toFixed(1)} times the rival; ${((user + system) / 1e6).toFixed(1)} s of processor time; filled in ${Math.round(filled)} ms; peak ${peak}; ` +
      `${value.conclusions.length} incidents; ${best?.type} on ${best?.subject?.id} ${best?.probability}`,
  );
  const only = new Set(first ? [first.incident.id] : []);
  for (const [what, supposition] of Object.entries(suppositions)) {
    const whatIf = whatIfSchema.parse(supposition);
    const asked = await timed(() => investigate(reader, all, { only, whatIf }));
    print(`  what-if: ${what}`, `${Math.round(asked.ms)} ms`, within(asked.ms, 1000, 'ms'));
  }
  await opened.close();
  return ms;
}

async function caseOf(fleet: Fleet): Promise<{ readonly session: Session; close(): Promise<void> }> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  await source(session, 'topology', (builder) => topology(builder, fleet));
  await source(session, 'metrics', (builder) => measurements(builder, fleet));
  await source(session, 'snmp', (builder) => infrastructureEvents(builder, fleet));
  await source(session, 'bmc', (builder) => machineEvents(builder, fleet));
  return {
    session,
    close: () => {
      session.close();
      return engine.close();
    },
  };
}

async function source(session: Session, name: string, fill: (builder: BatchBuilder) => void): Promise<void> {
  const writer = await SourceWriter.begin(session, {
    name,
    format: 'bench',
    imported_at_ns: 0n,
    clock_offset_ns: 0n,
    clock_uncertainty_ns: 0n,
  });
  const builder = new BatchBuilder();
  fill(builder);
  await writer.append(builder.finish(0));
  await writer.commit({ digest: '', bytes: 0 });
}

/** Two UPSs over all; in each rack two PDUs, a switch and its machines, each fed twice and connected once. */
function topology(builder: BatchBuilder, { machines, services }: Fleet): void {
  const link = (from: number, kind: string, to: number) =>
    builder.table('edge').push({
      from_entity: from,
      kind: builder.name(kind),
      to_entity: to,
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: builder.name('bench'),
    });
  for (let rack = 0; rack * PER_RACK < machines; rack++) {
    for (const side of ['a', 'b'])
      link(builder.entity('ups', `ups-${side}`), 'feeds', builder.entity('pdu', `pdu-${side}-${rack}`));
    link(builder.entity('switch', 'spine'), 'connects', builder.entity('switch', `leaf-${rack}`));
  }
  for (let i = 0; i < machines; i++) {
    const [server, rack] = [builder.entity('server', `server-${i}`), Math.floor(i / PER_RACK)];
    link(builder.entity('rack', `rack-${rack}`), 'contains', server);
    for (const side of ['a', 'b']) link(builder.entity('pdu', `pdu-${side}-${rack}`), 'feeds', server);
    link(builder.entity('switch', `leaf-${rack}`), 'connects', server);
    link(builder.entity('service', `service-${i % services}`), 'runs_on', server);
  }
}

/** Latency of each service every 10 s, power of each machine every minute. */
function measurements(builder: BatchBuilder, { machines, services }: Fleet): void {
  const seriesOf = (entity: number, metric: string, unit: string) =>
    builder.series({
      ...{ metric, unit, entity, kind: 'gauge', resource: -1, description: '' },
      ...{ temporality: 0, monotonic: false, attributes: '' },
    });
  const push = (series: number, second: number, value: number) =>
    builder.table('point').push({ series, start_ns: 0n, time_ns: at(second), value });
  for (let i = 0; i < services; i++) {
    const series = seriesOf(builder.entity('service', `service-${i}`), 'service.latency.p99', 'ms');
    for (let second = 0; second < MINUTES * 60; second += 10)
      push(series, second, second >= ONSET_S + 10 && second < ONSET_S + 130 ? 2000 : 500 + ((second * 7) % 23));
  }
  for (let i = 0; i < machines; i++) {
    const series = seriesOf(builder.entity('server', `server-${i}`), 'hw.power', 'W');
    for (let second = i % 60; second < MINUTES * 60; second += 60)
      push(series, second, (second >= ONSET_S && second < ONSET_S + 130 ? 380 : 600) + ((second * 7 + i) % 23));
  }
}

const at = (second: number): bigint => START_NS + BigInt(Math.round(second * 1e9));

interface NewEvent {
  readonly entity: number;
  readonly id: string;
  readonly type: string;
  readonly second: number;
  readonly severity: number;
}

function push(builder: BatchBuilder, { entity, id, type, second, severity }: NewEvent): void {
  builder.table('event').push({
    ...{ original_id: id, time_ns: at(second), entity, origin: builder.name('bench'), type: builder.name(type) },
    ...{ severity, message: '', attributes: '', raw: '', details: '' },
  });
}

function infrastructureEvents(builder: BatchBuilder, { machines, cause }: Fleet): void {
  // A record of another day, so that there is a source in any case.
  const started = {
    entity: builder.entity('pdu', 'pdu-b-0'),
    id: 'started',
    type: 'bmc_event',
    second: 5,
    severity: 3,
  };
  push(builder, started);
  const racks = Math.ceil(machines / PER_RACK);
  if (cause === 'sag') {
    const ups = builder.entity('ups', 'ups-a');
    push(builder, { entity: ups, id: 'ups', type: 'ups_transfer', second: ONSET_S - 1, severity: 1 });
    for (let rack = 0; rack < racks; rack++) {
      const entity = builder.entity('pdu', `pdu-a-${rack}`);
      push(builder, { entity, id: `sag-${rack}`, type: 'voltage_sag', second: ONSET_S - 0.5, severity: 1 });
    }
  }
  if (cause === 'switch') {
    const spine = builder.entity('switch', 'spine');
    push(builder, { entity: spine, id: 'spine', type: 'switch_reboot', second: ONSET_S - 1, severity: 1 });
  }
}

/** Two records of each machine: what befell it, and what it did, all within one second. */
function machineEvents(builder: BatchBuilder, { machines, cause }: Fleet): void {
  const [first, then] = cause === 'switch' ? ['link_down', 'node_not_ready'] : ['psu_failover', 'cpu_power_cap'];
  for (let i = 0; i < machines; i++) {
    const entity = builder.entity('server', `server-${i}`);
    const second = ONSET_S + ((i * 7919) % machines) / machines / 2;
    push(builder, { entity, id: `first-${i}`, type: first!, second, severity: 1 });
    push(builder, { entity, id: `then-${i}`, type: then!, second: second + 0.5, severity: 1 });
  }
}
