import type { EntityKind } from '../../../model/entity.ts';

interface Named {
  readonly key: number;
  readonly kind: EntityKind;
  readonly id: string;
}

type PortsOf = (card: number) => readonly number[];
/** Keys of the cards of one kind of name, by number. */
type Cards = Map<string, number>;

/** Names with a number at the end: `node-01/mlx5_`, `3`. */
const NUMBERED = /^(.+\/)(.*?\D)(\d{1,3})$/;
/** One pair of names with the same number may be chance. */
const FEWEST_CARDS = 2;

/**
 * Network cards of a machine under two names: maps of cables name the device (`mlx5_1`), kernels and exporters its interface (`ibs1`). The cards
 * are the same where all numbers of one kind of name with cables are those of the only other kind without.
 * @param portsOf the ports that a record connects to a card
 * @returns port and the card behind it under its other name, by key
 */
export function namedCards(nodes: Iterable<Named>, portsOf: PortsOf): [port: number, card: number][] {
  const machines = new Map<string, Map<string, Cards>>();
  for (const { key, kind, id } of nodes) {
    const [, machine, name, number] = (kind === 'nic' && NUMBERED.exec(id)) || [];
    if (machine === undefined || name === undefined || number === undefined) continue;
    const names = machines.get(machine) ?? new Map<string, Cards>();
    machines.set(machine, names);
    names.set(name, (names.get(name) ?? new Map<string, number>()).set(number, key));
  }
  return [...machines.values()].flatMap((names) => portsOfOthers([...names.values()], portsOf));
}

function portsOfOthers(groups: readonly Cards[], portsOf: PortsOf): [number, number][] {
  const several = groups.filter(({ size }) => size >= FEWEST_CARDS);
  const cabled = several.filter((group) => [...group.values()].every((key) => portsOf(key).length > 0));
  const others = several.filter((group) => [...group.values()].every((key) => portsOf(key).length === 0));
  const [cards, same] = [cabled[0], others[0]];
  if (!cards || !same || cabled.length > 1 || others.length > 1 || cards.size !== same.size) return [];
  if (![...cards.keys()].every((number) => same.has(number))) return [];
  return [...cards].flatMap(([number, card]) =>
    portsOf(card).map((port): [number, number] => [port, same.get(number)!]),
  );
}
