import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { petshop } from '../../bench/public/petshop.ts';
import { investigate } from '../../src/core/analysis/correlate.ts';
import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import { softwareSuspects } from '../../src/core/analysis/software/software-suspects.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { sharedData } from '../support/shared-data.ts';
import { atSecond, every, numbersFrom, type Recording, softwareCase } from '../support/software-case.ts';

const FIVE_MINUTES = every(300, 300, 1800);

interface Figures {
  readonly p99?: readonly number[];
  readonly errors?: readonly number[];
  readonly rps?: number;
}

/** A service in five intervals of five minutes; the failure begins after the second. */
function intervals(recording: Recording, service: string, { p99 = [], errors = [], rps = 4 }: Figures = {}): void {
  const random = numbersFrom([...service].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const of = { service, seconds: FIVE_MINUTES };
  const at = (second: number): number => second / 300 - 1;
  const wobble = () => 0.97 + 0.06 * random();
  recording.metric('service.latency.p95', of, (second) => wobble() * (p99[at(second)] ?? 50) * 0.9);
  recording.metric('service.latency.p99', of, (second) => wobble() * (p99[at(second)] ?? 50));
  recording.metric('service.error_rate', of, (second) => errors[at(second)] ?? 0);
  recording.metric('service.throughput', of, () => wobble() * rps);
}

const SLOW = [50, 50, 1050, 1040, 60];
const LATER = [50, 50, 50, 1050, 1060];

async function suspectsOf(fill: (recording: Recording) => void) {
  const reader = await softwareCase(fill);
  const web = (await reader.entities()).find(({ id }) => id === 'web')!.canonical_id;
  const { suspects } = await softwareSuspects(reader, { service: web, at_ns: atSecond(620) });
  const textsOf = (name: string) =>
    suspects.find(({ subject }) => subject.id === name)?.evidence.map(evidenceText) ?? [];
  return { names: suspects.map(({ subject }) => subject.id), suspects, textsOf };
}

/** web -> balancer, web -> search -> table */
function throughBalancer(recording: Recording, { balancer, search }: Record<'balancer' | 'search', Figures>): void {
  recording.calls('web', 'balancer');
  recording.calls('web', 'search');
  recording.calls('search', 'table');
  intervals(recording, 'web', { p99: [300, 300, 1300, 1290, 310], errors: balancer.errors ?? [] });
  intervals(recording, 'balancer', { rps: 0.3, ...balancer });
  intervals(recording, 'search', search);
  intervals(recording, 'table');
}

describe('what only leads to a service', () => {
  test('a balancer that is slow when the service behind it is names that service', async () => {
    const { names, textsOf } = await suspectsOf((recording) =>
      throughBalancer(recording, { balancer: { p99: SLOW.map((ms) => 1.3 * ms) }, search: { p99: SLOW } }),
    );
    expect(names[0]).toBe('search');
    expect(textsOf('balancer')).toContain(
      'no calls from it are recorded, and it changes when search does, which the same services call: probably the way to search',
    );
  });

  test('its error rate may be higher: it sees some of the requests', async () => {
    const { names } = await suspectsOf((recording) =>
      throughBalancer(recording, {
        balancer: { errors: [0, 0, 22, 20, 0] },
        search: { errors: [0, 0, 4.5, 4, 0] },
      }),
    );
    expect(names[0]).toBe('search');
  });

  test('a database that is slow at another time than its neighbour is itself to blame', async () => {
    const { names, textsOf } = await suspectsOf((recording) =>
      throughBalancer(recording, { balancer: { p99: SLOW }, search: { p99: LATER } }),
    );
    expect(names[0]).toBe('balancer');
    expect(textsOf('balancer').join()).not.toContain('probably the way to');
    expect(textsOf('search').join()).toContain('at other times than the degradation of web');
  });

  test('a database that is slower than its neighbour is itself to blame', async () => {
    const { names } = await suspectsOf((recording) =>
      throughBalancer(recording, {
        balancer: { p99: SLOW.map((ms) => 6 * ms) },
        search: { p99: SLOW.map((ms) => 50 + (ms - 50) / 10) },
      }),
    );
    expect(names[0]).toBe('balancer');
  });
});

describe('a service of which users complain', () => {
  const investigated = async (fill: (recording: Recording) => void, at: string | null = null) => {
    const options = correlateOptionsSchema.parse({ service: 'web', at });
    return (await investigate(await softwareCase(fill), options)).conclusions;
  };

  test('is analysed where it did worst, if no measurement is an impact', async () => {
    const [conclusion, ...others] = await investigated((recording) => {
      recording.calls('web', 'search');
      intervals(recording, 'web', { p99: [300, 302, 480, 470, 301] });
      intervals(recording, 'search', { p99: [50, 51, 230, 225, 50] });
    });
    expect(others).toEqual([]);
    expect(conclusion?.window).toMatchObject({ onset_ns: atSecond(900), isStated: true });
    const [first] = conclusion?.incident.hypotheses.filter(({ subject }) => subject?.kind === 'service') ?? [];
    expect(first?.subject?.id).toBe('search');
    expect(conclusion?.incident.warnings).toContainEqual({ kind: 'only_service_was_specified', service: 'web' });
  });

  test('has no incident if chance may explain what it measured', async () => {
    const conclusions = await investigated((recording) => {
      recording.calls('web', 'search');
      intervals(recording, 'web', { p99: [300, 340, 400, 310, 370] });
      intervals(recording, 'search');
    });
    expect(conclusions).toEqual([]);
  });
});

test('an issue of PetShop: the service behind the load balancer is named', async () => {
  const root = sharedData('rca/petshop');
  expect(existsSync(root)).toBe(true);
  for await (const { name, files, root_cause, sufferer, at_ns } of petshop(root).read()) {
    if (name !== 'high_traffic/train/issue_0') continue;
    const reader = await softwareCase((recording) => fillFrom(files, recording));
    const service = (await reader.entities()).find(({ id }) => id === sufferer)!.canonical_id;
    const { suspects } = await softwareSuspects(reader, { service, at_ns });
    expect(suspects[0]?.subject.id).toBe(root_cause);
    return;
  }
});

interface Gauges {
  readonly resource: { readonly attributes: readonly [{ readonly value: { readonly stringValue: string } }] };
  readonly scopeMetrics: readonly [
    {
      readonly metrics: readonly {
        readonly name: string;
        readonly gauge: { readonly dataPoints: readonly { timeUnixNano: string; asDouble: number }[] };
      }[];
    },
  ];
}

/** The rows that the importers make of the files of an incident. */
function fillFrom(files: Readonly<Record<string, string>>, recording: Recording): void {
  for (const line of files['topology.csv']!.split('\n').slice(1, -1)) {
    const [, caller = '', , , callee = ''] = line.split(',').map((cell) => cell.replaceAll('"', ''));
    recording.calls(caller, callee);
  }
  for (const line of files['metrics.jsonl']!.trim().split('\n'))
    for (const { resource, scopeMetrics } of (JSON.parse(line) as { readonly resourceMetrics: readonly Gauges[] })
      .resourceMetrics)
      for (const { name, gauge } of scopeMetrics[0].metrics) {
        const points = new Map(gauge.dataPoints.map(({ timeUnixNano, asDouble }) => [BigInt(timeUnixNano), asDouble]));
        const seconds = [...points.keys()].map((time) => Number(time - atSecond(0)) / 1e9);
        const service = resource.attributes[0].value.stringValue;
        recording.metric(name, { service, seconds }, (second) => points.get(atSecond(second)) ?? Number.NaN);
      }
}
