import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainSpans } from '../test/support/plain-spans.ts';
import { must } from './faultline.ts';

const incident = join(import.meta.dirname, '../fixtures/incidents/pdu-sag');
const SPANS = 20_000;

export interface IntactCase {
  readonly path: string;
  /** Of the files that it was made from: what comes before others in an import, and what comes after them. */
  readonly small: readonly string[];
  readonly large: readonly string[];
}

/** A run of a smaller share tries little: what is prepared for it should not take longer. */
export const isShort = (share: number): boolean => share < 0.1;

/** A case with an incident: the demo's; in a short run a smaller one, whose checks take half the time. */
export async function intactCase(
  folder: string,
  share: number,
  env: Readonly<Record<string, string>> = {},
): Promise<IntactCase> {
  const path = join(folder, 'demo.faultline');
  if (!isShort(share)) {
    await must(['demo', '--dir', folder], env);
    const file = (name: string) => join(folder, 'files', name);
    const [small, large] = [
      ['topology.csv', 'physical-events.json'],
      ['logs.jsonl.gz', 'traces.jsonl.gz'],
    ];
    return { path, small: small.map(file), large: large.map(file) };
  }
  await mkdir(folder, { recursive: true });
  const spans = join(folder, 'spans.binpb');
  await writeFile(spans, plainSpans(SPANS, 1));
  const [events = '', ...others] = ['events', 'topology', 'traces'].map((name) => join(incident, `${name}.json`));
  await must(['import', path, events, ...others, spans], env);
  return { path, small: [events], large: [] };
}
