import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faultline, start } from '../test/support/command-line.ts';
import { emptyCase, statOf, TICKS_PER_S, usedBytes } from './capture-process.ts';
import { print, thousands } from './figures.ts';

const AGENTS = 50;
const OUTLETS = 20;
/** Current and power of each outlet. */
const SENSORS = AGENTS * OUTLETS * 2;
/** Fifty agents are learned, and their first values are written. */
const SETTLING_MS = 8000;

/** `faultline capture` of PDUs that are polled by SNMP once a second. */
export async function benchAgents(folder: string, seconds: number): Promise<void> {
  console.log(`\n${AGENTS} SNMP agents with ${thousands(SENSORS)} sensors at 1 Hz for ${seconds} s`);
  const racks = spawn(process.execPath, [join(import.meta.dirname, 'snmp-agents.ts'), `${AGENTS}`, `${OUTLETS}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ports = await new Promise<string[]>((resolve) =>
      racks.stdout.once('data', (line) => resolve(String(line).trim().split(' '))),
    );
    const [plan, path] = [join(folder, 'agents.yaml'), join(folder, 'agents.faultline')];
    await writeFile(
      plan,
      `feeds:\n${ports.map((port) => `  - {kind: snmp, host: 127.0.0.1, port: ${port}}`).join('\n')}\n`,
    );
    const child = start('capture', plan, '--case', path);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdout?.resume();
    let output = '';
    child.stdout?.on('data', (text) => (output += text));
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    const before = statOf(child);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const after = statOf(child);
    const passed = (performance.now() - from) / 1000;
    const until = Date.now();
    child.kill('SIGINT');
    await ended;
    const span = `between ${until - seconds * 1000} * 1000000 and ${until} * 1000000`;
    const count = `select count(*) filter (time_ns ${span})::integer as n, count(*)::integer as whole from metrics where metric in ('hw.current', 'hw.power')`;
    const [{ n, whole }] = JSON.parse((await faultline('query', path, count, '--format', 'json')).out) as [
      { n: number; whole: number },
    ];
    const bytes = ((await usedBytes(path)) - (await emptyCase(folder))) / whole;
    print(
      '  processor',
      `${((100 * (after.ticks - before.ticks)) / TICKS_PER_S / passed).toFixed(1)} %`,
      'of one core',
    );
    print('  resident', `${Math.round(after.resident / 1e6)} MB`, '');
    print('  kept', `${thousands(n / seconds)} samples/s`, `of ${thousands(SENSORS)} asked`);
    print('  on disk', `${bytes.toFixed(1)} B/sample`, '');
    print(
      '  lost',
      `${[...output.matchAll(/(\d+) records lost/g)].reduce((sum, [, lost]) => sum + Number(lost), 0)}`,
      'records',
    );
  } finally {
    racks.kill();
  }
}
