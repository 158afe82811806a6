import { podName, racks, serverName, servers, services } from './cluster.ts';
import { brakedFrom, DURATION_S, hitServers, isBraked, RECOVERED_S, SAG_S } from './incident.ts';
import { attributes, unixNano } from './otlp.ts';
import { createRandom, type Random } from './random.ts';
import { generateSpans, serviceResource } from './traces.ts';

/** Spans per line of the traces file, as the collector's file exporter batches them. */
const BATCH = 512;

export function traceLines(seed: number): string[] {
  const spans = generateSpans(createRandom(seed));
  const lines: string[] = [];
  for (let from = 0; from < spans.length; from += BATCH) {
    const groups = Map.groupBy(spans.slice(from, from + BATCH), ({ service, server }) => podName(service, server));
    lines.push(
      JSON.stringify({
        resourceSpans: [...groups.values()].map((group) => ({
          resource: serviceResource(group[0]?.service ?? '', group[0]?.server ?? 0),
          scopeSpans: [{ scope: { name: 'inference-server', version: '0.9.3' }, spans: group.map(({ span }) => span) }],
        })),
      }),
    );
  }
  return lines;
}

interface Gauge {
  readonly kind: string;
  readonly id: string;
  readonly metric: string;
  readonly unit: string;
  value(at_s: number, random: Random): number;
}

/** A brake bites within a second and lets go over twenty. */
function brakeDepth(server: string, at_s: number): number {
  const from = brakedFrom(server);
  if (from === undefined || at_s < from) return 0;
  return at_s < RECOVERED_S ? 1 : Math.max(0, 1 - (at_s - RECOVERED_S) / 20);
}

const busy = (at_s: number, server: string): number =>
  0.78 + 0.08 * Math.sin((at_s + server.length * 97 + Number(server.slice(-2)) * 31) / 140);

const gpuPower = (server: string, at_s: number): number =>
  120 + 540 * busy(at_s, server) * (1 - 0.52 * brakeDepth(server, at_s));

/** Of its GPUs, and of processors, memory and fans; the BMC caps the two processors while one supply is lost. */
const serverPower = (server: string, at_s: number): number =>
  8 * gpuPower(server, at_s) + (isBraked(server, at_s) ? 1410 : 1570);

/** Two supplies never share the load quite equally. */
const SHARE_OF_A = 0.504;

function gauges(): Gauge[] {
  const list: Gauge[] = [];
  const add = (kind: string, id: string, metric: string, unit: string, value: Gauge['value']) =>
    list.push({ kind, id, metric, unit, value });
  for (const { name, gpus } of servers) {
    for (const gpu of gpus) {
      add('gpu', gpu, 'hw.power', 'W', (at, random) => gpuPower(name, at) + 9 * random.normal());
      add('gpu', gpu, 'hw.temperature', 'Cel', (at, random) => 34 + gpuPower(name, at) / 17 + 0.4 * random.normal());
      add(
        'gpu',
        gpu,
        'hw.gpu.clock.sm',
        'MHz',
        (at, random) => 1980 - 1050 * brakeDepth(name, at) + 4 * random.normal(),
      );
      add('gpu', gpu, 'hw.gpu.utilization', '%', (at, random) =>
        Math.min(100, 100 * busy(at, name) + 18 * brakeDepth(name, at) + 2 * random.normal()),
      );
    }
    add('server', name, 'hw.power', 'W', (at, random) => serverPower(name, at) + 25 * random.normal());
  }
  for (const rack of racks) {
    const hit = hitServers[0]?.rack === rack;
    const sagging = (at: number) => hit && at >= SAG_S && at < RECOVERED_S - 4;
    add('pdu', `PDU-A-${rack}`, 'pdu.voltage', 'V', (_, random) => 230.2 + 0.4 * random.normal());
    add(
      'pdu',
      `PDU-B-${rack}`,
      'pdu.voltage',
      'V',
      (at, random) => (sagging(at) ? 161 : 230.1) + 0.4 * random.normal(),
    );
    const own = servers.filter((one) => one.rack === rack);
    const drawn = (at: number): number => own.reduce((sum, { name }) => sum + serverPower(name, at), 0);
    add(
      'pdu',
      `PDU-A-${rack}`,
      'hw.power',
      'W',
      (at, random) => (sagging(at) ? 1 : SHARE_OF_A) * drawn(at) + 90 * random.normal(),
    );
    add('pdu', `PDU-B-${rack}`, 'hw.power', 'W', (at, random) =>
      sagging(at) ? 160 + 8 * random.normal() : (1 - SHARE_OF_A) * drawn(at) + 90 * random.normal(),
    );
    add(
      'switch',
      `tor-${rack}`,
      'network.throughput',
      'Gbit/s',
      (at, random) => 214 + 20 * Math.sin(at / 170) + 6 * random.normal() - (sagging(at) ? 70 : 0),
    );
  }
  add(
    'cooling',
    'CDU-1',
    'coolant.supply_temperature',
    'Cel',
    (at, random) => 30.4 + 0.5 * Math.sin(at / 400) + 0.05 * random.normal(),
  );
  add('cooling', 'CDU-1', 'coolant.flow', 'l/min', (_, random) => 410 + 2 * random.normal());
  return list;
}

/** Seconds between samples: facility meters and BMCs answer each second here, GPU exporters every five. */
const samplingByKind: Readonly<Record<string, number>> = { pdu: 1, server: 1, gpu: 5 };
const SAMPLE_S = 10;

function sampleTimes(minute: number, kind: string): number[] {
  const step = samplingByKind[kind] ?? SAMPLE_S;
  return Array.from({ length: 60 / step }, (_, i) => minute + i * step);
}

/** One line per minute of recording, as a collector that flushes every minute would write. */
export function metricLines(seed: number): string[] {
  const random = createRandom(seed);
  const entities = Map.groupBy(gauges(), ({ kind, id }) => `${kind} ${id}`);
  const lines: string[] = [];
  for (let minute = 0; minute < DURATION_S; minute += 60) {
    lines.push(
      JSON.stringify({
        resourceMetrics: [...entities.values()].map((list) => ({
          resource: {
            attributes: attributes({
              'faultline.entity.kind': list[0]?.kind ?? '',
              'faultline.entity.id': list[0]?.id ?? '',
            }),
          },
          scopeMetrics: [
            {
              scope: { name: 'facility-exporter' },
              metrics: list.map(({ kind, metric, unit, value }) => ({
                name: metric,
                unit,
                gauge: {
                  dataPoints: sampleTimes(minute, kind).map((at) => ({
                    timeUnixNano: unixNano(at),
                    asDouble: Math.round(value(at, random) * 100) / 100,
                  })),
                },
              })),
            },
          ],
        })),
      }),
    );
  }
  return lines;
}

const routine = ['batch scheduled', 'kv cache usage 61 %', 'request queue length 3', 'prefix cache hit ratio 0.42'];
const strained = [
  'step time 412 ms exceeds target 120 ms',
  'request queue length 87',
  'scheduler: preempting sequence, kv cache full',
];

export function logLines(seed: number): string[] {
  const random = createRandom(seed);
  return services.flatMap((service) =>
    service.servers.map((server) => {
      const records: unknown[] = [];
      for (
        let at = random.gap(0.05);
        at < DURATION_S;
        at += random.gap(isBraked(serverName(server), at) ? 0.6 : 0.05)
      ) {
        const braked = isBraked(serverName(server), at);
        const texts = braked ? strained : routine;
        records.push({
          timeUnixNano: unixNano(at),
          severityNumber: braked ? 13 : 9,
          severityText: braked ? 'WARN' : 'INFO',
          body: { stringValue: texts[Math.floor(random.next() * texts.length)] },
        });
      }
      return JSON.stringify({
        resourceLogs: [
          {
            resource: serviceResource(service.name, server),
            scopeLogs: [{ scope: { name: 'inference-server' }, logRecords: records }],
          },
        ],
      });
    }),
  );
}
