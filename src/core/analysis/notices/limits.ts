import { jsonMembers } from '../../../base/json-members.ts';
import type { EntityKind } from '../../../model/entity.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';

/** A threshold of a metric. */
export interface Limit {
  readonly value: number;
  readonly way: 'rising' | 'falling';
  /** Its name as text: `its upper critical limit`. */
  readonly name: string;
}

interface LimitKind {
  readonly way: Limit['way'];
  /** Natural limit of the metric, if none is stated. */
  readonly natural?: Omit<Limit, 'way'>;
  /** Another metric of the same entity that states it. */
  readonly stated?: MetricName;
  /** Entity kinds for which reaching it is a problem; default: all. A GPU at its power cap works normally. */
  readonly kinds?: readonly EntityKind[];
}

const supplyKinds: readonly EntityKind[] = ['ups', 'pdu', 'outlet', 'breaker', 'rack', 'psu'];

/** Metrics with limits: power, temperature, batteries. */
export const limitKinds: Readonly<Partial<Record<MetricName, LimitKind>>> = {
  'hw.power': { way: 'rising', stated: 'hw.power.capacity', kinds: supplyKinds },
  'hw.power.apparent': { way: 'rising', kinds: supplyKinds },
  'hw.current': { way: 'rising', kinds: supplyKinds },
  'hw.load': { way: 'rising', natural: { value: 100, name: 'its full capacity' }, kinds: supplyKinds },
  'hw.temperature': { way: 'rising' },
  'hw.gpu.memory.temperature': { way: 'rising' },
  'hw.temperature.margin': { way: 'falling', natural: { value: 0, name: 'its temperature limit' } },
  'hw.battery.charge': { way: 'falling', natural: { value: 0, name: 'empty' } },
  'hw.battery.time_left': { way: 'falling', natural: { value: 0, name: 'the end of its runtime' } },
};

/** As importers put them into attributes of a series. */
const names: Readonly<Record<Limit['way'], readonly (readonly [string, string])[]>> = {
  rising: [
    ['upper_warning', 'its upper warning limit'],
    ['upper_critical', 'its upper critical limit'],
    ['upper_fatal', 'its upper fatal limit'],
  ],
  falling: [
    ['lower_warning', 'its lower warning limit'],
    ['lower_critical', 'its lower critical limit'],
    ['lower_fatal', 'its lower fatal limit'],
  ],
};

/** The nearest limit that a value has not crossed yet. @param stated by another metric of the same entity */
export function limitAhead(kind: LimitKind, attributes: string, value: number, stated?: number): Limit | undefined {
  const { way, natural } = kind;
  const parsed = jsonMembers(attributes);
  const limits = names[way].flatMap(([attribute, name]): Limit[] => {
    const limit = parsed[attribute];
    return typeof limit === 'number' && Number.isFinite(limit) ? [{ value: limit, way, name }] : [];
  });
  if (stated !== undefined && stated > 0) limits.push({ value: stated, way, name: 'its capacity' });
  if (natural && limits.length === 0) limits.push({ ...natural, way });
  const sign = way === 'rising' ? 1 : -1;
  return limits.filter((limit) => sign * (limit.value - value) > 0).sort((a, b) => sign * (a.value - b.value))[0];
}
