// `npm run fuzz -- [--seconds N] [--seed S] [FORMAT...]`: hostile inputs for every decoder, and how each took them.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzzFor, type Sum } from './fuzz-for.ts';
import { targets } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '300' }, seed: { type: 'string' } },
});
const selected = positionals.length > 0 ? positionals : [...targets.keys()];
const unknown = selected.filter((id) => !targets.has(id));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are: ${[...targets.keys()].join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? randomInt(2 ** 30));
const seconds = Number(values.seconds) / selected.length;
console.log(`seed ${seed}, ${seconds.toFixed(1)} s for each of ${selected.length}`);

const total: Sum = { inputs: 0, rows: 0, rejects: 0, crashes: [] };
const line = (name: string, { inputs, rows, rejects, crashes }: Sum): string =>
  `${name.padEnd(18)}${`${inputs} inputs`.padStart(16)}${`${rows} rows`.padStart(16)}${`${rejects} rejects`.padStart(17)}${`${crashes.length} crashes`.padStart(12)}`;
for (const id of selected) {
  const sum = await fuzzFor(id, { seed, seconds });
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
