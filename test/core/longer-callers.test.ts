import { expect, test } from 'vitest';
import { type CallerLoad, type CallerShape, callerSpans } from '../support/callers.ts';
import { memoryCore } from '../support/core.ts';
import { event } from '../support/scenario.ts';
import { otlpOf, type SpanLine } from '../support/trace-case.ts';

const calm: readonly CallerLoad[] = [
  { caller: 'web', tenant: 'acme', rate: 0.5, tokens: 500 },
  { caller: 'web', tenant: 'zeta', rate: 0.6, tokens: 500 },
  { caller: 'agent', tenant: 'acme', rate: 0.5, tokens: 600 },
  { caller: 'agent', tenant: 'zeta', rate: 0.3, tokens: 600 },
  { caller: 'batch', tenant: 'omega', rate: 0.4, tokens: 900 },
];
/** Requests of some become ten times as long for four minutes. */
const longer = (is: (load: CallerLoad) => boolean): CallerLoad[] =>
  calm.map((load) => (is(load) ? { ...load, later: 10 * load.tokens } : load));
const ofAgentForAcme = longer(({ caller, tenant }) => caller === 'agent' && tenant === 'acme');

async function verdictsOf(spans: readonly SpanLine[], ...documents: readonly unknown[]) {
  const core = await memoryCore();
  await core.importJson(otlpOf(spans), ...documents);
  const incidents = (await core.api['incidents.list']({})).map(({ incident }) => incident);
  const { findings } = await core.api['patterns.list']({});
  return {
    shifts: findings.flatMap(({ pattern, headline }) => (pattern === 'token-shift' ? [headline] : [])),
    best: incidents.map(({ affected_services: [service], hypotheses: [first] }) => [
      service,
      first?.type,
      first?.subject?.id,
    ]),
    incidents,
  };
}

const stating =
  (name: string) =>
  ({ caller }: CallerLoad) => ({ [name]: caller });

test.each<readonly [CallerShape, string, string[]]>([
  ['parent', 'the span of the caller is the parent', ['agent', 'llm']],
  ['nested', 'a span between the caller and the model is its parent', ['agent', 'llm']],
  ['gateway', 'a gateway passes all requests on', ['agent', 'gateway', 'llm']],
])('the sender of longer prompts is the cause where %s: %s', async (shape, _, affected) => {
  const { shifts, best, incidents } = await verdictsOf(callerSpans(ofAgentForAcme, shape));
  expect(shifts).toEqual([
    expect.stringMatching(/^llm \(m\) received .* tokens \(\d+ before\) from agent for tenant acme/),
  ]);
  expect(best.sort()).toEqual(affected.map((service) => [service, 'longer_requests', 'agent']));
  for (const { hypotheses } of incidents) expect(hypotheses[0]!.probability).toBeGreaterThan(0.8);
});

test.each(['peer.service', 'service.peer.name', 'client.address', 'gen_ai.agent.name'])(
  'a caller that only %s states is named, and its service is not accused of slowness',
  async (name) => {
    const { shifts, best } = await verdictsOf(callerSpans(ofAgentForAcme, 'attribute', stating(name)));
    expect(shifts).toEqual([expect.stringContaining('from agent for tenant acme')]);
    expect(best).toEqual([['llm', 'longer_requests', 'llm']]);
  },
);

test('an address is no caller, and a caller that is not recorded stays unknown', async () => {
  const address = () => ({ 'client.address': '10.0.0.7' });
  const ofBatch = longer(({ caller }) => caller === 'batch');
  for (const spans of [callerSpans(ofBatch, 'none'), callerSpans(ofBatch, 'attribute', address)]) {
    const { shifts, best } = await verdictsOf(spans);
    expect(shifts).toEqual([expect.stringMatching(/before\) for tenant omega/)]);
    expect(best).toEqual([['llm', 'longer_requests', 'llm']]);
  }
});

test('where two callers send longer prompts for one tenant, only the tenant is named', async () => {
  const { shifts, best } = await verdictsOf(
    callerSpans(
      longer(({ tenant }) => tenant === 'acme'),
      'parent',
    ),
  );
  expect(shifts).toEqual([expect.stringMatching(/before\) for tenant acme/)]);
  expect(best.map(([, type, on]) => [type, on])).not.toContainEqual(['longer_requests', 'agent']);
  expect(best.map(([, type, on]) => [type, on])).not.toContainEqual(['longer_requests', 'web']);
});

test('where all send longer prompts, or there is one caller alone, no one is named', async () => {
  const alone = ofAgentForAcme.filter(({ caller, tenant }) => caller === 'agent' && tenant === 'acme');
  for (const loads of [longer(() => true), alone]) {
    const { shifts } = await verdictsOf(callerSpans(loads, 'parent'));
    expect(shifts).toEqual([expect.stringMatching(/tokens \(\d+ before\)\.$/)]);
  }
});

test('more requests of one caller, and slow ones of the same length, are no longer prompts', async () => {
  const isAgent = ({ caller, tenant }: CallerLoad) => caller === 'agent' && tenant === 'acme';
  const more = calm.map((load) => (isAgent(load) ? { ...load, laterRate: 4 } : load));
  const slow = calm.map((load) => (isAgent(load) ? { ...load, laterTook: 3000 } : load));
  for (const loads of [more, slow]) {
    const { shifts, best } = await verdictsOf(callerSpans(loads, 'parent'));
    expect(shifts).toEqual([]);
    expect(best.map(([, type]) => type)).not.toContain('longer_requests');
  }
});

test('a routine event of the GPU of the service is not accused beside longer prompts', async () => {
  const topology = { service_metrics: [] };
  const { best } = await verdictsOf(
    callerSpans(ofAgentForAcme, 'parent'),
    topology,
    event('cap', 595, 'gpu', 'power_cap', 'GPU-0', 'low'),
  );
  expect(best.map(([, type, on]) => [type, on])).toEqual(best.map(() => ['longer_requests', 'agent']));
});
