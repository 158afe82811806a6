import type { Alias } from '../../../model/entity.ts';
import { asList, asObject, asText, type Json } from '../bytes/json-access.ts';

/** The kinds of NetBox objects in the topology (https://netboxlabs.com/docs/netbox/models/dcim/cable/). */
export const tables = [
  'rack',
  'device',
  'power_panel',
  'power_feed',
  'power_port',
  'power_outlet',
  'interface',
  'front_port',
  'rear_port',
  'cable',
] as const;
export type Table = (typeof tables)[number];

/** How a record names another one: by its number, by its name inside its owner, or both. '' if not stated. */
export interface Reference {
  /** Undefined: a kind that is not read, such as a console port or a circuit; `unstated`: any component. */
  readonly table: Table | 'unstated' | undefined;
  readonly id: string;
  readonly name: string;
  readonly site: string;
  /** The device of a port, the panel of a feed. */
  readonly owner?: Reference | undefined;
}

/** One record of any dialect, JSON or CSV. */
export interface Item extends Reference {
  readonly table: Table;
  readonly status: string;
  readonly role: string;
  readonly aliases: readonly Alias[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly rack?: Reference | undefined;
  /** The chassis that a blade sits in. */
  readonly parent?: Reference | undefined;
  /** Power port that feeds an outlet. */
  readonly inlet?: Reference | undefined;
  /** Rear port behind a front port. */
  readonly rear?: Reference | undefined;
  /** Position on the rear port, from 1. */
  readonly position: string;
  /** Number of the cable plugged in here. */
  readonly cable: string;
  /** Of a cable: the ends of its two sides. */
  readonly ends?: readonly [readonly Reference[], readonly Reference[]] | undefined;
  /** The other end of the cable plugged in here, possibly a patch panel. */
  readonly peers: readonly Reference[];
  /** The end of the cable path from here, as traced by NetBox. */
  readonly endpoints: readonly Reference[];
  /** NetBox reports that a cable of the path is not connected. */
  readonly broken: boolean;
}

/** Names of the API's endpoints: `power-ports`. */
const pluralOf = (table: Table): string => (table === 'power_port' ? 'power-ports' : `${table.replace('_', '-')}s`);
const byEndpoint = new Map(tables.map((table) => [pluralOf(table), table]));

/** Lists of a dump with several endpoints in one object, spelled with `-` or `_`. */
export const dumpLists: readonly string[] = [...byEndpoint.keys()].flatMap((name) =>
  name.includes('-') ? [name, name.replace('-', '_')] : [name],
);

const byType = new Map(tables.map((table) => [table.replace('_', ''), table]));

/** Table of `dcim.powerport`, `dcim | power port`, `Power Port`. */
export const tableOfType = (type: string): Table | undefined =>
  byType.get(
    type
      .toLowerCase()
      .replace(/^.*[.|]/, '')
      .replace(/[^a-z]/g, ''),
  );

const ADDRESS = /\/api\/dcim\/([a-z-]+)\/[0-9a-f-]+\/?$/;
export const tableOfUrl = (url: string): Table | undefined => byEndpoint.get(ADDRESS.exec(url)?.[1] ?? '');

/** Combinations of columns (or of members of a record without an address) that only one NetBox table has. */
const fingerprints: readonly (readonly [Table, string])[] = [
  ['cable', 'side_a_type side_a_name side_b_type side_b_name'],
  ['cable', 'a_terminations b_terminations'],
  ['cable', 'termination_a_type termination_a_id termination_b_type termination_b_id'],
  ['cable', 'device_a termination_a device_b termination_b'],
  ['power_feed', 'power_panel name supply'],
  ['power_feed', 'power_panel name status'],
  ['power_outlet', 'device name feed_leg'],
  ['power_port', 'device name maximum_draw'],
  ['power_port', 'device name allocated_draw'],
  ['front_port', 'device name rear_port'],
  ['rear_port', 'device name type positions'],
  ['interface', 'device name mgmt_only'],
  ['interface', 'device name type mac_address'],
  ['interface', 'device name type mark_connected enabled'],
  ['device', 'name device_type site role'],
  ['device', 'name device_type site device_role'],
  ['device', 'name site rack role manufacturer type'],
  ['rack', 'name site u_height'],
];

/**
 * The slug, or in exports of a page the label, of a type that only one of the tables has: inlets by their IEC 60320
 * sheet or NEMA plug, outlets likewise, interfaces by their speed.
 */
const typeSlugs: readonly (readonly [Table, RegExp])[] = [
  ['power_port', /^((iec[- ]60320[- ])?c(6|8|14|16|18|20|22)|(nema|cs)[- ][\w-]*p)$/i],
  ['power_outlet', /^((iec[- ]60320[- ])?c(5|7|13|15|17|19|21)|(nema|cs)[- ][\w-]*r)$/i],
  ['interface', /^\d+(\.\d+)?g?base-?[\w-]+|^infiniband-\w+$/i],
];

/** The table of a record with these columns; `type` is the record's own if the columns are ambiguous. */
export function tableOfColumns(columns: ReadonlySet<string>, type: string): Table | undefined {
  const found = fingerprints.find(([, names]) => names.split(' ').every((name) => columns.has(name)));
  if (found) return found[0];
  if (!columns.has('device') || !columns.has('name') || !columns.has('type')) return undefined;
  return typeSlugs.find(([, pattern]) => pattern.test(type))?.[0];
}

/** `{value, label}` of a choice, the slug or name of a nested object, or plain text. */
export function choiceOf(value: unknown): string {
  const { value: choiceValue, slug, name, display } = asObject(value);
  return asText(value) || asText(choiceValue) || asText(slug) || asText(name) || asText(display);
}

/** The table of a JSON record: by its address, else by its members. */
export function tableOfRecord(record: Json): Table | undefined {
  return tableOfUrl(asText(record.url)) ?? tableOfColumns(new Set(Object.keys(record)), choiceOf(record.type));
}

/** Pages of the API, bare lists, dumps by endpoint, and single records of JSON lines. */
export function looksLikeNetbox(json: unknown): boolean {
  const object = asObject(json);
  const isPage = 'results' in object && ('count' in object || 'next' in object);
  const list = Array.isArray(json)
    ? json
    : isPage
      ? object.results
      : object[dumpLists.find((key) => key in object) ?? ''];
  const first = asObject(list === undefined ? json : asList(list)[0]);
  if ('id' in first && tableOfUrl(asText(first.url)) !== undefined) return true;
  return isPage && 'id' in first && tableOfRecord(first) !== undefined;
}
