import type { Grammar, ReadLine } from './grammar.ts';
import { accessLog } from './grammars/access.ts';
import { gin } from './grammars/gin.ts';
import { googleLog } from './grammars/google-log.ts';
import { jsonLine } from './grammars/json-line.ts';
import { logfmt } from './grammars/logfmt.ts';
import { nccl } from './grammars/nccl.ts';
import { nemo } from './grammars/nemo.ts';
import { bareLevel, timedLine } from './grammars/timed.ts';
import { vllm } from './grammars/vllm.ts';

/** The more distinctive ones first; any line that begins with a time is read last. */
const grammars: readonly Grammar[] = [
  jsonLine,
  googleLog,
  nccl,
  nemo,
  vllm,
  gin,
  accessLog,
  logfmt,
  timedLine,
  bareLevel,
];

/** Longer first lines are read up to here, and keep the rest in their body. */
const LONGEST_HEADER_LINE = 1024 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals are control characters
const COLOUR = /\u001b\[[\d;]{0,16}m/g;

/** The first line of a record; undefined: no grammar knows it, so it may go on a record. */
export function readLine(line: string): ReadLine | undefined {
  if (line.length > LONGEST_HEADER_LINE && !line.startsWith('{')) return undefined;
  const plain = line.includes('\u001b[') ? line.replaceAll(COLOUR, '') : line;
  for (const grammar of grammars) {
    const found = grammar.read(plain);
    if (found) return found;
  }
  return undefined;
}
