import { fuzzFor, type Sum } from '../fuzz/fuzz-for.ts';
import { targets } from '../fuzz/targets.ts';
import type { Endurance, Outcome } from './options.ts';

const INPUTS = 1_000_000;
/** Long enough that what a target prepares is a small part of it. */
const ROUND_S = 60;
const LANES = 2;
/** Time limit, also for slow or busy machines. */
const MOST_ROUNDS = 400;

/** Hostile inputs for every decoder, language and call, in turns, until a million have been tried. */
export async function fuzz({ seed, share, print }: Endurance): Promise<Outcome> {
  const goal = Math.round(INPUTS * share);
  const seconds = Math.max(3, ROUND_S * Math.min(1, share * 20));
  const sums = new Map(
    [...targets.keys()].map((id): [string, Sum] => [id, { inputs: 0, rows: 0, rejects: 0, crashes: [] }]),
  );
  const inputs = (): number => [...sums.values()].reduce((all, one) => all + one.inputs, 0);
  for (let round = 0; round < MOST_ROUNDS && inputs() < goal; round++) {
    const waiting = [...targets.keys()];
    const lane = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        // Another seed each round; what was found names its own.
        const found = await fuzzFor(id, { seed: seed + round * 1_000_000, seconds });
        const sum = sums.get(id)!;
        sum.inputs += found.inputs;
        sum.rows += found.rows;
        sum.rejects += found.rejects;
        sum.crashes.push(...found.crashes);
        for (const crash of found.crashes) print(`fuzz: found ${crashText(id, crash)}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    print(`fuzz: ${inputs()} of ${goal}`);
  }
  return {
    figures: [
      ...[...sums].map(
        ([id, { inputs: tried, rows, rejects }]) => `${id}: ${tried} inputs, ${rows} rows, ${rejects} refused`,
      ),
      `${inputs()} inputs of ${goal}`,
    ],
    failures: [...sums].flatMap(([id, { crashes }]) => crashes.map((crash) => crashText(id, crash))),
  };
}

const crashText = (target: string, { seed, file, message }: Sum['crashes'][number]): string =>
  `${target}, seed ${seed}, ${file}: ${message.split('\n')[0]}`;
