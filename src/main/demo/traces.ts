import { podName, type Service, serverName, services } from './cluster.ts';
import { DURATION_S, isBraked } from './incident.ts';
import { attributes, unixNano } from './otlp.ts';
import type { Random } from './random.ts';

interface Span {
  readonly service: string;
  readonly server: number;
  readonly span: unknown;
}

const byName = new Map(services.map((service) => [service.name, service]));
const KIND = { server: 2, client: 3 } as const;
const FAILED = { code: 2, message: 'deadline exceeded' };

/** Requests of all services, as spans ordered by the arrival of their request. */
export function generateSpans(random: Random): Span[] {
  const spans: Span[] = [];
  for (const service of services) {
    // Clients back off when answers are slow: throughput falls with the impact, as it does in life.
    for (let at = random.gap(service.rate); at < DURATION_S; at += random.gap(service.rate)) {
      if (isHit(service, at) && random.next() < 0.45) continue;
      request(spans, random, service, { at, trace: random.hex(32), parent: '' });
    }
  }
  return spans;
}

const isHit = (service: Service, at_s: number): boolean =>
  service.servers.some((server) => isBraked(serverName(server), at_s));

function request(
  spans: Span[],
  random: Random,
  service: Service,
  from: { at: number; trace: string; parent: string },
): number {
  const server = service.servers[Math.floor(random.next() * service.servers.length)]!;
  const id = random.hex(16);
  const braked = isBraked(serverName(server), from.at);
  const work_ms = random.around(service.median_ms * (braked ? 3.9 : 1), braked ? 0.35 : 0.22);
  let at = from.at + (work_ms / 1000) * 0.15;
  let failed = random.next() < (braked ? 0.045 : 0.001);
  for (const name of service.calls) {
    const callee = byName.get(name)!;
    const client = random.hex(16);
    const took_s = request(spans, random, callee, { at: at + 0.001, trace: from.trace, parent: client });
    const end = at + took_s + 0.002;
    spans.push(
      toSpan(service.name, server, {
        trace: from.trace,
        id: client,
        parent: id,
        name: `call ${name}`,
        kind: KIND.client,
        at,
        end,
        failed: false,
        values: { 'rpc.service': name },
      }),
    );
    failed ||= took_s > 6;
    at = end;
  }
  const end = at + (work_ms / 1000) * 0.85;
  const tokens = Math.round(random.around(180, 0.6));
  spans.push(
    toSpan(service.name, server, {
      trace: from.trace,
      id,
      parent: from.parent,
      name: service.operation,
      kind: KIND.server,
      at: from.at,
      end,
      failed,
      values: {
        'gen_ai.request.model': service.name,
        'gen_ai.usage.output_tokens': tokens,
        'server.address': serverName(server),
        'http.response.status_code': failed ? 504 : 200,
      },
    }),
  );
  return end - from.at;
}

interface Draft {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly kind: number;
  readonly at: number;
  readonly end: number;
  readonly failed: boolean;
  readonly values: Readonly<Record<string, string | number>>;
}

function toSpan(service: string, server: number, draft: Draft): Span {
  return {
    service,
    server,
    span: {
      traceId: draft.trace,
      spanId: draft.id,
      ...(draft.parent === '' ? {} : { parentSpanId: draft.parent }),
      name: draft.name,
      kind: draft.kind,
      startTimeUnixNano: unixNano(draft.at),
      endTimeUnixNano: unixNano(draft.end),
      attributes: attributes(draft.values),
      ...(draft.failed
        ? {
            status: FAILED,
            events: [
              {
                timeUnixNano: unixNano(draft.end),
                name: 'exception',
                attributes: attributes({ 'exception.type': 'DeadlineExceeded' }),
              },
            ],
          }
        : {}),
    },
  };
}

export const serviceResource = (service: string, server: number) => ({
  attributes: attributes({
    'service.name': service,
    'service.version': '2.4.1',
    'k8s.namespace.name': 'inference',
    'k8s.pod.name': podName(service, server).split('/')[1]!,
    'host.name': serverName(server),
  }),
});
