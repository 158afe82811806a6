// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FleetHeatEvent, FleetImpactView } from '../../../src/model/contract/index.ts';
import { ProblemError } from '../../../src/model/problem.ts';
import type { Client } from '../../../src/renderer/client/client.ts';
import { Fleet } from '../../../src/renderer/shell/fleet/fleet.tsx';
import { useArchive } from '../../../src/renderer/state/archive-draft.ts';
import { setClient } from '../../../src/renderer/state/client.ts';
import { BUCKETS, editFleet, showFleet, useFleet } from '../../../src/renderer/state/fleet-draft.ts';

const nsOf = (time: string): bigint => BigInt(Date.parse(`2026-05-01T${time}Z`)) * 1_000_000n;

const impactOf = (service: string, start: string, end: string, times_worse: number): FleetImpactView => ({
  service,
  parts: [],
  start_ns: nsOf(start),
  end_ns: nsOf(end),
  times_worse,
  impact: {
    p99_baseline_ms: 100,
    p99_peak_ms: 100 * times_worse,
    p99_change_percent: null,
    p99_first_anomaly_ms: null,
    p99_first_change_percent: null,
    error_rate_baseline_percent: null,
    error_rate_peak_percent: null,
    error_rate_first_anomaly_percent: null,
    throughput_baseline_rps: null,
    throughput_peak_rps: null,
    throughput_first_anomaly_rps: null,
    throughput_first_change_percent: null,
    estimated_cost_impact_usd: null,
  },
});

/** Two hours of 240 columns: half a minute each. `llm` is worse in columns 120 to 139, `gateway` in 130 to 139, `idle` is not measured at first. */
function heat(): FleetHeatEvent {
  const values = new Float64Array(3 * BUCKETS).fill(1);
  values.fill(8, 120, 140);
  values.fill(2, BUCKETS + 130, BUCKETS + 140);
  values.fill(Number.NaN, 2 * BUCKETS, 2 * BUCKETS + 10);
  const impacts = [impactOf('llm', '13:00:00', '13:10:00', 8), impactOf('gateway', '13:05:00', '13:10:00', 2)];
  return { kind: 'heat', impacts, services: 3, requests: 43_210, rows: ['llm', 'gateway', 'idle'], values };
}

interface Asked {
  readonly name: string;
  readonly input: Record<string, unknown>;
}
let asked: Asked[];
let answer: (signal: AbortSignal) => AsyncGenerator<FleetHeatEvent>;

beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
  asked = [];
  answer = async function* () {
    yield { kind: 'progress', done: 1, services: 3 };
    yield heat();
  };
  const planned = { kind: 'plan', archive: 'clickhouse', from_ns: 0n, until_ns: 1n, queries: [] };
  setClient({
    call: async (name: string) => (name === 'archive.read' ? { fields: null, problems: [] } : []),
    async *stream(name: string, input: Record<string, unknown>, signal: AbortSignal) {
      asked.push({ name, input });
      if (name === 'fleet.heat') yield* answer(signal);
      else yield planned;
    },
  } as unknown as Client);
  useArchive.setState({
    text: 'kind: clickhouse\n',
    fields: { kind: 'clickhouse', url: 'http://ch:8123' },
    problems: [],
  });
  showFleet(true);
  editFleet({ from: '2026-05-01T12:00:00', until: '2026-05-01T14:00:00', services: '' });
});
afterEach(() => {
  showFleet(false);
  cleanup();
  vi.restoreAllMocks();
});

async function shown(): Promise<HTMLElement> {
  render(<Fleet />);
  await userEvent.click(screen.getByRole('button', { name: 'Show impacts' }));
  return screen.findByTestId('fleet-heat');
}

const cell = () => screen.getByTestId('fleet-cell').textContent;
const pressed = (heatMap: HTMLElement, key: string, times = 1, shiftKey = false) => {
  for (let time = 0; time < times; time++) fireEvent.keyDown(heatMap, { key, shiftKey });
};

test('arrow keys walk through services and times; Enter chooses the impact there with those at the same time', async () => {
  const heatMap = await shown();
  expect(asked[0]).toMatchObject({
    name: 'fleet.heat',
    input: {
      plan: 'kind: clickhouse\n',
      from_ns: nsOf('12:00:00'),
      until_ns: nsOf('14:00:00'),
      services: [],
      buckets: BUCKETS,
    },
  });
  pressed(heatMap, 'ArrowDown');
  expect(cell()).toBe('llm 2026-05-01 12:00:00 no impact');
  pressed(heatMap, 'End');
  expect(cell()).toBe('idle 2026-05-01 12:00:00 no requests');
  pressed(heatMap, 'ArrowDown');
  pressed(heatMap, 'ArrowLeft');
  expect(cell()).toBe('idle 2026-05-01 12:00:00 no requests');
  pressed(heatMap, 'Home');
  pressed(heatMap, 'PageDown', 5);
  pressed(heatMap, 'ArrowRight', 12);
  expect(cell()).toBe('llm 2026-05-01 13:06:00 8 times worse than its baseline');
  pressed(heatMap, 'Enter');
  expect(screen.getByTestId('fleet-chosen').textContent).toBe(
    'llm: 8 times worse from 2026-05-01 13:00:00 UTC, for 10 m',
  );
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toMatchObject({
    name: 'archive.pull',
    input: {
      only_plan: true,
      from_ns: nsOf('12:45:00'),
      until_ns: nsOf('13:15:00'),
      services: ['llm', 'gateway'],
      where: null,
    },
  });
});

test('Shift selects services and times; what is outside of impacts is chosen as it is', async () => {
  const heatMap = await shown();
  pressed(heatMap, 'End');
  pressed(heatMap, 'ArrowUp', 2);
  pressed(heatMap, 'ArrowRight', 20);
  pressed(heatMap, 'ArrowDown', 1, true);
  pressed(heatMap, 'ArrowRight', 9, true);
  pressed(heatMap, 'Enter');
  expect(screen.getByTestId('fleet-chosen').textContent).toBe('2 services: from 2026-05-01 12:10:00 UTC, for 5 m');
  expect(useArchive.getState()).toMatchObject({
    from: '2026-05-01T11:55:00',
    until: '2026-05-01T12:20:00',
    services: 'llm, gateway',
  });
});

test('the table has the same impacts in words, and chooses them', async () => {
  await shown();
  const rows = within(screen.getByRole('region', { name: 'Impacts, the worst first' })).getAllByRole('row');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'ServiceTimes worseFrom, UTCLastedP99ErrorsRequests/s',
    'llm82026-05-01 13:00:0010 m100 ms → 800 ms',
    'gateway22026-05-01 13:05:005 m100 ms → 200 ms',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'gateway' }));
  expect(screen.getByTestId('fleet-chosen').textContent).toContain('gateway: 2 times worse from 2026-05-01 13:05:00');
  expect(useArchive.getState().services).toBe('gateway, llm');
});

test('what is chosen has a link to the Grafana of the plan', async () => {
  await shown();
  await userEvent.click(screen.getByRole('button', { name: 'gateway' }));
  expect(screen.queryByRole('button', { name: 'Copy the Grafana link' })).toBeNull();
  act(() => useArchive.setState({ fields: { kind: 'clickhouse', grafana: 'https://grafana.example/ops/' } }));
  const copied: string[] = [];
  const writeText = async (text: string): Promise<void> => void copied.push(text);
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(writeText);
  await userEvent.click(screen.getByRole('button', { name: 'Copy the Grafana link' }));
  const [from, to] = [nsOf('13:05:00'), nsOf('13:10:00')].map((time) => time / 1_000_000n);
  expect(copied).toEqual([`https://grafana.example/ops/d/faultline-incidents?from=${from}&to=${to}`]);
});

test('a question shows how far it is and can be cancelled; a failure is shown with what to do', async () => {
  let ended = false;
  answer = async function* (signal) {
    yield { kind: 'progress', done: 40, services: 200 };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended = true;
  };
  render(<Fleet />);
  await userEvent.click(screen.getByRole('button', { name: 'Show impacts' }));
  expect((await screen.findByTestId('fleet-progress')).textContent).toContain('40 of 200 services measured');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByTestId('fleet-progress')).toBeNull());
  expect([ended, useFleet.getState().problem]).toEqual([true, null]);
  answer = async function* () {
    yield { kind: 'progress', done: 0, services: 3 };
    throw new ProblemError({
      code: 'fleet.too_much',
      message: 'memory limit exceeded',
      hint: 'ask for a shorter time',
    });
  };
  await userEvent.click(screen.getByRole('button', { name: 'Show impacts' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('memory limit exceeded');
  expect(alert.textContent).toContain('ask for a shorter time');
  answer = async function* () {
    yield { kind: 'heat', impacts: [], services: 0, requests: 0, rows: [], values: new Float64Array(0) };
  };
  await userEvent.click(within(alert).getByRole('button', { name: 'Try again' }));
  await screen.findByText(/The archive has no spans of services in this time/);
});
