import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { type Device, isMeaningful } from './device.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * Physical parts of a device: entPhysicalTable of ENTITY-MIB (RFC 6933), where each part names its container. Members of
 * a stack are separate, replaceable devices. Of their parts only power supplies are entities, because a supply feeds
 * them. Fans and sensors are series of the device.
 */
const TABLE = '1.3.6.1.2.1.47.1.1.1.1';
const DESCRIPTION = 2;
const CONTAINED_IN = 4;
const CLASS = 5;
const POSITION = 6;
const NAME = 7;
const SERIAL = 11;
const MODEL = 13;
/** Columns that a live feed polls and that recordings retain; they also name sensors and ports. */
export const physicalBranches: readonly string[] = [
  DESCRIPTION,
  CONTAINED_IN,
  CLASS,
  POSITION,
  NAME,
  SERIAL,
  MODEL,
].map((column) => `${TABLE}.${column}`);
export const physicalNames: Readonly<Record<string, string>> = {
  entPhysicalDescr: `${TABLE}.${DESCRIPTION}`,
  entPhysicalContainedIn: `${TABLE}.${CONTAINED_IN}`,
  entPhysicalClass: `${TABLE}.${CLASS}`,
  entPhysicalParentRelPos: `${TABLE}.${POSITION}`,
  entPhysicalName: `${TABLE}.${NAME}`,
  entPhysicalSerialNum: `${TABLE}.${SERIAL}`,
  entPhysicalModelName: `${TABLE}.${MODEL}`,
};

/** PhysicalClass of IANA-ENTITY-MIB. */
const CHASSIS = 3;
const POWER_SUPPLY = 6;
const STACK = 11;
/** A supply in a container in a chassis in a stack is three deep; the limit ends cycles. */
const DEEPEST = 16;
/** Per kind: a stack has a dozen members, a chassis as many supplies. */
const MOST_PARTS = 256;

/** @param emitted keys of parts that are already written, including supplies from the vendor's own tables */
export function appendPhysicalParts(
  builder: BatchBuilder,
  walk: SnmpWalk,
  { device, self }: { readonly device: Device; readonly self: number },
  emitted: Set<string>,
): void {
  if (emitted.has('entity') || !walk.has(`${TABLE}.${CLASS}`)) return;
  const hasSupplies = [...emitted].some((key) => key.startsWith('psu:'));
  emitted.add('entity');
  const text = (column: number, index: string): string => {
    const found = walk.text(`${TABLE}.${column}.${index}`);
    return isMeaningful(found) ? found : '';
  };
  const contain = (whole: number, kind: 'psu' | Device['kind'], id: string, index: string): number => {
    const serial = text(SERIAL, index);
    const attributes = { name: text(NAME, index), description: text(DESCRIPTION, index), model: text(MODEL, index) };
    const aliases = serial === '' ? [] : [{ kind: 'asset_tag' as const, name: serial }];
    const part = builder.entity(kind, id, aliases, attributesText(attributes));
    appendEdge(builder, { from: whole, kind: 'contains', to: part, provenance: 'snmp entity' });
    return part;
  };
  const members = new Map<string, { readonly entity: number; readonly id: string }>();
  for (const [index, position] of membersOf(walk)) {
    const id = `${device.id}/${device.kind}-${position}`;
    members.set(index, { id, entity: contain(self, device.kind, id, index) });
  }
  if (hasSupplies) return;
  for (const index of ofClass(walk, POWER_SUPPLY)) {
    const member = [...ancestors(walk, index)].map((whole) => members.get(whole)).find((one) => one !== undefined);
    const { entity, id } = member ?? { entity: self, id: device.id };
    contain(entity, 'psu', `${id}/psu-${text(NAME, index) || text(DESCRIPTION, index) || index}`, index);
  }
}

const ofClass = (walk: SnmpWalk, wanted: number): readonly string[] =>
  walk
    .below(`${TABLE}.${CLASS}`)
    .filter(([, { number }]) => number === wanted)
    .slice(0, MOST_PARTS)
    .map(([index]) => index);

/** Members of a stack by position, without the first: that is the device that answers. */
function membersOf(walk: SnmpWalk): readonly (readonly [index: string, position: number])[] {
  const stacks = new Set(ofClass(walk, STACK));
  return ofClass(walk, CHASSIS)
    .filter((index) => [...ancestors(walk, index)].some((whole) => stacks.has(whole)))
    .map((index) => [index, walk.number(`${TABLE}.${POSITION}.${index}`)] as const)
    .filter(([, position]) => position > 1);
}

function* ancestors(walk: SnmpWalk, index: string): Generator<string> {
  let at = index;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const whole = walk.number(`${TABLE}.${CONTAINED_IN}.${at}`);
    // Zero: contained in nothing.
    if (!(whole > 0)) return;
    at = String(whole);
    yield at;
  }
}
