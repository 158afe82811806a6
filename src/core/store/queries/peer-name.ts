const MARKS =
  '"(?:service\\.peer\\.name|peer\\.service|server\\.address|net\\.peer\\.name|db\\.system|messaging\\.system)';

const first = (attributes: string, ...names: readonly string[]): string =>
  `coalesce(${names.map((name) => `nullif(json_extract_string(${attributes}, '$."${name}"'), '')`).join(', ')})`;

/**
 * The name of the service that a client's or producer's span calls, as SQL over the JSON text of its attributes; null where it
 * states none. OpenTelemetry: `service.peer.name`, earlier `peer.service`; else the host by its name (`server.address`, earlier
 * `net.peer.name`), of a service in the cluster's DNS its first part; else the kind of database or message broker. An IP
 * address is no name: another service may be behind it tomorrow.
 */
export function peerName(attributes: string): string {
  const host = first(attributes, 'server.address', 'net.peer.name');
  const hostName = `case when regexp_matches(${host}, '^([0-9.]+|.*:.*|localhost)$') then null
    when contains(${host}, '.svc') then split_part(${host}, '.', 1) else ${host} end`;
  const service = first(attributes, 'service.peer.name', 'peer.service');
  const system = first(attributes, 'db.system.name', 'db.system', 'messaging.system');
  return `case when regexp_matches(${attributes}, '${MARKS}') and json_valid(${attributes})
    then coalesce(${service}, ${hostName}, ${system}) end`;
}

/** A query with `peer_name(COLUMN)` in it. */
export const withPeerNames = (sql: string): string =>
  sql.replaceAll(/peer_name\(([\w.]+)\)/g, (_, attributes: string) => peerName(attributes));
