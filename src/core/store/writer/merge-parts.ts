import type { EntityKind } from '../../../model/entity.ts';
import type { Joining } from './merge-workloads.ts';

/** Parts that recorders name within their machine, as `machine/name`. GPUs have rules of their own. */
const named: ReadonlySet<string> = new Set<EntityKind>(['psu', 'cooling', 'outlet', 'breaker', 'port', 'nic', 'cpu']);
/** What has such parts. */
const holders: ReadonlySet<string> = new Set<EntityKind>([
  'server',
  'node',
  'instance',
  'device',
  'switch',
  'pdu',
  'ups',
  'cooling',
]);
/** Parts whose names are a word and a number, and each recorder has another word: `psu-PSU1`, `PSU1`, `Power Supply 1`. */
const numbered: ReadonlySet<string> = new Set<EntityKind>(['psu', 'cooling']);
const WORDS = /^(?:psu|ps|power|supply|unit|fan|cooling|bay|slot|[\s._/-])+/i;

interface Part {
  readonly entity_id: number;
  readonly name: string;
  /** What is before the number, without letter case: one recorder writes all parts of a machine in one style. */
  readonly style: string;
  /** Distinguishes the parts of a machine. */
  readonly number: string;
}

/**
 * `h1/PSU1` and `h1.example.com/psu-PSU1` are one supply once it is known that both hosts are one machine. Names that differ in
 * more than letter case are one where both recorders name as many parts and with the same numbers: one may count from 0 where
 * the other counts from 1.
 *
 * @param given names that recorders gave to parts besides their ids, by entity
 */
export function mergeParts({ entities, leader, join }: Joining, given: ReadonlyMap<number, string>): void {
  const owners = new Map<string, number>();
  // A service may be called like a machine.
  for (const { kind, id, entity_id } of entities) if (holders.has(kind)) owners.set(id.toLowerCase(), entity_id);
  const homes = new Map<string, Part[]>();
  for (const { kind, id, entity_id } of entities) {
    const end = id.indexOf('/');
    if (end < 0 || !named.has(kind)) continue;
    const owner = owners.get(id.slice(0, end).toLowerCase());
    if (owner === undefined) continue;
    const home = `${kind} ${leader(owner)}`;
    const part = partOf(entity_id, id.slice(end + 1), numbered.has(kind) ? (given.get(entity_id) ?? '') : '');
    const parts = homes.get(home);
    if (parts) parts.push(part);
    else homes.set(home, [part]);
  }
  for (const [home, parts] of homes)
    if (parts.length > 1) mergeOfOne(parts, numbered.has(home.slice(0, home.indexOf(' '))), join);
}

function partOf(entity_id: number, name: string, given: string): Part {
  const number = (/\d/.test(given) ? given : name).replace(WORDS, '').toLowerCase();
  return { entity_id, name, style: (WORDS.exec(name)?.[0] ?? '').toLowerCase(), number };
}

function mergeOfOne(parts: readonly Part[], isNumbered: boolean, join: Joining['join']): void {
  const first = new Map<string, Part>();
  for (const part of parts) {
    const same = first.get(part.name.toLowerCase());
    if (same) join(same.entity_id, part.entity_id, `both are called ${part.name}`);
    else first.set(part.name.toLowerCase(), part);
  }
  if (!isNumbered || first.size < 2) return;
  const styles = [...Map.groupBy(first.values(), ({ style }) => style).values()];
  const numbersOf = (style: readonly Part[]) => style.map(({ number }) => number).sort();
  const byNumbers = Map.groupBy(styles, (style) => JSON.stringify(numbersOf(style)));
  for (const [one, ...others] of byNumbers.values()) {
    const numbers = new Map(one!.map((part) => [part.number, part]));
    if (numbers.size < one!.length) continue;
    for (const part of others.flat()) {
      const same = numbers.get(part.number)!;
      join(same.entity_id, part.entity_id, `${same.name} and ${part.name} of one machine`);
    }
  }
}
