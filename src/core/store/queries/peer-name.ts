import { reasonIn } from './stated-reasons.ts';

const MARKS =
  '"(?:service\\.peer\\.name|peer\\.service|server\\.address|net\\.peer\\.name|db\\.system|messaging\\.system)';

/** Of a name in the DNS; what is longer is no name. */
const MOST_CHARACTERS = 253;

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
    and length(coalesce(${service}, ${hostName}, ${system})) <= ${MOST_CHARACTERS}
    then coalesce(${service}, ${hostName}, ${system}) end`;
}

/**
 * The name of the service that a log line is about, if it is about a call, as SQL over its text; '' otherwise. Texts of Go, Java,
 * Python, Envoy and nginx: `call to cart failed`, `Post "http://search:8080/v1": EOF`, `lookup users on`, `upstream: users`.
 */
export const calledIn = (body: string): string => `regexp_extract(left(${body}, 2000), '${CALL}', 1, 'i')`;

const CALL =
  "(?:\\b(?:calls?|requests?|connect(?:ions?|ing)?|dial(?:ing)?|rpcs?|retry|retries) to (?:service |host |upstream )?[\"''`]?|://|\\blookup |\\bupstream[ :=]+[\"'']?)([a-z0-9][a-z0-9_.-]{1,62})";

/** Ids and canonical entities of services of which no span was recorded. */
const UNTRACED = `(select e.id, c.canonical_id
  from entity e
  join canonical c using (entity_id)
  where e.kind = 'service' and c.canonical_id not in (
    select o.canonical_id from (select service from span group by service, kind) s join canonical o on o.entity_id = s.service))`;

/** A query with `peer_name(COLUMN)`, `called_in(COLUMN)`, `reason_in(COLUMN)` and `untraced_services` in it. */
export const withPeerNames = (sql: string): string =>
  sql
    .replaceAll('untraced_services', UNTRACED)
    .replaceAll(/peer_name\(([\w.]+)\)/g, (_, attributes: string) => peerName(attributes))
    .replaceAll(/called_in\(([\w.]+)\)/g, (_, body: string) => calledIn(body))
    .replaceAll(/reason_in\(([\w.]+)\)/g, (_, body: string) => reasonIn(body));
