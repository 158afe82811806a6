import type { IncidentView } from '../../src/model/contract/index.ts';
import type { TestCore } from '../support/core.ts';
import { type Part, START } from './matrix.ts';
import { BOUNDS, HISTOGRAM, type Sampled, STEP_S, type Story, TIMES } from './story.ts';
import { storyContainers } from './story-containers.ts';

const uuidOf = (gpu: number): string => `GPU-0000000${gpu}-0000-0000-0000-000000000000`;
const gpu = (index: number) => ({ gpu: String(index), UUID: uuidOf(index), Hostname: 'node-4' });
const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const onEach = (name: string, valueAt: (gpu: number, i: number) => number): Sampled[] =>
  eight.map((index) => ({ name, labels: gpu(index), values: TIMES.map((_, i) => valueAt(index, i)) }));

/** Sixty requests in each step, of 0.4 s, and from the middle on of 4 s. */
function latency(service: string): Sampled[] {
  const labels = { service_name: service };
  const fast = TIMES.map((_, i) => 60 * Math.min(i + 1, 80));
  const slow = TIMES.map((_, i) => 60 * Math.max(0, i + 1 - 80));
  const bucket = (le: string, bound: number): Sampled => ({
    name: `${HISTOGRAM}_bucket`,
    labels: { ...labels, le },
    values: TIMES.map((_, i) => (bound >= 0.5 ? fast[i]! : 0) + (bound >= 5 ? slow[i]! : 0)),
  });
  return [
    ...BOUNDS.map((bound) => bucket(String(bound), bound)),
    bucket('+Inf', Number.POSITIVE_INFINITY),
    { name: `${HISTOGRAM}_sum`, labels, values: TIMES.map((_, i) => 0.4 * fast[i]! + 4 * slow[i]!) },
    { name: `${HISTOGRAM}_count`, labels, values: TIMES.map((_, i) => fast[i]! + slow[i]!) },
  ];
}

const facts: readonly Story[] = [
  {
    name: 'one GPU of eight runs at a lower clock',
    series: [
      ...onEach('DCGM_FI_DEV_SM_CLOCK', (index, i) => (index === 5 && i > 40 ? 1200 : 1980)),
      ...onEach('DCGM_FI_DEV_GPU_UTIL', () => 98),
    ],
    wanted: {
      findings: [`clock-straggler: node-4 GPU 5 at 1200 MHz while the 7 other GPUs ran at 1980 MHz.`],
      incidents: [],
    },
  },
  {
    name: 'a service answers in 4 s instead of 0.4 s',
    series: latency('shop'),
    wanted: { findings: [], incidents: [`shop ${START + 80 * STEP_S} insufficient_evidence  0.95`] },
  },
];

/** The service, the onset (s since 1970), and the first cause with its probability. */
function verdictOf({ service, onset_ns, incident: { hypotheses } }: IncidentView): string {
  const [first] = hypotheses;
  return `${service} ${onset_ns / 1_000_000_000n} ${first?.type} ${first?.subject?.id ?? ''} ${first?.probability.toFixed(2)}`;
}

async function answers(core: TestCore, asked: readonly Story[]): Promise<readonly unknown[]> {
  const { findings } = await core.api['patterns.list']({});
  const incidents = await core.api['incidents.list']({});
  const [straggler, slow] = [
    findings.map(({ pattern, headline }) => `${pattern}: ${headline}`),
    incidents.map(verdictOf),
  ];
  return asked.map((_, i) => (i === 0 ? { findings: straggler, incidents: [] } : { findings: [], incidents: slow }));
}

/** Findings and verdicts from series over time. */
export const stories: Part<Story> = {
  title: 'Findings and verdicts',
  facts,
  containers: storyContainers,
  answers,
  wanted: (fact) => fact.wanted,
};
