import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { contract, type ProcedureName } from '../src/model/contract/index.ts';
import { ProblemError } from '../src/model/problem.ts';
import { openApp } from './open-app.ts';
import { valuesOf } from './schema-values.ts';
import type { HostileInput, Tally, Target } from './target.ts';

/** These write into the keychain of whoever runs this. */
const leftOut: ReadonlySet<string> = new Set(['capture.keep_secret', 'capture.forget_secret']);
const names = (Object.keys(contract) as ProcedureName[]).filter((name) => !leftOut.has(name));
/** Streams that last until nobody listens are left after this. */
const LISTEN_MS = 30;
/** No statement that made-up SQL runs is given longer. */
const MOST_MS = 2000;

const big = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { big: `${value}` } : value instanceof Uint8Array ? { bytes: [...value] } : value;
const unbig = (_: string, value: unknown): unknown => {
  const { big: digits, bytes } = (value ?? {}) as { big?: unknown; bytes?: unknown };
  if (typeof digits === 'string' && /^-?\d+$/.test(digits)) return BigInt(digits);
  return Array.isArray(bytes) ? Uint8Array.from(bytes as number[]) : value;
};

/** Every call of the contract with right and wrong inputs, on the demo: an answer as promised, or an expected failure. */
export async function callTarget(): Promise<Target> {
  const app = openApp();
  process.once('exit', () => rmSync(app.root, { recursive: true, force: true }));
  await app.api['case.open_demo']({});
  const lanes = await app.api['timeline.lanes']({});
  const incidents = await app.api['incidents.list']({});
  const nodes = (await app.api['topology.get']({})).nodes.map(({ key }) => key);
  const recent = (await app.api['case.recent']({})).map(({ id }) => id);
  const words = [
    ...lanes.slice(0, 20).map(({ id }) => id),
    ...incidents.map(({ incident }) => incident.id),
    ...nodes.slice(0, 20),
    ...recent,
    'span',
    'event',
    'select * from events',
    '{ status = error }',
    'pdu',
  ];
  const inputs = fc.oneof(
    ...names.map((name) =>
      valuesOf(contract[name].input, words).map((input): HostileInput => {
        const bytes = Buffer.from(JSON.stringify({ name, input }, big) ?? '{}');
        return { origin: name, path: name, bytes, siblings: {}, piece: 1 };
      }),
    ),
  );
  const check = async ({ bytes }: HostileInput): Promise<Tally> => {
    let lastCall: { readonly name: ProcedureName; readonly input: unknown };
    try {
      lastCall = JSON.parse(Buffer.from(bytes).toString(), unbig);
    } catch {
      return { rows: 0, rejects: 1 }; // Made smaller beyond what is a call.
    }
    if (!(lastCall?.name in contract)) return { rows: 0, rejects: 1 };
    return call(app.api[lastCall.name] as Call, lastCall);
  };
  return { id: 'calls', inputs, check };
}

type Call = (input: unknown, context: { readonly signal: AbortSignal }) => unknown;

async function call(
  procedure: Call,
  { name, input }: { readonly name: ProcedureName; readonly input: unknown },
): Promise<Tally> {
  const isStream = contract[name].kind === 'stream';
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error('long enough')), isStream ? LISTEN_MS : MOST_MS);
  try {
    const answer = procedure(input, { signal: stop.signal });
    if (isStream) for await (const event of answer as AsyncIterable<unknown>) promised(name, event);
    else promised(name, await answer);
    return { rows: 1, rejects: 0 };
  } catch (error) {
    if (error instanceof ProblemError || stop.signal.aborted) return { rows: 0, rejects: 1 };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function promised(name: ProcedureName, answer: unknown): void {
  const parsed = contract[name].output.safeParse(answer);
  if (!parsed.success)
    throw new Error(
      `${name} answered otherwise than it promises: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}`,
    );
}
