// `npm run fuzz -- [--seconds N] [--seed S] [FORMAT...]`: hostile inputs for every decoder, and how each took them.
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { renameSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Message, Order } from './child.ts';
import type { Crash } from './run-target.ts';
import { targets } from './targets.ts';

/** An input that takes longer counts as a crash. */
const HANG_MS = 20_000;
/** An input that needs more counts as a crash too. */
const HEAP_MIB = 1500;

interface Sum {
  inputs: number;
  rows: number;
  rejects: number;
  readonly crashes: Crash[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '300' }, seed: { type: 'string' } },
});
const chosen = positionals.length > 0 ? positionals : [...targets.keys()];
const unknown = chosen.filter((id) => !targets.has(id));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are: ${[...targets.keys()].join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? randomInt(2 ** 30));
const seconds = Number(values.seconds) / chosen.length;
console.log(`seed ${seed}, ${seconds.toFixed(1)} s for each of ${chosen.length}`);

/** A process for as long as it lives; what ends it early is a crash, and the next seed goes on. */
function fuzzInProcess(order: Order, sum: Sum): Promise<number | null> {
  const child = fork(new URL('./child.ts', import.meta.url), {
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MIB}`],
    silent: true,
  });
  let last: Extract<Message, { kind: 'begun' }> | undefined;
  let complaint = '';
  let hung = false;
  const onHang = (): void => {
    hung = true;
    child.kill('SIGKILL');
  };
  let watch = setTimeout(onHang, HANG_MS);
  child.stderr?.on('data', (text: Buffer) => {
    complaint = (complaint + text.toString()).slice(-2000);
  });
  child.on('message', (message: Message) => {
    clearTimeout(watch);
    watch = setTimeout(onHang, HANG_MS);
    if (message.kind === 'begun') {
      last = message;
      return;
    }
    sum.inputs += message.inputs;
    sum.rows += message.rows;
    sum.rejects += message.rejects;
    if (message.crash) sum.crashes.push(message.crash);
  });
  child.send(order);
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      clearTimeout(watch);
      if (code === 0) return resolve(null);
      const next = last?.seed ?? order.seed;
      const file = last ? `${last.file.replace(/-now$/, '')}-${next}` : '';
      if (last) for (const end of ['', '.json']) renameSync(last.file + end, file + end);
      const message = hung ? `no end after ${HANG_MS / 1000} s` : `the process died (${code ?? signal}): ${complaint}`;
      sum.crashes.push({ seed: next, message, file });
      resolve(last ? next + 1 : null);
    });
  });
}

const total: Sum = { inputs: 0, rows: 0, rejects: 0, crashes: [] };
const line = (name: string, { inputs, rows, rejects, crashes }: Sum): string =>
  `${name.padEnd(18)}${`${inputs} inputs`.padStart(16)}${`${rows} rows`.padStart(16)}${`${rejects} rejects`.padStart(17)}${`${crashes.length} crashes`.padStart(12)}`;
for (const id of chosen) {
  const sum: Sum = { inputs: 0, rows: 0, rejects: 0, crashes: [] };
  const until = Date.now() + seconds * 1000;
  for (let next: number | null = seed; next !== null && Date.now() < until; )
    next = await fuzzInProcess({ id, seed: next, seconds: (until - Date.now()) / 1000 }, sum);
  console.log(line(id, sum));
  for (const crash of sum.crashes)
    console.log(`  seed ${crash.seed}, input ${crash.file}\n  ${crash.message.replaceAll('\n', '\n  ')}`);
  total.inputs += sum.inputs;
  total.rows += sum.rows;
  total.rejects += sum.rejects;
  total.crashes.push(...sum.crashes);
}
console.log(line('total', total));
process.exitCode = total.crashes.length > 0 ? 1 : 0;
