import { describe, expect, test } from 'vitest';
import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import { metricSuspects } from '../../src/core/analysis/software/metric-suspects.ts';
import { softwareSuspects } from '../../src/core/analysis/software/software-suspects.ts';
import { atSecond, every, numbersFrom, type Recording, softwareCase } from '../support/software-case.ts';

const SECONDS = every(10, 0, 900);
const bad = (second: number): boolean => second >= 600 && second < 780;

interface Figures {
  readonly p99?: number;
  readonly errors?: number;
  readonly rps?: number;
}

/** A service by its gauges: 100 ms, no errors, 50 requests a second, each wobbling by a few percent; else as given. */
function gauges(recording: Recording, service: string, trouble: Figures = {}, seconds = SECONDS): void {
  const random = numbersFrom([...service].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const wobble = () => 0.96 + 0.08 * random();
  const { p99 = 100, errors = 0, rps = 50 } = trouble;
  const of = { service, seconds };
  for (const [field, share] of [
    ['p50', 0.4],
    ['p95', 0.8],
    ['p99', 1],
  ] as const)
    recording.metric(`service.latency.${field}`, of, (second) => wobble() * share * (bad(second) ? p99 : 100));
  recording.metric('service.error_rate', of, (second) => (bad(second) ? errors : 0));
  recording.metric('service.throughput', of, (second) => wobble() * (bad(second) ? rps : 50));
}

/** web -> cart -> stock, web -> price */
function calls(recording: Recording): void {
  recording.calls('web', 'cart');
  recording.calls('cart', 'stock');
  recording.calls('web', 'price');
}

const firstOf = async (fill: (recording: Recording) => void, query = {}) => {
  const { suspects } = await softwareSuspects(await softwareCase(fill), query);
  return { suspects, first: suspects[0], positive: suspects.filter(({ score }) => score > 0) };
};

describe('explaining away along calls', () => {
  test('latency travels upward: the deepest that moved is the suspect', async () => {
    const { first, suspects } = await firstOf((recording) => {
      calls(recording);
      gauges(recording, 'web', { p99: 500 });
      gauges(recording, 'cart', { p99: 500 });
      gauges(recording, 'stock', { p99: 500 });
      gauges(recording, 'price');
    });
    expect(first).toMatchObject({ subject: { id: 'stock' }, type: 'service_latency' });
    expect(first?.score).toBeGreaterThan(2);
    expect(first?.evidence.map(evidenceText)).toContain('explains the degradation of web, cart');
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(0);
  });

  test('a caller that got slower by more than its callee keeps the rest', async () => {
    const { first } = await firstOf((recording) => {
      calls(recording);
      gauges(recording, 'web', { p99: 900 });
      gauges(recording, 'cart', { p99: 900 });
      gauges(recording, 'stock', { p99: 130 });
      gauges(recording, 'price');
    });
    expect(first?.subject.id).toBe('cart');
  });

  test('errors travel upward', async () => {
    const { first, suspects } = await firstOf((recording) => {
      calls(recording);
      gauges(recording, 'web', { errors: 8 });
      gauges(recording, 'cart', { errors: 9 });
      gauges(recording, 'stock', { errors: 10 });
      gauges(recording, 'price');
    });
    expect(first).toMatchObject({ subject: { id: 'stock' }, type: 'service_errors' });
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(0);
  });

  test('a slow callee makes its callers fail', async () => {
    const { first } = await firstOf((recording) => {
      calls(recording);
      gauges(recording, 'web', { errors: 20 });
      gauges(recording, 'cart', { errors: 20 });
      gauges(recording, 'stock', { p99: 5000 });
      gauges(recording, 'price');
    });
    expect(first?.subject.id).toBe('stock');
  });

  /** Of `cart`, about its calls of `stock`, beside what it logs anyway. */
  const complaints = (recording: Recording, why = 'connection reset by peer'): void => {
    for (const second of SECONDS) for (const at of [0, 3, 6]) recording.log(second + at, 'cart', `put ${second} away`);
    for (const second of SECONDS.filter(bad))
      recording.log(second, 'cart', `call to stock failed: ${why}, attempt ${second}`, 17);
  };

  test('who logs failed calls of a service that gets fewer requests accuses that service', async () => {
    const { first } = await firstOf((recording) => {
      calls(recording);
      complaints(recording);
      gauges(recording, 'web', { errors: 55 });
      gauges(recording, 'cart', { errors: 60 });
      gauges(recording, 'stock', { rps: 1 });
      gauges(recording, 'price');
    });
    expect(first?.subject.id).toBe('stock');
    expect(first?.evidence.map(evidenceText).join('\n')).toMatch(
      /^cart logged 18 failed calls of stock, none before: "call to/m,
    );
  });

  test('a service that gets and answers its requests as before is well, whatever a caller logs', async () => {
    const { first } = await firstOf((recording) => {
      calls(recording);
      complaints(recording);
      gauges(recording, 'web', { errors: 55 });
      gauges(recording, 'cart', { errors: 60 });
      gauges(recording, 'stock');
      gauges(recording, 'price');
    });
    expect(first?.subject.id).toBe('cart');
  });

  test.each([
    ['x509: certificate has expired or is not yet valid', 'certificate'],
    ['FATAL: password authentication failed for user "cart"', 'credentials'],
    ['connection reset by peer', ''],
  ])('"%s" states the reason "%s" of who was called', async (why, reason) => {
    const { suspects } = await firstOf((recording) => {
      calls(recording);
      complaints(recording, why);
      gauges(recording, 'web', { errors: 55 });
      gauges(recording, 'cart', { errors: 60 });
      gauges(recording, 'stock', { rps: 1 });
      gauges(recording, 'price');
    });
    expect(suspects.map((one) => [one.subject.id, one.reason]).filter(([, stated]) => stated !== '')).toEqual(
      reason === '' ? [] : [['stock', reason]],
    );
  });

  test('a stated reason of a service that only log lines name is held against its caller', async () => {
    const { first } = await firstOf((recording) => {
      gauges(recording, 'cart', { errors: 60 });
      for (const second of SECONDS) recording.log(second, 'cart', `put ${second} away`);
      for (const second of SECONDS.filter(bad))
        recording.log(second, 'cart', `call to tax-office failed: certificate verify failed, attempt ${second}`, 17);
    });
    expect(first).toMatchObject({ subject: { id: 'cart' }, reason: 'certificate' });
  });

  test('a starved callee is not to blame for its lost requests', async () => {
    const { first, suspects } = await firstOf((recording) => {
      calls(recording);
      gauges(recording, 'web');
      gauges(recording, 'cart', { errors: 60, rps: 48 });
      gauges(recording, 'stock', { rps: 5 });
      gauges(recording, 'price');
    });
    expect(first?.subject.id).toBe('cart');
    expect(suspects.find(({ subject }) => subject.id === 'stock')?.score).toBeLessThan(0);
  });

  test('services that call each other in a circle still have a suspect', async () => {
    const { first } = await firstOf((recording) => {
      recording.calls('a', 'b');
      recording.calls('b', 'a');
      gauges(recording, 'a', { p99: 150 });
      gauges(recording, 'b', { p99: 2000 });
    });
    expect(first?.subject.id).toBe('b');
  });

  test('a call through an unmeasured service is a call', async () => {
    const { first } = await firstOf((recording) => {
      recording.calls('web', 'load-balancer');
      recording.calls('load-balancer', 'cart');
      gauges(recording, 'web', { p99: 400 });
      gauges(recording, 'cart', { p99: 400 });
    });
    expect(first?.subject.id).toBe('cart');
  });

  const sufferer = async (id: string, fill: (recording: Recording) => void) => {
    const reader = await softwareCase(fill);
    const service = (await reader.entities()).find((one) => one.id === id)!.canonical_id;
    return (await softwareSuspects(reader, { service })).suspects;
  };

  test.each(['web', 'cart', 'stock'])(
    'without recorded calls %s leads to the service that changed most',
    async (id) => {
      const suspects = await sufferer(id, (recording) => {
        gauges(recording, 'web', { errors: 5 });
        gauges(recording, 'cart', { errors: 9 });
        gauges(recording, 'stock', { errors: 38 });
        gauges(recording, 'price');
      });
      expect(suspects[0]).toMatchObject({ subject: { id: 'stock' }, type: 'service_errors' });
      const texts = suspects[0]?.evidence.map(evidenceText).join('\n');
      expect(texts).toContain(`of the change among the services that degrade as ${id} does`);
      expect(texts).not.toContain('begins there');
    },
  );

  test('without recorded calls a service that changes by itself is not blamed on a larger one at another time', async () => {
    const suspects = await sufferer('web', (recording) => {
      gauges(recording, 'web', { p99: 300 });
      gauges(recording, 'price');
      recording.metric('service.latency.p99', { service: 'stock', seconds: SECONDS }, (second) =>
        Math.floor(second / 40) % 2 === 0 ? 1000 : 100,
      );
    });
    expect(suspects[0]?.subject.id).toBe('web');
  });

  test('a balancer in no recorded call leads to the service that changed most, though calls of others were recorded', async () => {
    const suspects = await sufferer('balancer', (recording) => {
      calls(recording);
      gauges(recording, 'balancer', { errors: 9 });
      gauges(recording, 'web', { errors: 12 });
      gauges(recording, 'cart', { errors: 38 });
      gauges(recording, 'stock');
      gauges(recording, 'price');
    });
    expect(suspects[0]).toMatchObject({ subject: { id: 'cart' }, type: 'service_errors' });
    expect(suspects[0]?.evidence.map(evidenceText).join('\n')).toContain('no call from or to balancer was recorded');
  });

  test('a service that has nothing to do with the suffering one comes behind', async () => {
    const reader = await softwareCase((recording) => {
      calls(recording);
      for (const name of ['web', 'cart', 'elsewhere']) gauges(recording, name, { p99: 500 });
      gauges(recording, 'stock');
      gauges(recording, 'price');
    });
    const web = (await reader.entities()).find(({ id }) => id === 'web')!.canonical_id;
    const { suspects } = await softwareSuspects(reader, { service: web });
    expect(suspects[0]?.subject.id).toBe('cart');
    expect(suspects.find(({ subject }) => subject.id === 'elsewhere')?.evidence.at(-1)?.weight).toBeLessThan(-1);
  });
});

describe('when', () => {
  const fill = (recording: Recording) => {
    calls(recording);
    gauges(recording, 'web', { p99: 500 });
    gauges(recording, 'cart', { p99: 500 });
    gauges(recording, 'stock', { p99: 500, errors: 3 });
    gauges(recording, 'price');
  };
  test.each([undefined, 540, 600, 660, 700])('asked about second %s', async (second) => {
    const { first } = await firstOf(fill, second === undefined ? {} : { at_ns: atSecond(second) });
    expect(first?.subject.id).toBe('stock');
  });
  test('a window that begins a minute late or early', async () => {
    for (const second of [540, 660]) {
      const window = { start_ns: atSecond(second), end_ns: atSecond(780) };
      expect((await firstOf(fill, { window })).first?.subject.id).toBe('stock');
    }
  });
  test('an impact too slight to be detected is still analysed at a specified time', async () => {
    const { first } = await firstOf(
      (recording) => {
        calls(recording);
        gauges(recording, 'web', { p99: 150 });
        gauges(recording, 'cart', { p99: 150 });
        gauges(recording, 'stock', { p99: 160 });
        gauges(recording, 'price');
      },
      { at_ns: atSecond(610) },
    );
    expect(first?.subject.id).toBe('stock');
    expect(first?.score).toBeGreaterThan(0);
  });
  test('a recording that begins inside the incident is compared with what followed', async () => {
    const { first, suspects } = await firstOf((recording) => {
      calls(recording);
      const late = SECONDS.filter((second) => second >= 620);
      const longer = [...late, ...every(10, 900, 1500)];
      for (const [name, p99] of [
        ['web', 800],
        ['cart', 800],
        ['stock', 800],
        ['price', 100],
      ] as const)
        gauges(recording, name, { p99 }, longer);
    });
    expect(suspects.length).toBeGreaterThan(0);
    expect(first?.subject.id).toBe('stock');
  });
});

describe('no suspect', () => {
  const healthy = (recording: Recording) => {
    calls(recording);
    for (const name of ['web', 'cart', 'stock', 'price']) gauges(recording, name);
  };
  test('healthy services give no suspect', async () => {
    expect((await firstOf(healthy)).suspects).toEqual([]);
    for (const second of [300, 500, 640, 700]) {
      const { suspects } = await firstOf(healthy, { at_ns: atSecond(second) });
      expect(suspects.filter(({ score }) => score > 0)).toEqual([]);
    }
  });
});

describe('other metrics', () => {
  const withMetric = (fill: (recording: Recording) => void) =>
    firstOf(
      (recording) => {
        gauges(recording, 'web', { p99: 500 });
        recording.calls('web', 'cart');
        fill(recording);
      },
      { window: { start_ns: atSecond(600), end_ns: atSecond(780) } },
    );
  const of = { service: 'cart', seconds: SECONDS };
  const metricOf = async (fill: (recording: Recording) => void) =>
    (await withMetric(fill)).suspects.find(({ subject }) => subject.id === 'cart');

  test('a level that was left is named', async () => {
    const random = numbersFrom(9);
    const cart = await metricOf((recording) =>
      recording.metric('queue.depth', of, (s) => (bad(s) ? 90 : 4) + random()),
    );
    expect(cart).toMatchObject({ type: 'metric_shift', metric: 'queue.depth' });
    expect(cart?.evidence.some((one) => /queue\.depth of cart rose from 4\.\d+ to 90/.test(evidenceText(one)))).toBe(
      true,
    );
  });
  test('a changed constant is reported if ranks are significant', async () => {
    expect((await metricOf((recording) => recording.metric('replicas', of, (s) => (bad(s) ? 1 : 3))))?.metric).toBe(
      'replicas',
    );
  });
  test('a counter counts by its rate', async () => {
    let total = 0;
    const cart = await metricOf((recording) =>
      recording.metric('evictions', { ...of, counter: true }, (s) => {
        total += bad(s) ? 500 : 20 + (s % 3);
        return total;
      }),
    );
    expect(
      cart?.evidence.some((one) => /evictions of cart rose from 2\.\d+ to 50 per second/.test(evidenceText(one))),
    ).toBe(true);
  });
  test('a steady counter, a reset, a drift and noise are nothing', async () => {
    const random = numbersFrom(21);
    let total = 0;
    const { suspects } = await withMetric((recording) => {
      recording.metric('requests', { ...of, counter: true }, (s) => {
        total = s === 650 ? 0 : total + 20 + (s % 3);
        return total;
      });
      recording.metric('uptime', of, (s) => 1e6 + s);
      recording.metric('memory', of, (s) => 500 + s / 10 + 10 * random());
      for (let i = 0; i < 200; i++) recording.metric(`noise.${i}`, of, () => 10 + random());
    });
    expect(suspects.filter(({ subject }) => subject.id === 'cart')).toEqual([]);
  });
  test('two points of history prove little', () => {
    const fact = {
      series_id: 1,
      metric: 'm',
      unit: '',
      entity: 1,
      attributes: '',
      is_rate: false,
      before_points: 2,
      before_median: 10,
      before_min: 9.9,
      before_max: 10.1,
      spread: 0.2,
      window_points: 3,
      window_median: 14,
      window_min: 13,
      window_max: 15,
      series_count: 50,
    };
    expect(metricSuspects([fact], String)).toEqual([]);
    expect(metricSuspects([{ ...fact, before_points: 30 }], String)).toHaveLength(1);
  });
});

test('of measurements five minutes apart, one service that stirred early does not cut the baseline short', async () => {
  const minutes = every(300, 0, 2400);
  const rises = (recording: Recording, service: string, to: number, when: (second: number) => boolean) =>
    recording.metric('service.latency.p99', { service, seconds: minutes }, (second) => (when(second) ? to : 100));
  const reader = await softwareCase((recording) => {
    recording.calls('web', 'cart');
    // Too mild to be an impact by itself.
    rises(recording, 'web', 150, (second) => second >= 1500);
    rises(recording, 'cart', 400, (second) => second >= 1500);
    rises(recording, 'lone', 250, (second) => second === 1200);
  });
  const web = (await reader.entities()).find(({ id }) => id === 'web')!.canonical_id;
  const { phases, suspects } = await softwareSuspects(reader, { service: web, at_ns: atSecond(1230) });
  expect(phases?.window_from_ns).toBe(atSecond(1200));
  expect(suspects[0]?.subject.id).toBe('cart');
});
