// `npm run endure -- [--only PARTS] [--target pull] [--share 0.1] [--seed S]`: kills, damage, fuzz, a day of capture; prints figures, ends with 1 on any failure.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { damage } from './damage.ts';
import { day } from './day.ts';
import { fuzz } from './fuzz.ts';
import { kills } from './kills.ts';
import type { Endurance, Outcome } from './options.ts';

const parts: Readonly<Record<string, (with_: Endurance) => Promise<Outcome>>> = { kills, damage, fuzz, day };

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    share: { type: 'string', default: '1' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const selected = values.only?.split(',') ?? Object.keys(parts);
let failed = 0;
for (const name of selected) {
  const part = parts[name];
  if (!part) throw new Error(`there is no ${name}; there are: ${Object.keys(parts).join(', ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'faultline-endure-'));
  const from = Date.now();
  try {
    const print = (line: string) => console.log(line);
    const { figures, failures } = await part({
      seed: Number(values.seed),
      share: Number(values.share),
      folder,
      target: values.target,
      print,
    });
    console.log(`== ${name}, seed ${values.seed}, ${Math.round((Date.now() - from) / 1000)} s`);
    for (const line of figures) console.log(`   ${line}`);
    for (const line of failures) console.log(`   FAILED ${line}`);
    failed += failures.length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
process.exitCode = failed > 0 ? 1 : 0;
