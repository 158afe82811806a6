import type { Item, Reference, Table } from './format.ts';
import { tableOfType } from './format.ts';

/** Columns that we read. */
const mappedFields = new Set([
  'id',
  'name',
  'device',
  'power_panel',
  'rack',
  'rack_name',
  'cable',
  'power_port',
  'rear_port',
]);

/** A row of a table that NetBox exported, by column name. It has names of objects, not numbers. */
export function itemOfRow(table: Table, row: ReadonlyMap<string, string>): Item {
  const cell = (...names: readonly string[]) =>
    names.map((name) => row.get(name) ?? '').find((text) => text !== '') ?? '';
  const site = cell('site');
  const owner =
    table === 'power_feed'
      ? named('power_panel', cell('power_panel'), site)
      : table === 'device' || table === 'rack' || table === 'power_panel'
        ? undefined
        : named('device', cell('device'));
  const inside = (one: Table, name: string) => (name === '' ? undefined : { ...blank(one, name), owner });
  return {
    ...blank(table, cell('name')),
    table,
    id: cell('id'),
    site,
    owner,
    status: cell('status').toLowerCase(),
    role: cell('role', 'device_role'),
    aliases: [
      ...['asset_tag', 'serial', 'serial_number'].map((key) => ({ kind: 'asset_tag', name: cell(key) })),
      ...['ip_address', 'ipv4_address', 'ipv6_address', 'primary_ip', 'primary_ip4', 'primary_ip6'].map((key) => ({
        kind: 'ip_address',
        name: cell(key).replace(/\/\d+$/, ''),
      })),
    ].filter(({ name }) => name !== ''),
    attributes: Object.fromEntries(
      [...row].filter(([key, text]) => !mappedFields.has(key) && text !== '' && !/^(side|termination)_/.test(key)),
    ),
    rack: named('rack', cell('rack', 'rack_name'), site),
    parent: named('device', cell('parent_device', 'parent_name', 'parent')),
    inlet: inside('power_port', cell('power_port')),
    rear: inside('rear_port', cell('rear_port')),
    position: cell('rear_port_position'),
    cable: '',
    ends: table === 'cable' ? [sideOf(cell, 'a'), sideOf(cell, 'b')] : undefined,
    peers: [],
    endpoints: [],
    broken: false,
  };
}

const blank = (table: Table, name: string): Reference => ({ table, id: '', name, site: '' });
const named = (table: Table, name: string, site = ''): Reference | undefined =>
  name === '' ? undefined : { ...blank(table, name), site };

/**
 * One side of a cable: `side_a_device,side_a_type,side_a_name` (as it is imported), `termination_a_type,termination_a_id`
 * (exports before 3.3), or `Device A,Termination A` (an exported page), which lacks the kind of the end.
 */
function sideOf(cell: (...names: string[]) => string, side: 'a' | 'b'): Reference[] {
  const name = cell(`side_${side}_name`, `termination_${side}`, `${side}_terminations`);
  const id = cell(`termination_${side}_id`);
  if (name === '' && id === '') return [];
  const type = cell(`side_${side}_type`, `termination_${side}_type`);
  const site = cell(`side_${side}_site`, `site_${side}`);
  const owner =
    named('device', cell(`side_${side}_device`, `side_${side}_parent`, `device_${side}`), site) ??
    named('power_panel', cell(`side_${side}_power_panel`), site);
  return [{ table: type === '' ? 'unstated' : tableOfType(type), id, name, site: '', owner }];
}
