/**
 * OTLP/JSON as NVSentinel's programs would send it, drawn after the names that its design of traces gives
 * (docs/designs/031-OTEL-traces.md of that project): made here, not recorded. Two conventions for what its clients do:
 * spans named by what is done (`db.find_one`, `http.client.put`), or by what it is done to (`HealthEvents.find`, `HTTP PUT`).
 */
export type Naming = 'operation' | 'collection';

export interface RepairPlan {
  readonly node: string;
  /** Hex digits of its trace id. */
  readonly id: string;
  /** Seconds after START. */
  readonly at: number;
  readonly naming: Naming;
  readonly ends: 'repaired' | 'drain failed' | 'skipped' | 'reboot failed' | 'nothing after quarantine';
  /** Seconds that the drain takes. */
  readonly drainS?: number;
  /** Milliseconds that the write of the drain's status takes. */
  readonly writeMs?: number;
}

export const REPAIRS_START_MS = Date.UTC(2026, 0, 10, 12, 0, 0);

interface Drawn {
  readonly service: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  readonly parent?: string;
  readonly link?: string;
  readonly error?: string;
}

/** One line of OTLP/JSON for each plan. */
export const repairTraces = (plans: readonly RepairPlan[]): string =>
  `${plans.map((plan) => JSON.stringify(requestOf(plan, spansOf(plan)))).join('\n')}\n`;

function spansOf(plan: RepairPlan): Drawn[] {
  const { node, ends, drainS = 60, writeMs = 12 } = plan;
  const call = (what: 'db' | 'put', at: number, ms: number, parent: string, service: string): Drawn => {
    const name = { db: ['db.update_document', 'HealthEvents.update'], put: ['http.client.put', 'HTTP PUT'] }[what];
    const attributes: Drawn['attributes'] =
      what === 'put'
        ? { 'http.request.method': 'PUT', 'url.path': `/api/v1/nodes/${node}` }
        : plan.naming === 'operation'
          ? { 'db.operation': 'update_document', 'db.duration_ms': ms }
          : { 'db.system': 'mongodb', 'db.mongodb.collection': 'HealthEvents', 'db.operation': 'update' };
    return {
      service,
      name: name[plan.naming === 'operation' ? 0 : 1]!,
      from: at,
      to: at + ms / 1000,
      attributes,
      parent,
    };
  };
  const detected: Drawn[] = [
    {
      service: 'platform-connector',
      name: 'platform_connector.health_event_received',
      from: 0,
      to: 0.2,
      attributes: { 'platform_connector.node_name': node, 'platform_connector.check_name': 'GpuXidError' },
    },
    call('db', 0.05, writeMs, 'platform_connector.health_event_received', 'platform-connector'),
  ];
  const quarantined: Drawn[] = [
    {
      service: 'fault-quarantine',
      name: 'fault_quarantine.process_event',
      from: 1,
      to: 3,
      attributes: { 'fault_quarantine.event.processing_status': 'Quarantined', 'fault_quarantine.node_name': node },
      link: 'platform_connector.health_event_received',
    },
    call('put', 1.2, 700, 'fault_quarantine.process_event', 'fault-quarantine'),
  ];
  if (ends === 'nothing after quarantine') return [...detected, ...quarantined];
  const drained = 5 + drainS;
  const drain: Drawn[] = [
    {
      service: 'node-drainer',
      name: 'node_drainer.drain_session',
      from: 5,
      to: drained,
      attributes: {
        'node_drainer.node_name': node,
        'drain.status': ends === 'drain failed' ? 'Failed' : 'Succeeded',
        ...(ends === 'drain failed'
          ? { 'node_drainer.error.message': 'pod training-7 did not end within its grace period' }
          : {}),
      },
      link: 'fault_quarantine.process_event',
      ...(ends === 'drain failed' ? { error: 'eviction timed out' } : {}),
    },
    call('db', drained - 0.5, writeMs, 'node_drainer.drain_session', 'node-drainer'),
  ];
  if (ends === 'drain failed') return [...detected, ...quarantined, ...drain];
  const begun = drained + 30;
  const remediation: Drawn = {
    service: 'fault-remediation',
    name: 'fault_remediation.event_received',
    from: begun,
    to: begun + 4,
    attributes: {
      'fault_remediation.node_name': node,
      ...(ends === 'skipped' ? { 'fault_remediation.skip.reason': 'a reboot of this node is under way' } : {}),
    },
    link: 'node_drainer.drain_session',
  };
  if (ends === 'skipped') return [...detected, ...quarantined, ...drain, remediation];
  const reboot: Drawn = {
    service: 'janitor',
    name: 'janitor.rebootnode.reconcile',
    from: begun + 6,
    to: begun + 306,
    attributes: {
      'janitor.rebootnode.node': node,
      'janitor.rebootnode.status': ends === 'repaired' ? 'succeeded' : 'failed',
      ...(ends === 'repaired' ? {} : { 'janitor.error.message': 'the cloud did not report the node ready in time' }),
    },
    link: 'fault_remediation.event_received',
    ...(ends === 'repaired' ? {} : { error: 'timeout' }),
  };
  return [...detected, ...quarantined, ...drain, remediation, reboot];
}

const idOf = (plan: RepairPlan, at: number): string => `${plan.id}${(at + 1).toString(16)}`.padStart(16, '0');

function requestOf(plan: RepairPlan, spans: readonly Drawn[]) {
  const traceId = plan.id.padStart(32, 'a');
  const spanIdOf = (name: string): string =>
    idOf(
      plan,
      spans.findIndex((span) => span.name === name),
    );
  const time = (seconds: number): string => String(BigInt(REPAIRS_START_MS + (plan.at + seconds) * 1000) * 1_000_000n);
  return {
    resourceSpans: [...Map.groupBy(spans, ({ service }) => service)].map(([service, own]) => ({
      resource: { attributes: [attributeOf('service.name', service)] },
      scopeSpans: [
        {
          scope: { name: 'nvsentinel' },
          spans: own.map((span) => ({
            traceId,
            spanId: idOf(plan, spans.indexOf(span)),
            ...(span.parent ? { parentSpanId: spanIdOf(span.parent) } : {}),
            name: span.name,
            kind: span.parent ? 3 : 1,
            startTimeUnixNano: time(span.from),
            endTimeUnixNano: time(span.to),
            attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => attributeOf(key, value)),
            ...(span.link ? { links: [{ traceId, spanId: spanIdOf(span.link) }] } : {}),
            ...(span.error ? { status: { code: 2, message: span.error } } : {}),
          })),
        },
      ],
    })),
  };
}

const attributeOf = (key: string, value: string | number | boolean) => ({
  key,
  value:
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'boolean'
        ? { boolValue: value }
        : { doubleValue: value },
});
