import type { Alias } from '../../../model/entity.ts';
import { asList, asObject, asText, type Json } from '../bytes/json-access.ts';
import { choiceOf, type Item, type Reference, type Table, tableOfType, tableOfUrl } from './format.ts';

/** Members that we read, that repeat others, or that do not describe the object. */
const mappedFields = new Set([
  ...['id', 'url', 'display', 'display_url', 'display_name', 'name', 'device', 'power_panel', 'rack', 'cable'],
  ...['cable_end', 'link_peers', 'link_peers_type', 'link_peer', 'link_peer_type', 'cable_peer', 'cable_peer_type'],
  ...['connected_endpoint', 'connected_endpoints', 'connected_endpoint_type', 'connected_endpoints_type'],
  ...['connected_endpoints_reachable', 'connected_endpoint_reachable', 'connection_status', '_occupied'],
  ...['a_terminations', 'b_terminations', 'termination_a', 'termination_b', 'parent_device', 'power_port', 'rear_port'],
  ...['primary_ip', 'primary_ip4', 'primary_ip6', 'oob_ip', 'rear_ports', 'local_context_data', 'config_context'],
]);

/** A record of the REST API, of NetBox 2.10 to 4 or Nautobot. */
export function itemOfJson(table: Table, record: Json): Item {
  const asset = ['asset_tag', 'serial'].flatMap((key) => aliasOf('asset_tag', asText(record[key])));
  const addresses = ['primary_ip', 'primary_ip4', 'primary_ip6', 'oob_ip'].flatMap((key) =>
    aliasOf('ip_address', addressOf(record[key])),
  );
  const [rearPort] = asList(record.rear_ports).map(asObject);
  const endpointType = asText(record.connected_endpoints_type ?? record.connected_endpoint_type);
  return {
    ...referenceOf(record, table),
    table,
    status: choiceOf(record.status).toLowerCase(),
    role: roleOf(record.role ?? record.device_role),
    aliases: [...asset, ...addresses],
    attributes: attributesOf(record),
    rack: optional(record.rack, 'rack'),
    parent: optional(record.parent_device, 'device'),
    inlet: optional(record.power_port, 'power_port'),
    rear: optional(record.rear_port ?? rearPort?.rear_port, 'rear_port'),
    position: asText(record.rear_port_position ?? rearPort?.rear_port_position),
    cable: asText(asObject(record.cable).id) || asText(record.cable),
    ends: table === 'cable' ? [sideOf(record, 'a'), sideOf(record, 'b')] : undefined,
    peers: referencesOf(
      record.link_peers ?? record.link_peer ?? record.cable_peer,
      asText(record.link_peers_type ?? record.link_peer_type ?? record.cable_peer_type),
    ),
    endpoints: referencesOf(record.connected_endpoints ?? record.connected_endpoint, endpointType),
    broken:
      (record.connected_endpoints_reachable ?? record.connected_endpoint_reachable) === false ||
      asObject(record.connection_status).value === false,
  };
}

/** Words of a role: `Rack PDU rack-pdu`. */
const roleOf = (role: unknown): string => {
  const { name, slug } = asObject(role);
  return [asText(role), asText(name), asText(slug)].filter((word) => word !== '').join(' ');
};

const aliasOf = (kind: string, name: string): Alias[] => (name === '' ? [] : [{ kind, name }]);
const addressOf = (value: unknown): string => asText(asObject(value).address ?? value).replace(/\/\d+$/, '');

/** A nested object, or its bare number. */
function referenceOf(value: unknown, table: Table | undefined): Reference {
  const object = asObject(value);
  const nested = Object.keys(object).length > 0;
  const owner =
    optional(object.device, 'device') ??
    (table === 'power_feed' ? optional(object.power_panel, 'power_panel') : undefined);
  return {
    table,
    id: nested ? asText(object.id) : asText(value),
    name: asText(object.name) || asText(object.display) || asText(object.display_name),
    site: asText(asObject(object.site).name) || asText(asObject(asObject(object.location).site).name),
    owner,
  };
}

const optional = (value: unknown, table: Table): Reference | undefined =>
  value === null || value === undefined || value === '' ? undefined : referenceOf(value, table);

/** A list of nested objects (NetBox 3.3 on), or a single one; the type is stated beside it or in its address. */
function referencesOf(value: unknown, type: string): Reference[] {
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => one !== null && typeof one === 'object')
    .map((one) => referenceOf(one, tableOfType(type) ?? tableOfUrl(asText(asObject(one).url))));
}

/** One side of a cable: `a_terminations` (3.3 on), or `termination_a` with its type and number. */
function sideOf(cable: Json, side: 'a' | 'b'): Reference[] {
  const list = asList(cable[`${side}_terminations`]).map(asObject);
  if (list.length > 0)
    return list.map(({ object_type, object_id, object }) => {
      const nested = referenceOf(object ?? object_id, tableOfType(asText(object_type)));
      return { ...nested, id: nested.id || asText(object_id) };
    });
  const type = asText(cable[`termination_${side}_type`]);
  const end = cable[`termination_${side}`];
  const id = asText(cable[`termination_${side}_id`]);
  if (type === '' && id === '' && (end === null || end === undefined)) return [];
  const nested = referenceOf(end ?? id, tableOfType(type) ?? tableOfUrl(asText(asObject(end).url)));
  return [{ ...nested, id: nested.id || id }];
}

/** Other content of a record: plain values, choices, names of nested objects. */
function attributesOf(record: Json): Json {
  const mappedValues: [string, unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    if (mappedFields.has(key) || key.startsWith('termination_') || value === null || value === '') continue;
    if (Array.isArray(value)) {
      const names = value.map(choiceOf).filter((name) => name !== '');
      if (names.length > 0) mappedValues.push([key, names]);
    } else if (key === 'custom_fields') {
      const filled = Object.entries(asObject(value)).filter(([, one]) => one !== null && one !== '');
      if (filled.length > 0) mappedValues.push([key, Object.fromEntries(filled)]);
    } else if (typeof value !== 'object') mappedValues.push([key, value]);
    else if (choiceOf(value) !== '') mappedValues.push([key, choiceOf(value)]);
  }
  return Object.fromEntries(mappedValues);
}
