import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeScenario } from '../../src/main/demo/scenarios/index.ts';
import { demoScenarioNames } from '../../src/model/demo-scenario.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
});
afterAll(() => removeFolder(folder));

async function hashesOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const hashes = names.map(async ({ name, parentPath }) => {
    const content = await readFile(join(parentPath, name));
    return [name, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries((await Promise.all(hashes)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test.each(demoScenarioNames)('the same seed writes the same bytes, another seed others: %s', async (name) => {
  const [one, same, other] = [join(folder, `${name}-1`), join(folder, `${name}-2`), join(folder, `${name}-3`)];
  const numbers = { rate: 2, minutes: 12 };
  const { truth } = await writeScenario(one, name, numbers);
  expect(await writeScenario(same, name, numbers)).toMatchObject({ truth });
  await writeScenario(other, name, { ...numbers, seed: 7 });
  expect(await hashesOf(same)).toEqual(await hashesOf(one));
  expect(await hashesOf(other)).not.toEqual(await hashesOf(one));
});

interface Correlated {
  readonly report: {
    readonly incidents: readonly { readonly hypotheses: readonly { readonly probability: number }[] }[];
  };
}

const patternsOf = async (path: string): Promise<string[]> => {
  const { findings } = JSON.parse((await faultline('patterns', path, '--json')).out) as {
    findings: { pattern: string }[];
  };
  return findings.map(({ pattern }) => pattern);
};

/** What `correlate` has to put first; null: no rule knows the truth, and the case only has to open whole. */
const expected = {
  'power-sag': { type: 'voltage_sag', subject: { kind: 'pdu', id: 'PDU-B-rack-01' } },
  'gpu-heat': { type: 'fan_failure', subject: { kind: 'server', id: 'gpu-node-02' } },
  batching: null,
  cache: null,
  'bad-deploy': { type: 'service_errors', subject: { kind: 'service', id: 'llama-70b' } },
  // The GPU as the kernel names it; DCGM records its address beside its UUID.
  hang: { type: 'xid_error', subject: { kind: 'gpu', id: 'gpu-node-02/pci-0000:7b:00' } },
  // No service runs on these machines: its history is in Lifecycle.
  'worn-parts': null,
} as const;

describe('as commanded', () => {
  test.each(demoScenarioNames)('opens without rejects, and correlate finds the truth: %s', async (name) => {
    const directory = join(folder, `case-${name}`);
    const made = await faultline('demo', '--scenario', name, directory);
    expect(made.err).not.toMatch(/reject/);
    const began = name === 'worn-parts' ? '2026-03-15T02:00:00.000Z' : '2026-03-14T02:12:00.000Z';
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining(`truth: at ${began}`) });
    const path = join(directory, `${name}.faultline`);
    const rejects = await faultline('info', path, '--json');
    expect(JSON.parse(rejects.out)).toMatchObject({ rejects: 0 });
    const { out } = await faultline('correlate', path, '--output', 'json');
    const truth = expected[name];
    if (truth === null) return;
    const [incident] = (JSON.parse(out) as Correlated).report.incidents;
    expect(incident?.hypotheses[0]).toMatchObject(truth);
    expect(incident?.hypotheses[0]?.probability).toBeGreaterThan(0.8);
    // The pod after it started when the first ones failed already.
    if (name === 'bad-deploy') expect(out).toContain('software rollout on inference/llama-70b-1 shortly before');
    // The process that writes the steps names no rank, and is none more.
    if (name === 'hang') expect((await faultline('jobs', path)).out).toContain('16 ranks, 1 with steps; 2 machines');
    // Heat alone pulls no power brake, also while clocks recover from it.
    if (name === 'gpu-heat') expect(await patternsOf(path)).toEqual(expect.not.arrayContaining(['gpu-power-brake']));
  });

  test('numbers without a scenario, out of range or without meaning are refused', async () => {
    const refused = async (...args: string[]) => (await faultline('demo', '--dir', join(folder, 'none'), ...args)).code;
    expect(await refused('--rate', '3')).toBe(2);
    expect(await refused('--scenario', 'cache', '--rate', '0')).toBe(2);
    expect(await refused('--scenario', 'cache', '--minutes', '1000')).toBe(2);
    expect(await refused('--scenario', 'hang', '--rate', '3')).toBe(2);
    expect(await refused('--scenario', 'worn-parts', '--minutes', '30')).toBe(2);
    expect(await refused('--scenario', 'flood')).toBe(2);
  });
});
