/** Everything with an identity that an incident can touch. */
export const entityKinds = [
  'ups',
  'pdu',
  'outlet',
  'breaker',
  'cooling',
  'rack',
  'switch',
  'port',
  'server',
  'psu',
  'cpu',
  'gpu',
  'nic',
  'nvlink',
  'node',
  'pod',
  'container',
  'process',
  'rank',
  'job',
  'service',
  'instance',
  'device',
] as const;
/** `device` is an entity of unknown kind; the kind is never guessed. */
export type EntityKind = (typeof entityKinds)[number];

/** Physical layers from the bottom up: the order of lanes, and of precedence on equal timestamps. */
export const layers = ['power', 'cooling', 'server', 'gpu', 'network', 'orchestrator', 'service'] as const;
export type Layer = (typeof layers)[number];

const layerByKind: Readonly<Record<EntityKind, Layer>> = {
  ups: 'power',
  pdu: 'power',
  outlet: 'power',
  breaker: 'power',
  cooling: 'cooling',
  rack: 'server',
  server: 'server',
  psu: 'server',
  cpu: 'server',
  device: 'server',
  instance: 'server',
  gpu: 'gpu',
  nvlink: 'gpu',
  switch: 'network',
  port: 'network',
  nic: 'network',
  node: 'orchestrator',
  pod: 'orchestrator',
  container: 'orchestrator',
  process: 'service',
  rank: 'service',
  job: 'service',
  service: 'service',
};
export const layerOf = (kind: EntityKind): Layer => layerByKind[kind];

export const severities = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof severities)[number];

/** One name under which other records may speak of the same entity. */
export interface Alias {
  /** gpu_uuid, kubernetes_node, asset_tag, ip_address, cloud_instance_id, host_name, pci_address. */
  readonly kind: string;
  readonly name: string;
}

/** `pdu:PDU-B-rack-14`: how an entity is written in evidence ids, focus and URLs. */
export const entityKey = (kind: EntityKind, id: string): string => `${kind}:${id}`;
