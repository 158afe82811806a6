import { sources } from '../src/main/sources/index.ts';
import { archiveTarget } from './archives.ts';
import { callTarget } from './calls.ts';
import { decoderTarget } from './decoder.ts';
import { languages } from './languages.ts';
import type { Target } from './target.ts';
import { valueTarget } from './values.ts';

/** Everything under fuzz, by id: decoders, archives, what people write, what pages call; made when asked for. */
export const targets: ReadonlyMap<string, () => Promise<Target>> = new Map([
  ...sources.map((source) => [source.id, () => decoderTarget(source)] as const),
  ['files', async () => archiveTarget()],
  ...languages,
  ['calls', callTarget],
  ['values', valueTarget],
]);
