import { layerOf, type Severity } from '../../src/model/entity.ts';
import type { CatalogEntry } from './catalog.ts';
import { type Chance, createChance } from './chance.ts';
import { addDecoys, addHarmlessEvents, addPods } from './decoys.ts';
import { planOf } from './families/index.ts';
import { aheadAt, createInstruments, type Recorded, record } from './instruments.ts';
import { type EntityRef, type Family, innocentFamilies, type Label, type Variant, variants } from './label.ts';
import { Load } from './load.ts';
import { type CorpusIncident, instant, type RecordedLog, type Recording } from './recording.ts';
import { samplesOf } from './samples.ts';
import { type Happening, type Outcome, Scenario, type SourceName, sourceNames } from './scenario.ts';
import { alikeUnrecorded, breakerOf, otherFeeds, sameChain } from './similar-unrecorded.ts';
import { machineRef, ref } from './site.ts';
import { gauges, histograms, traces } from './telemetry.ts';
import { damagedTopology } from './topology-damage.ts';
import { createWorld } from './world.ts';

const START_MS = Date.UTC(2026, 4, 4, 0, 0, 0);
/** Attempts until the scenario has an impact: with redundancy many have none. */
const TRIES = 40;

interface Draft {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  readonly impacted: ImpactedServices;
  readonly at_s: number;
  readonly length_s: number;
}

/** One incident of the corpus; the same entry gives the same incident, to the byte. */
export function generateIncident(entry: CatalogEntry): CorpusIncident {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const draft = draftIncident(entry, createChance(entry.seed, `story ${attempt}`));
    if (draft) return finish(entry, draft, createChance(entry.seed, `record ${attempt}`));
  }
  throw new Error(`${entry.id}: no scenario with an impact`);
}

function draftIncident(entry: CatalogEntry, chance: Chance): Draft | undefined {
  const { family, variants: hard } = entry;
  const plan = planOf(family);
  const cloud = plan?.cloudToo === true && chance.chance(0.25);
  const world = createWorld(chance, { cloud, ...plan?.needs });
  const scenario = new Scenario(world, chance, hard.includes('lost_links') ? 0.3 : 0.08);
  const at_s = chance.between(800, 1250);
  const lasts_s = Math.min(420, Math.max(45, chance.around(130, 0.5)));
  const calm_s = chance.between(120, 400);
  if (!plan) {
    addHarmlessEvents(scenario, at_s);
    const length_s = at_s + lasts_s + calm_s;
    return {
      scenario,
      outcome: { root: null, event: null },
      impacted: { services: [], from_s: at_s, to_s: at_s },
      at_s,
      length_s,
    };
  }
  const outcome = plan.build(scenario, at_s, lasts_s);
  if (outcome.done) {
    const length_s = at_s + lasts_s + calm_s;
    return { scenario, outcome, impacted: { services: [], from_s: at_s, to_s: at_s }, at_s, length_s };
  }
  const ends = [...scenario.machineEffects, ...scenario.serviceEffects].map(({ to_s }) => to_s);
  const length_s = Math.max(...ends, at_s) + calm_s;
  const impacted = impactedServices(scenario, at_s - 30, length_s);
  if (!outcome.root && !outcome.guilty_service) return undefined;
  if (impacted.services.length === 0) return undefined;
  if (
    plan.harmsJob &&
    !world.services.some(({ name, form }) => form === 'training' && impacted.services.includes(name))
  )
    return undefined;
  if (outcome.guilty_service && !impacted.services.includes(outcome.guilty_service)) return undefined;
  return { scenario, outcome, impacted, at_s, length_s };
}

/** Shorter harm escapes measurements of 30 and 60 s. */
const SHORTEST_S = 45;

interface ImpactedServices {
  readonly services: readonly string[];
  readonly from_s: number;
  readonly to_s: number;
}

/** Worse than this and somebody would call it an incident: 1.8 times the p99, 2 % errors, or 60 % of the throughput. */
function impactedServices(scenario: Scenario, from_s: number, to_s: number): ImpactedServices {
  const load = new Load(scenario.world.services, scenario);
  const normalLoad = new Load(scenario.world.services);
  const services: string[] = [];
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { name, form } of scenario.world.services) {
    const normal = normalLoad.stateAt(name, 0);
    const centre = weightedMedian(normal.parts);
    let seconds = 0;
    for (let at_s = from_s; at_s < to_s; at_s += 1) {
      const state = load.stateAt(name, at_s);
      const slow = state.parts.reduce((sum, part) => sum + (part.median_ms > 1.8 * centre ? part.share : 0), 0);
      const starved = state.rate < 0.6 * normal.rate && (form === 'training' || state.errors > 0.3);
      if (slow < 0.03 && state.errors < 0.02 && !starved) continue;
      seconds++;
      first = Math.min(first, at_s);
      last = Math.max(last, at_s);
    }
    if (seconds >= SHORTEST_S) services.push(name);
  }
  return { services, from_s: first, to_s: last };
}

const weightedMedian = (parts: readonly { readonly share: number; readonly median_ms: number }[]): number =>
  parts.reduce((sum, { share, median_ms }) => sum + share * median_ms, 0);

function finish(entry: CatalogEntry, draft: Draft, chance: Chance): CorpusIncident {
  const { scenario, outcome, impacted, at_s, length_s } = draft;
  const applied = new Set<Variant>(entry.variants);
  const own = [...scenario.happenings];
  if (applied.has('overlap') && !addSecondIncident(entry, draft, chance)) applied.delete('overlap');
  if (outcome.event && applied.has('understated_root')) outcome.event.severity = understated(outcome.event.severity);
  else applied.delete('understated_root');
  const alike = applied.has('silent_root') ? silence(scenario, own, { outcome, applied }) : [];
  addDecoys(scenario, {
    length_s,
    anchor_s: outcome.event?.at_s ?? impacted.from_s,
    affected: impacted.services,
    hard: entry.hard,
    benignCritical: applied.has('benign_critical'),
  });
  const pods = addPods(scenario, length_s, createChance(entry.seed, 'pods'));
  // A silent device has no background events either.
  if (applied.has('silent_root'))
    for (const one of scenario.happenings) if (one.entity.id === outcome.root?.id) one.recorded = false;
  const withheld = withhold(scenario, own, { entry, outcome, applied, chance });
  if (applied.has('silent_root') && outcome.root) alike.push(...otherFeeds(own, [outcome.root, ...alike], scenario));
  const equivalents = [...namesOf(scenario, outcome), ...alike];
  const scenarioSources = sourceNames.filter((name) => own.some((one) => one.recorded && one.source === name));
  const instruments = createInstruments(chance, (variant) => applied.has(variant), scenarioSources);
  const recorded = record(scenario.happenings, instruments, {
    chance,
    twice: entry.hard ? 0.1 : 0.04,
    length_s,
    aliases: scenario.world.aliases,
  });
  const start_ns =
    BigInt(START_MS + (entry.seed % 97) * 86_400_000 + Math.floor(chance.between(0, 86_400_000))) * 1_000_000n;
  const measured = untilDone(measure(entry, draft, chance), outcome);
  const recording: Recording = {
    start_ns,
    edges: [
      ...(applied.has('stale_topology') ? damagedTopology(scenario, outcome, chance) : scenario.world.edges),
      ...(outcome.edges ?? []),
      ...pods,
    ],
    aliases: scenario.world.aliases,
    sources: recorded.sources,
    ...(applied.has('telemetry_gap') ? withGap(measured, impacted.from_s, chance) : measured),
    logs: logsOf(draft, chance),
  };
  const offsets = recorded.sources.map(({ name }) => {
    const instrument = instruments.get(name as SourceName);
    return [name, instrument ? aheadAt(instrument, at_s) : 0] as const;
  });
  const label: Label = {
    id: entry.id,
    seed: entry.seed,
    split: entry.split,
    family: entry.family,
    hard: entry.hard,
    variants: variants.filter((variant) => applied.has(variant)),
    root: outcome.root,
    root_equivalents: withheld.root ? [...equivalents, ...alikeUnrecorded(scenario, own, outcome)] : equivalents,
    alike: alike.length,
    guilty_service: outcome.guilty_service ?? null,
    root_event_id: (outcome.event && recorded.ids.get(outcome.event)) ?? null,
    chain: chainOf(own, recorded),
    repeats: recorded.repeats,
    affected_services: impacted.services,
    onset_ns: instant({ start_ns }, impacted.from_s),
    end_ns: instant({ start_ns }, impacted.to_s),
    withheld_layers: withheld.layers,
    clock_offsets_s: Object.fromEntries(offsets),
    expected: withheld.root ? 'insufficient_evidence' : expectedOf(entry.family, outcome),
  };
  return { label, recording };
}

function expectedOf(family: Family, { root }: Outcome): Label['expected'] {
  if (family === 'healthy' || family === 'job_done') return 'none';
  return root && !innocentFamilies.has(family) ? 'device' : 'no_physical_cause';
}

/** All names of the root cause: a machine and its node are one, and tags and UUIDs are aliases. */
function namesOf({ world }: Scenario, { root, equivalents = [] }: Outcome): EntityRef[] {
  const meant = root ? [root, ...equivalents] : [];
  const machines = meant.flatMap((one) => {
    const machine = world.machines.find(({ id, node }) => id === one.id || node === one.id);
    return machine ? [machineRef(machine), ref('node', machine.node)] : [one];
  });
  const aliases = machines.flatMap((one) =>
    world.aliases.flatMap(({ entity, alias }) =>
      entity.kind === one.kind && entity.id === one.id ? [ref(one.kind, alias.name)] : [],
    ),
  );
  return [...machines, ...aliases].filter(({ kind, id }) => kind !== root?.kind || id !== root.id);
}

/** A measurement gap: collectors restart, too. */
function withGap(measured: Measured, onset_s: number, chance: Chance): Measured {
  const from_s = onset_s - chance.between(200, 500);
  const to_s = from_s + chance.between(50, 140);
  const isRecordedAt = (at_s: number) => at_s < from_s || at_s > to_s;
  return {
    services: measured.services.map((telemetry) =>
      telemetry.form === 'gauges'
        ? { ...telemetry, rows: telemetry.rows.filter(({ at_s }) => isRecordedAt(at_s)) }
        : { ...telemetry, rows: telemetry.rows.filter(({ at_s }) => isRecordedAt(at_s)) },
    ),
    samples: measured.samples.map((series) => ({
      ...series,
      rows: series.rows.filter(({ at_s }) => isRecordedAt(at_s)),
    })),
    spans: measured.spans.filter(({ start_s }) => isRecordedAt(start_s)),
  };
}

const understated = (severity: Severity): Severity => (severity === 'critical' ? 'medium' : 'low');

/** The root cause, and all events of the same device, are silent. */
function silence(
  scenario: Scenario,
  own: readonly Happening[],
  { outcome, applied }: Pick<Withholding, 'outcome' | 'applied'>,
): EntityRef[] {
  const { root } = outcome;
  const failing = own.filter(
    ({ type, recorded, cause, entity }) =>
      recorded && entity.id !== root?.id && (type === 'psu_failover' || cause === outcome.event),
  );
  if (!root || new Set(failing.map(({ entity }) => entity.id)).size < 2) {
    applied.delete('silent_root');
    return [];
  }
  const alike = sameChain(own, { root, outcome });
  const hidden = new Set<string>([root.id]);
  // Behind a silent breaker its PDU is silent, too.
  if (root.kind === 'breaker') for (const { kind, id } of alike) if (kind === 'pdu') hidden.add(id);
  if (root.kind === 'pdu') alike.push(...breakerOf(root.id, scenario.world));
  for (const one of own) if (hidden.has(one.entity.id)) one.recorded = false;
  return alike;
}

/** A second incident of another kind, on services that the first leaves alone, and on machines that carry none of its victims. */
function addSecondIncident(entry: CatalogEntry, draft: Draft, chance: Chance): boolean {
  const { scenario, impacted: felt } = draft;
  const other = chance.pick(['xid_94', 'xid_79', 'psu_failure', 'bmc_cap', 'power_brake', 'nvlink_down'] as const);
  const plan = planOf(other);
  if (!plan || other === entry.family) return false;
  for (let attempt = 0; attempt < 8; attempt++) {
    if (scenario.world.cloud && plan.cloudToo !== true) return false;
    const second = new Scenario(scenario.world, chance, 0.1);
    plan.build(second, draft.at_s + chance.between(-60, 60), chance.between(60, 200));
    const hurt = impactedServices(second, draft.at_s - 120, draft.length_s).services;
    const near = second.machineEffects.flatMap(({ machine }) => scenario.servicesOn(machine));
    if (hurt.length === 0 || [...hurt, ...near.map(({ name }) => name)].some((name) => felt.services.includes(name)))
      continue;
    scenario.happenings.push(...second.happenings.map((one) => ({ ...one, cause: null, isPartOfScenario: false })));
    scenario.machineEffects.push(...second.machineEffects);
    scenario.serviceEffects.push(...second.serviceEffects);
    return true;
  }
  return false;
}

interface Withholding {
  readonly entry: CatalogEntry;
  readonly outcome: Outcome;
  readonly applied: Set<Variant>;
  readonly chance: Chance;
}

/** A layer or data source without a recording; `root` if the cause is in it. */
function withhold(
  scenario: Scenario,
  own: readonly Happening[],
  { entry, outcome, applied, chance }: Withholding,
): { readonly layers: Label['withheld_layers']; readonly root: boolean } {
  if (!applied.has('missing_source')) return { layers: [], root: false };
  const { root } = outcome;
  const layer = root && layerOf(root.kind);
  // The layer of the services themselves is always recorded.
  if (root && layer && layer !== 'service' && entry.withholdRoot) {
    for (const one of scenario.happenings) if (layerOf(one.entity.kind) === layer) one.recorded = false;
    applied.delete('understated_root');
    return { layers: [layer], root: true };
  }
  const others = [
    ...new Set(own.filter((one) => one.recorded && one.source !== outcome.event?.source).map((one) => one.source)),
  ];
  if (!root || others.length === 0) {
    applied.delete('missing_source');
    return { layers: [], root: false };
  }
  const gone = chance.pick(others);
  const touched = new Set(own.filter(({ source }) => source === gone).map(({ entity }) => layerOf(entity.kind)));
  for (const one of scenario.happenings) if (one.source === gone) one.recorded = false;
  const left = new Set(
    scenario.happenings.filter(({ recorded }) => recorded).map(({ entity }) => layerOf(entity.kind)),
  );
  const layers = [...touched].filter((one) => !left.has(one));
  return { layers, root: layers.includes(layerOf(root.kind)) };
}

/** What ends an effect is no effect of the root: it happens in any case, after the harm. */
const endings = /_restored$|_removed$|_ended$|^link_up$|^ups_alarm$|^host_rebooted$/;

function chainOf(own: readonly Happening[], { ids }: Recorded): [string, string][] {
  const pairs: [string, string][] = [];
  for (const happening of own) {
    const effect = ids.get(happening);
    if (effect === undefined || endings.test(happening.type)) continue;
    let { cause } = happening;
    while (cause && !ids.has(cause)) cause = cause.cause;
    const id = cause && ids.get(cause);
    if (id) pairs.push([id, effect]);
  }
  return pairs;
}

/** Without what is measured of a job after it was done. */
const untilDone = (measured: Measured, { done }: Outcome): Measured =>
  done === undefined
    ? measured
    : {
        ...measured,
        services: measured.services.map((one) =>
          one.service !== done.service || one.form !== 'gauges'
            ? one
            : { ...one, rows: one.rows.filter(({ at_s }) => at_s <= done.at_s) },
        ),
      };

type Measured = Pick<Recording, 'services' | 'samples' | 'spans'>;

function measure(entry: CatalogEntry, draft: Draft, chance: Chance): Measured {
  const { scenario, length_s } = draft;
  const { services } = scenario.world;
  const load = new Load(services, scenario);
  // What software did is asked of traces, whatever the services are measured by.
  const tracing = entry.form === 'spans' || draft.outcome.guilty_service !== undefined;
  const traced = tracing ? services.filter(({ form }) => form === 'online') : [];
  const measured = services.filter(({ form }) => entry.form !== 'spans' || form !== 'online');
  const interval_s = chance.pick(entry.form === 'histograms' ? [10, 15, 30] : [1, 10, 10, 30, 60]);
  return {
    services: measured.map((service) => {
      const one = { service, load, chance, length_s };
      return entry.form === 'histograms' && service.form === 'online'
        ? histograms(one, interval_s)
        : gauges(one, interval_s);
    }),
    samples: samplesOf({ scenario, outcome: draft.outcome, chance, length_s }),
    spans: traces(traced, load, { chance, length_s }),
  };
}

const normalLogLines = [
  'batch scheduled',
  'kv cache usage 61 %',
  'request queue length 3',
  'checkpoint kept',
  'prefix cache hit',
];
const strainedLines = ['step time exceeds target', 'request queue length 87', 'deadline exceeded, retrying'];

function logsOf({ scenario, outcome, impacted, length_s }: Draft, chance: Chance): RecordedLog[] {
  const logs: RecordedLog[] = [];
  for (const { name } of scenario.world.services) {
    const hurt = impacted.services.includes(name);
    for (let at_s = chance.gap(0.02); at_s < length_s; at_s += chance.gap(0.02))
      logs.push({ service: name, at_s, severity: 9, body: chance.pick(normalLogLines) });
    if (!hurt) continue;
    for (let at_s = impacted.from_s + chance.gap(0.2); at_s < impacted.to_s; at_s += chance.gap(0.2))
      logs.push({ service: name, at_s, severity: 13, body: chance.pick(strainedLines) });
  }
  for (const { service, from_s, to_s, body } of outcome.logs ?? [])
    for (let at_s = from_s + chance.gap(0.4); at_s < to_s; at_s += chance.gap(0.4))
      logs.push({ service, at_s, severity: 17, body });
  return logs.sort((a, b) => a.at_s - b.at_s);
}
