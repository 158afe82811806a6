import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { afterEach, expect, test } from 'vitest';
import { isMildCap, severityWeight } from '../../src/core/analysis/causality/event-traits.ts';
import { findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { emptyMeasurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { impact } from '../../src/core/analysis/impact/parameters.ts';
import { listParameters, parametersPage, setParameters } from '../../src/core/analysis/parameters.ts';
import type { EventFact } from '../../src/core/store/facts/reader.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';

const analysis = join(import.meta.dirname, '../../src/core/analysis');
const files = readdirSync(analysis, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));

afterEach(() => setParameters(new Map()));

test('docs/parameters.md lists every parameter', async () => {
  await expect(parametersPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/parameters.md'));
});

test('every stage is in the list, with one sentence for each number', () => {
  const list = readFileSync(join(analysis, 'parameters.ts'), 'utf8');
  const stages = files.filter((file) => file.endsWith('/parameters.ts'));
  expect(stages.filter((file) => !list.includes(`'./${file}'`))).toEqual([]);
  for (const { stage, name, meaning } of listParameters()) {
    const full = `${stage}.${name}`;
    expect(full).toMatch(/^[a-z][A-Za-z]*\.[a-z][A-Za-z0-9]*$/);
    expect(meaning, full).toMatch(/^[A-Z"].*[^.]$/);
    expect(meaning.length, full).toBeLessThan(160);
  }
});

test('no parameter is copied while a module loads, where a sweep would not reach it', () => {
  expect(files.filter((file) => file.endsWith('.ts')).flatMap(readsWhileLoading)).toEqual([]);
});

test('a parameter that is set counts at once, and an empty list resets all', () => {
  const impacts = () => findImpacts(withOneSlow(), correlateOptionsSchema.parse({})).length;
  expect(impacts()).toBe(1);
  setParameters(new Map([['impact.timesWorse', 4]]));
  expect(impact.timesWorse).toBe(4);
  expect(impacts()).toBe(0);
  setParameters(new Map());
  expect(impacts()).toBe(1);
});

test('a table of numbers by case follows its parameters', () => {
  const xid = { type: 'xid_error', details: { xid: 13 } } as unknown as EventFact;
  expect(severityWeight(xid)).toBe(0.4);
  expect(isMildCap({ from: 700, to: 600 })).toBe(false);
  setParameters(
    new Map([
      ['causality.applicationHarmShare', 0.9],
      ['causality.mildCapShare', 0.2],
    ]),
  );
  expect(severityWeight(xid)).toBe(0.9);
  expect(isMildCap({ from: 700, to: 600 })).toBe(true);
});

test('an unknown parameter is refused with the nearest name, and nothing is set', () => {
  const settings = new Map([
    ['impact.deviations', 9],
    ['impact.timeWorse', 3],
  ]);
  expect(() => setParameters(settings)).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'parameter.unknown',
        message: 'no parameter "impact.timeWorse"',
        hint: 'the nearest name is impact.timesWorse',
      }),
    }),
  );
  expect(impact.deviations).toBe(5);
});

/** An hour of a service, every ten seconds; in one of them requests take three times as long. */
function withOneSlow() {
  const times = Array.from({ length: 360 }, (_, i) => BigInt(i) * 10_000_000_000n);
  const table = emptyMeasurements(1, 'gauges', times);
  for (let i = 0; i < times.length; i++) {
    const slow = i === 200 ? 3 : 1;
    table.p50[i] = 40 * slow;
    table.p99[i] = 100 * slow + (i % 7);
    table.requests[i] = 1000;
    table.throughput[i] = 100;
    table.error_rate[i] = 0;
  }
  return table;
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Names of the parameters that a file reads outside of functions. */
function readsWhileLoading(file: string): string[] {
  const text = readFileSync(join(analysis, file), 'utf8');
  const { program, module } = parseSync(file, text);
  const stages = new Set(
    module.staticImports
      .filter(({ moduleRequest }) => moduleRequest.value.endsWith('/parameters.ts'))
      .flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
  );
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as Node;
    if (/Function|MethodDefinition/.test(node.type ?? '')) return;
    const object = node['object'] as { readonly name?: string } | undefined;
    if (node.type === 'MemberExpression' && object?.name !== undefined && stages.has(object.name))
      found.push(`${file}: ${object.name}`);
    for (const member of Object.values(node)) visit(member);
  };
  if (stages.size > 0 && file !== 'parameters.ts') visit(program);
  return found;
}
