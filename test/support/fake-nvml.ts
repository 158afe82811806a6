import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './core.ts';

export const hasCompiler = spawnSync('cc', ['--version']).status === 0;

export interface FakeNvml {
  /** To be named in a plan. */
  readonly library: string;
  /** Lines of `WORD GPU VALUE` (fake-nvml.c). */
  set(...lines: readonly string[]): Promise<void>;
  /** An event of nvmlEventType* beside what was set. */
  happen(gpu: number, type: number, data: number, instance?: number): Promise<void>;
}

/** A library with NVML's ABI, compiled for this test. */
export async function fakeNvml(...options: readonly string[]): Promise<FakeNvml> {
  const folder = await temporaryFolder();
  const [library, state] = [join(folder, 'libfake-nvml.so'), join(folder, 'state')];
  const source = join(import.meta.dirname, 'fake-nvml.c');
  const flags = ['-shared', '-fPIC', '-O1', '-fvisibility=hidden', `-DSTATE="${state}"`, ...options];
  execFileSync('cc', [...flags, '-o', library, source]);
  const events: string[] = [];
  return {
    library,
    set: (...lines) => writeFile(state, `${[...lines, ...events].join('\n')}\n`),
    happen: async (gpu, type, data, instance = -1) => {
      const line = `event ${gpu} ${type} ${data} ${instance}`;
      events.push(line);
      await appendFile(state, `${line}\n`);
    },
  };
}

/** Values of a healthy H100 of such a machine. */
export const healthy = (gpu: number): string[] =>
  [
    'reasons G 0x4',
    'power G 652340',
    'limit G 700000',
    'energy G 5000000123456',
    'temperature G 64',
    'margin G 22',
    'threshold-0 G 92',
    'threshold-1 G 89',
    'threshold-3 G 87',
    'clock-0 G 1980',
    'clock-1 G 1980',
    'clock-2 G 2619',
    'utilization G 99',
    'memory-utilization G 41',
    'memory G 60129542144',
    'pstate G 0',
    'replays G 3',
    'ecc-0-0 G 2',
    'ecc-1-1 G 1',
    'pcie-tx G 1000',
    'pcie-rx G 2000',
    'field-82 G 70',
    'field-186 G 660000',
    'field-142 G 4',
    'field-144 G 1',
    'field-74 G 123456789012',
    'field-230 G 2',
    'field-138 G 1000000',
    'link-0 G 1',
    'link-1 G 0',
    'link-0-errors-0 G 7',
    'events G 0xffff',
  ].map((line) => line.replace(' G ', ` ${gpu} `));
