import { isObject, type Json, normalizeId, textOf, typeOf } from '../../sources/redfish/format.ts';

/**
 * Links that lead to resources which decoders read; others, such as accounts, drives and firmware, are not followed.
 */
const resources = new Set([
  'EnvironmentMetrics',
  'LeakDetection',
  'Metrics',
  'Power',
  'PowerSubsystem',
  'ProcessorMetrics',
  'ProcessorResetMetrics',
  'Thermal',
  'ThermalMetrics',
  'ThermalSubsystem',
  'PowerEquipment',
  'TelemetryService',
]);
const collections = new Set([
  'Chassis',
  'Systems',
  'Managers',
  'Sensors',
  'PowerSupplies',
  'Batteries',
  'Fans',
  'LeakDetectors',
  'Processors',
  'Memory',
  'Ports',
  'MetricReports',
  'RackPDUs',
  'FloorPDUs',
  'PowerShelves',
  'TransferSwitches',
  'Switchgear',
  'ElectricalBuses',
  'Outlets',
  'OutletGroups',
  'Branches',
  'Mains',
  'Feeders',
  'Subfeeds',
  'LogServices',
]);
/** Members that contain parts of a resource, not links into the rest of the tree. */
const inside = new Set(['Oem', 'Dell', 'Nvidia', 'MemorySummary', 'CacheSummary']);
const DEPTH = 4;

export interface Link {
  readonly to: string;
  readonly isCollection: boolean;
}

/** Links to follow from a resource, or from a page of a collection. */
export function* linksFrom(doc: Json, depth = 0): Generator<Link> {
  for (const [name, value] of Object.entries(doc)) {
    // An expanded member is a full resource; one that is not expanded is only a link.
    const isMembers = name === 'Members' || name === 'Contains';
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isObject(one)) continue;
      const to = textOf(one['@odata.id']);
      const isFollowed = isMembers || resources.has(name) || collections.has(name);
      // `Thermal#/Fans/0` is part of a resource that is read already.
      if (isFollowed && to !== '' && !to.includes('#') && !isExpanded(one))
        yield { to, isCollection: !isMembers && collections.has(name) };
      if (depth < DEPTH && (inside.has(name) || name === 'Links' || (isFollowed && isExpanded(one))))
        yield* linksWithin(name, one, depth);
    }
  }
}

/** Of `Links`, only what a chassis contains is followed: the rest points back and sideways. */
function* linksWithin(name: string, doc: Json, depth: number): Generator<Link> {
  yield* linksFrom(name === 'Links' ? { Contains: doc['Contains'] } : doc, depth + 1);
}

/** Sensors that resources show as their own; some collections do not list them. */
export function* sourcesIn(doc: Json, depth = 0): Generator<string> {
  for (const [name, value] of Object.entries(doc)) {
    if (name === 'DataSourceUri' && typeof value === 'string') yield value;
    if (depth > DEPTH) continue;
    for (const one of Array.isArray(value) ? value : [value]) if (isObject(one)) yield* sourcesIn(one, depth + 1);
  }
}

/** Sensors whose readings a resource repeats; '' for a reading of its own. */
export function excerptsIn(doc: Json, depth = 0): readonly string[] {
  const own = 'Reading' in doc ? [normalizeId(textOf(doc['DataSourceUri']))] : [];
  if (depth > DEPTH) return own;
  const inner = Object.values(doc).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [...own, ...inner.filter(isObject).flatMap((one) => excerptsIn(one, depth + 1))];
}

/** A resource in full, where a link would be enough. */
export const isExpanded = (value: unknown): value is Json =>
  isObject(value) && '@odata.type' in value && Object.keys(value).length > 3;

/** The next page of a collection. */
export const nextPage = (doc: Json): string => textOf(doc['Members@odata.nextLink'] ?? doc['@odata.nextLink']);

/** Resources that change every second, and those that change rarely. */
const moving =
  /^(Power|Thermal|Sensor|EnvironmentMetrics|PowerSupply|PowerSupplyMetrics|ThermalMetrics|Fan|LeakDetector|BatteryMetrics|PowerDistributionMetrics|Outlet|Circuit|ProcessorMetrics|MemoryMetrics|PortMetrics|NvidiaProcessorResetMetrics|MetricReport)$/;
const statusTypes =
  /^(ComputerSystem|Chassis|Manager|Processor|Memory|Port|Battery|PowerDistribution|PowerSubsystem|OutletGroup)$/;

/** Poll tier of a resource; `structure` is read only at discovery. */
export type Tier = 'moving' | 'standing' | 'structure';

export function tierOf(doc: Json): Tier {
  const members = doc['Members'];
  const [first] = Array.isArray(members) ? members.filter(isExpanded) : [];
  const type = typeOf(first ?? doc);
  return moving.test(type) ? 'moving' : statusTypes.test(type) ? 'standing' : 'structure';
}
