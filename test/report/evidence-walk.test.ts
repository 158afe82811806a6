import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReportDocument } from '../../src/model/incident/report-document.ts';
import { memoryCore, type TestCore } from '../support/core.ts';
import { demoCore } from '../support/demo-core.ts';
import { event, service, topology } from '../support/scenario.ts';

const root = join(import.meta.dirname, '../../fixtures/incidents');
const incidents = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Stated {
  readonly text: string;
  readonly refs: readonly string[];
}

/** Every factual line of a report: sentences, items, rows and pictures. A lead without words only groups what is below it. */
function statedBy({ sections, figures }: ReportDocument): Stated[] {
  const lines = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block): Stated[] => {
      if (block.kind === 'table') return block.rows.map(({ cells, refs }) => ({ text: cells.join(' '), refs }));
      if (block.kind !== 'sentences' && block.kind !== 'list') return [];
      return block.facts.flatMap((fact) => [...(fact.text === '' ? [] : [fact]), ...fact.details]);
    }),
  );
  return [...lines, ...figures.map(({ description, refs }) => ({ text: description, refs }))];
}

async function walk(core: TestCore): Promise<void> {
  const { document } = await core.api['report.document']({});
  const stated = statedBy(document);
  expect(stated.length).toBeGreaterThan(20);
  expect(stated.filter(({ refs }) => refs.length === 0).map(({ text }) => text)).toEqual([]);
  const known = new Set(document.evidence.map(({ ref }) => ref));
  const refs = new Set(stated.flatMap((one) => one.refs));
  expect([...refs].filter((ref) => !known.has(ref))).toEqual([]);
  for (const ref of known) {
    const record = await core.api['evidence.get']({ ref });
    expect(record.ref).toBe(ref);
    // The record of an id has content: a name alone is no evidence.
    expect(record.fields.length + record.raw.length, ref).toBeGreaterThan(0);
  }
  await figuresAreInTheirEvidence(core, document);
  for (const name of ['NaN', 'undefined', 'null', 'Infinity', '[object'])
    expect(stated.filter(({ text }) => text.includes(name)).map(({ text }) => text)).toEqual([]);
}

/** The record cited by a figure of the impact contains the same figure, except for rounding. */
async function figuresAreInTheirEvidence(core: TestCore, { sections }: ReportDocument): Promise<void> {
  const tables = sections.flatMap(({ id, blocks }) => (id === 'impact' ? blocks.slice(0, 1) : []));
  expect(tables.length).toBeGreaterThan(0);
  for (const table of tables) {
    if (table.kind !== 'table') throw new Error('the impact begins with its figures');
    for (const { cells, refs } of table.rows) {
      const records = await Promise.all(refs.map((ref) => core.api['evidence.get']({ ref })));
      const reported = records.flatMap((record) => record.fields.map(({ value }) => Number.parseFloat(value)));
      for (const cell of cells.slice(1))
        if (cell !== 'unknown')
          expect(
            reported.some((one) => Math.abs(one - Number.parseFloat(cell)) <= 0.0501),
            `${cells[0]}: ${cell}`,
          ).toBe(true);
    }
  }
}

describe('every factual line has evidence, and every evidence id resolves', () => {
  test.each(incidents)('in the report of %s', async (name) => {
    const core = await memoryCore();
    await core.import(['topology', 'traces', 'events'].map((file) => join(root, name, `${file}.json`)));
    await walk(core);
  });

  test('in the report of a recording that begins within the trouble, months after another', async () => {
    const core = await memoryCore();
    const old = -300 * 86_400;
    const service_metrics = [
      ...service('inference', { from: old, to: old + 1200 }),
      ...service('inference', { from: 700, to: 1000 }),
    ];
    const events = [event('failed', old + 86_400, 'redfish', 'psu_failure', 'server-1')];
    await core.importJson({ events }, { service_metrics }, topology);
    await walk(core);
  });

  test('in the report of the demo', async () => {
    const core = await demoCore();
    await walk(core);
    const { document } = await core.api['report.document']({});
    const kinds = new Set(document.evidence.map(({ kind }) => kind));
    for (const kind of ['event', 'metric', 'edge', 'incident', 'source', 'mechanism', 'method'])
      expect(kinds).toContain(kind);
    const ids = document.sections.filter(({ incident }) => incident === document.incidents[0]?.id).map(({ id }) => id);
    expect(ids).toEqual([
      'summary',
      'impact',
      'root_cause',
      'contributing',
      'timeline',
      'times',
      'went_well',
      'went_badly',
      'lessons',
      'actions',
      'patterns',
      'not_recorded',
      'evidence',
      'ruled_out',
    ]);
    const found = await core.api['traces.search']({ query: '{resource.service.name = "llama-70b"}', limit: 3 });
    for (const { trace_id } of found.traces) {
      const { services } = await core.api['trace.cost']({ trace_id });
      expect(services.map(({ gap }) => gap)).toContain('no_rates');
      for (const ref of services.flatMap(({ refs }) => refs))
        expect((await core.api['evidence.get']({ ref })).fields.length, ref).toBeGreaterThan(0);
    }
    expect(document.figures.map(({ id }) => id.replace(/^inc_\w+-/, ''))).toEqual(
      expect.arrayContaining(['timeline', 'topology', 'latency', 'gpus']),
    );
  });
});
