import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flightRecorder } from '../../src/main/sources/flight-recorder/index.ts';
import { decodePickle } from '../../src/main/sources/flight-recorder/pickle.ts';
import { rankInName } from '../../src/main/sources/flight-recorder/rank-in-name.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

type Tree = Readonly<Record<string, Uint8Array | string>>;

const fixtures = join(import.meta.dirname, '../../fixtures/flight-recorder');
const folder = (path: string): Tree =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => rankInName(name).rank !== undefined && name !== 'proto4')
      .map((name) => [name, readFileSync(join(path, name))]),
  );
const read = (tree: Tree, name = 'set') => readSource(flightRecorder, tree, { name });

/** One entry as PyTorch writes it to JSON. */
const entry = (over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  record_id: 7,
  pg_id: 3,
  process_group: ['74', 'EXPERT_MODEL_PARALLEL_GROUP'],
  collective_seq_id: 20530,
  p2p_seq_id: 0,
  op_id: 20530,
  profiling_name: 'nccl:all_reduce',
  time_created_ns: 1758610505592849034n,
  input_sizes: [[4096, 5120]],
  input_dtypes: ['BFloat16'],
  output_sizes: [[4096, 5120]],
  output_dtypes: ['BFloat16'],
  state: 'started',
  time_discovered_started_ns: 0,
  time_discovered_completed_ns: 0,
  retired: false,
  timeout_ms: 180000,
  is_p2p: false,
  ...over,
});
const dump = (entries: readonly unknown[], ranks = '[0, 1]', more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify(
    {
      version: '2.10',
      comm_lib_version: '2.27.5',
      pg_config: { '74': { name: '74', desc: 'EXPERT_MODEL_PARALLEL_GROUP', ranks } },
      pg_status: { '3': { last_enqueued_collective: '1', last_started_collective: '-1' } },
      entries,
      ...more,
    },
    (_, value: unknown) => (typeof value === 'bigint' ? `#${value}#` : value),
  ).replace(/"#(\d+)#"/g, '$1');

/** Collectives without the file's own name for its job. */
const collectives = ({ rows }: Reading) => rows.collective;

test('an entry becomes a row with its group, sequence and sizes; the rest stays in its attributes', async () => {
  const reading = await read(
    { nccl_trace_rank_1: dump([entry({ frames: [{ name: 'step', line: 4 }] })]) },
    'incident-7/nccl_trace_rank_1',
  );
  const [row] = collectives(reading);
  expect(row).toMatchObject({
    rank: 'rank:incident-7/rank-1',
    group_id: '74',
    group_name: 'EXPERT_MODEL_PARALLEL_GROUP',
    group_ranks: '0,1',
    sequence: 20530n,
    p2p_sequence: 0n,
    operation: 'all_reduce',
    state: 'started',
    created_ns: 1758610505592849034n,
    started_ns: 0n,
    completed_ns: 0n,
    dtype: 'BFloat16',
    input_sizes: '[[4096,5120]]',
    output_sizes: '[[4096,5120]]',
  });
  expect(JSON.parse(row?.attributes as string)).toEqual({
    backend: 'nccl',
    frames: [{ name: 'step', line: 4 }],
    is_p2p: false,
    op_id: 20530,
    pg_id: 3,
    record_id: 7,
    retired: false,
    timeout_ms: 180000,
  });
  const known = JSON.parse(reading.entities.get('rank:incident-7/rank-1')!.attributes) as Record<string, unknown>;
  expect(known['flight_recorder.pg_status']).toEqual({
    '3': { last_enqueued_collective: 1, last_started_collective: -1 },
  });
  expect(reading.rows.edge).toContainEqual(
    expect.objectContaining({ from_entity: 'rank:incident-7/rank-1', kind: 'member_of', to_entity: 'job:incident-7' }),
  );
});

test('the rank is read from any usual file name', () => {
  const ranks = [
    'nccl_trace_rank_3.json',
    'rank3.pkl',
    'tmp/_dump_12',
    'trace.rank-07.2024.pkl',
    'nccl_trace_rank_0.json.gz',
  ];
  expect(ranks.map((name) => rankInName(name).rank)).toEqual([3, 3, 12, 7, 0]);
  expect(rankInName('rank').rank).toBeUndefined();
});

test('without a rank in its name, the groups of a dump identify its rank', async () => {
  const groups = { '74': { name: '74', ranks: '[4, 5]' }, '8': { name: '8', desc: 'DP', ranks: [1, 5] } };
  const reading = await read({ dump: dump([entry()], '', { pg_config: groups }) });
  expect(collectives(reading)[0]).toMatchObject({ rank: 'rank:set/rank-5' });
  // A date is no rank either.
  const dated = await read({ 'dump_20240115.json': dump([entry()], '', { pg_config: groups }) });
  expect(collectives(dated)[0]).toMatchObject({ rank: 'rank:set/rank-5' });
  const unknown = await read({ dump: dump([entry()]) });
  expect(collectives(unknown)[0]).toMatchObject({ rank: 'process:dump' });
  expect(unknown.remarks[0]).toMatch(/identify its rank/);
});

test('dumps with the same name prefix are one source; pickle and JSON apart, folders apart', () => {
  const pickle = new FileHead(Uint8Array.of(0x80, 2));
  const json = new FileHead(Buffer.from('{'));
  const root = flightRecorder.gather!.root;
  expect(root('a/_dump_1', pickle)).toBe(root('a/_dump_12', pickle));
  expect(new Set([root('a/_dump_1', pickle), root('b/_dump_1', pickle), root('a/_dump_1', json)]).size).toBe(3);
});

test('ranks that left no dump are named', async () => {
  const reading = await read({
    'job/trace_rank_0': dump([entry()], '[0, 1, 2]'),
    'job/trace_rank_2': dump([], '[0, 1, 2]'),
  });
  expect(reading.remarks).toEqual(['no dump of 1 of 3 ranks: 1']);
  const job = [...reading.entities].find(([id]) => id.startsWith('job:'));
  expect(JSON.parse(job![1].attributes)).toEqual({
    'flight_recorder.ranks': 3,
    'flight_recorder.ranks_without_dump': [1],
  });
  expect([...reading.entities.keys()].filter((key) => /^rank:.+\/rank-1$/.test(key))).toHaveLength(1);
});

describe('detection', () => {
  const detect = (text: string) => flightRecorder.detect(new FileHead(Buffer.from(text)));
  test('by keys in any order, cut anywhere', () => {
    expect(detect(dump([entry()]))).toBe(true);
    expect(detect(dump([entry()]).slice(0, 300))).toBe(true);
    expect(detect(dump([], '', { entries: undefined }))).toBe(true);
    expect(detect(`{"comm_lib_version":"2","entries":[{"collective_seq_id":1,"duration_ms":2,"pg_id":3,"pr`)).toBe(
      true,
    );
  });
  test('other files are left alone', () => {
    for (const text of ['', '{', '[]', '{"entries":[]}', '{"entries":[{"id":1}],"version":"1"}', '{"traceEvents":[]}'])
      expect(detect(text)).toBe(false);
    expect(flightRecorder.detect(new FileHead(Buffer.from('80027d71002e', 'hex')))).toBe(false);
    expect(flightRecorder.detect(new FileHead(Buffer.from('8002', 'hex')))).toBe(false);
  });
});

describe('hostile JSON', () => {
  test('bad entries are rejects and their neighbours stay', async () => {
    const bad = [
      7,
      null,
      [],
      entry({ profiling_name: undefined }),
      entry({ time_created_ns: 'soon' }),
      entry({ time_created_ns: -5 }),
      entry({ time_created_ns: 1e300 }),
    ];
    const reading = await read({ r_0: dump([...bad, entry()]) });
    expect(reasonsOf(reading)).toHaveLength(bad.length);
    expect(collectives(reading)).toHaveLength(1);
  });
  test('strange values do not pass as numbers, and prototype keys are only keys', async () => {
    const text = dump([
      entry({ collective_seq_id: 1.5, p2p_seq_id: 1e30, process_group: [{}, 5], input_dtypes: 'x', input_sizes: {} }),
    ]).replace('"retired":false', '"__proto__":{"a":1},"constructor":"c","retired":false');
    const [row] = collectives(await read({ r_0: text }));
    expect(row).toMatchObject({ sequence: -1n, p2p_sequence: -1n, group_id: '', group_name: '5', input_sizes: '' });
    expect(row?.attributes).toContain('"constructor":"c"');
  });
  test('a truncated file keeps its complete records', async () => {
    const text = dump([entry(), entry()]);
    const reading = await read({ r_0: text.slice(0, text.lastIndexOf('"state"')) });
    expect(collectives(reading)).toHaveLength(1);
    expect(reasonsOf(reading)).toHaveLength(1);
  });
  test('a file of another kind is refused', async () => {
    await expect(read({ r_0: '{"a":1}' })).rejects.toThrow(ProblemError);
  });
});

/** A pickle by hand: bytes and texts one after another. */
const bytes = (...parts: readonly (number | string)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part, 'latin1'))));
const codeOf = (pickle: Uint8Array): string => {
  try {
    decodePickle(pickle, 'p');
    return '';
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `${error.problem.code}: ${error.problem.message}`;
  }
};

describe('pickles', () => {
  test('plain data of every kind', () => {
    // {'a': (1, -1, 65535), 'b': [None, True, False, 0.5, 2**64]}
    const pickle = bytes(
      0x80,
      2,
      '}(X',
      1,
      0,
      0,
      0,
      'aK',
      1,
      'J',
      255,
      255,
      255,
      255,
      'M',
      255,
      255,
      0x87,
      'X',
      1,
      0,
      0,
      0,
      'b](N',
      0x88,
      0x89,
      'G',
      0x3f,
      0xe0,
      0,
      0,
      0,
      0,
      0,
      0,
      0x8a,
      9,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      1,
      'eu.',
    );
    expect(decodePickle(pickle, 'p')).toEqual({ a: [1, -1, 65535], b: [null, true, false, 0.5, 2n ** 64n] });
  });

  test.each([
    ['GLOBAL', bytes(0x80, 2, 'cos\nsystem\n', '.')],
    ['STACK_GLOBAL', bytes(0x80, 4, 0x8c, 2, 'os', 0x8c, 6, 'system', 0x93, '.')],
    ['REDUCE', bytes(0x80, 2, 'N)R.')],
    ['BUILD', bytes(0x80, 2, '}}b.')],
    ['INST', bytes(0x80, 2, '(ios\nsystem\n.')],
    ['OBJ', bytes(0x80, 2, '(No.')],
    ['NEWOBJ', bytes(0x80, 2, 'N)', 0x81, '.')],
    ['NEWOBJ_EX', bytes(0x80, 4, 'N)}', 0x92, '.')],
    ['EXT1', bytes(0x80, 2, 0x82, 1, '.')],
    ['EXT2', bytes(0x80, 2, 0x83, 1, 0, '.')],
    ['EXT4', bytes(0x80, 2, 0x84, 1, 0, 0, 0, '.')],
    ['PERSID', bytes(0x80, 2, 'Px\n.')],
    ['BINPERSID', bytes(0x80, 2, 'NQ.')],
  ])('%s is refused by its name', (name, pickle) => {
    expect(codeOf(pickle)).toMatch(`pickle.forbidden: p is a pickle that would run code (${name} at byte`);
  });

  test.each([
    ['a length beyond the end', bytes(0x80, 2, 'X', 255, 255, 255, 127, 'a.')],
    ['a length of 2^63', bytes(0x80, 4, 0x8d, 0, 0, 0, 0, 0, 0, 0, 128, 'a.')],
    ['a frame beyond the end', bytes(0x80, 4, 0x95, 255, 0, 0, 0, 0, 0, 0, 0, '.')],
    ['an integer of 255 bytes', bytes(0x80, 2, 0x8a, 255, '0'.repeat(255), '.')],
    ['nothing to end with', bytes(0x80, 2, '.')],
    ['no end', bytes(0x80, 2, '}')],
    ['an unwritten memo', bytes(0x80, 2, 'h', 7, '.')],
    ['a missing mark', bytes(0x80, 2, ']e.')],
    ['values from below a mark', bytes(0x80, 2, 'N(a.')],
    ['a key without a value', bytes(0x80, 2, '}(Nu.')],
    ['a list as key', bytes(0x80, 2, '}]Ns.')],
    ['appending to a number', bytes(0x80, 2, 'K', 1, 'Na.')],
    ['tuples inside tuples without end', bytes(0x80, 2, 'N', '\x85'.repeat(100_000), '.')],
    ['marks without end', bytes(0x80, 2, '('.repeat(100_000), '.')],
    ['a list that holds itself', bytes(0x80, 2, ']q', 0, 'h', 0, 'a.')],
    ['a list inside a tuple inside itself', bytes(0x80, 2, ']q', 0, 'h', 0, 0x85, 'a.')],
    ['lists that grow downwards', bytes(0x80, 2, ']q', 0, ']q', 1, 'ah', 1, ']a.')],
    ['an unknown opcode', bytes(0x80, 2, 0xff, '.')],
  ])('%s is malformed', (_, pickle) => {
    expect(codeOf(pickle)).toMatch(/^pickle\.malformed/);
  });

  test('opcodes that no dump has are refused as well', () => {
    expect(codeOf(bytes(0x80, 2, 'I5\n.'))).toMatch(/^pickle\.unsupported.*INT/);
  });

  test('`__proto__` is a key like any other', () => {
    const value = decodePickle(bytes(0x80, 2, '}X', 9, 0, 0, 0, '__proto__K', 1, 's.'), 'p') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  test('one value mentioned a thousand times does not become a thousand copies of any size', async () => {
    const text = (name: string) => bytes('X', name.length, 0, 0, 0, name);
    const large = bytes(']q', 1, '(', 'K\x01'.repeat(200_000), 'e');
    const one = bytes(
      '}(',
      Buffer.from(text('profiling_name')).toString('latin1'),
      'X',
      1,
      0,
      0,
      0,
      'a',
      Buffer.from(text('input_sizes')).toString('latin1'),
      'h',
      1,
      'u',
    );
    const pickle = Buffer.concat([
      bytes(0x80, 2, '}('),
      text('pg_config'),
      bytes('}'),
      text('x'),
      large,
      text('entries'),
      bytes(']('),
      ...Array.from({ length: 50 }, () => one),
      bytes('eu.'),
    ]);
    const reading = await read({ r_0: pickle });
    expect(collectives(reading)).toHaveLength(50);
    expect(String(collectives(reading)[0]?.input_sizes).length).toBeLessThan(60_000);
  });

  test('any bytes changed are rows, rejects or one expected failure', async () => {
    const good = readFileSync(join(fixtures, 'gpu-error-expert-group/_dump_13'));
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return seed % below;
    };
    for (let i = 0; i < 400; i++) {
      const bad = Buffer.from(good);
      for (let change = 0; change <= i % 4; change++) bad[random(bad.length)] = random(256);
      await read({ _dump_13: bad }).catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
      });
    }
  });

  test('a pickle that would run code is recognised, and refused by name', async () => {
    const good = readFileSync(join(fixtures, 'gpu-error-expert-group/_dump_13'));
    const evil = Buffer.concat([good.subarray(0, 2), bytes('cos\nsystem\n(X', 2, 0, 0, 0, 'lstR0'), good.subarray(2)]);
    expect(flightRecorder.detect(new FileHead(evil))).toBe(true);
    await expect(read({ _dump_13: evil })).rejects.toThrow('would run code (GLOBAL at byte 2)');
    // Beside sound dumps it is a reject, and they are read.
    const reading = await read({
      _dump_13: evil,
      _dump_12: readFileSync(join(fixtures, 'gpu-error-expert-group/_dump_12')),
    });
    expect(reasonsOf(reading)[0]).toContain('pickle.forbidden');
    expect(collectives(reading).length).toBeGreaterThan(0);
  });
});

test('pickle and JSON of the same dumps give equal rows', async () => {
  const pickle = await read(folder(join(fixtures, 'gpu-error-expert-group')));
  const json = await read(folder(join(fixtures, 'gpu-error-expert-group-json')));
  expect(pickle.rows.collective.length).toBe(101);
  expect(json.rows).toEqual(pickle.rows);
  expect(json.remarks).toEqual(pickle.remarks);
});

test('all 16 ranks of the recorded incident: pickle and JSON are equal, nothing is rejected', async () => {
  const pickles = sharedData('nccl-fr/nvrx/gpu_error_1st');
  const documents = sharedData('nccl-fr/derived-json/gpu_error_1st');
  const pickle = await read(folder(pickles));
  expect(pickle.rows.reject).toEqual([]);
  expect(pickle.remarks).toEqual([]);
  expect(new Set(pickle.rows.collective.map(({ rank }) => rank)).size).toBe(16);
  expect((await read(folder(documents))).rows).toEqual(pickle.rows);
});

test('protocols 2 and 4 of the same dumps give equal rows, with times and frames', async () => {
  const two = sharedData('nccl-fr/synthetic/hang_rank5_timing');
  const four = sharedData('nccl-fr/synthetic/hang_rank5_timing/proto4');
  const reading = await read(folder(two));
  expect((await read(folder(four))).rows.collective).toEqual(reading.rows.collective);
  const stuck = reading.rows.collective.filter(({ sequence }) => sequence === 119n);
  expect(stuck.filter(({ rank }) => String(rank).endsWith('/rank-5'))).toEqual([]);
  expect(stuck).toHaveLength(7);
  expect(stuck[0]).toMatchObject({ state: 'started', operation: 'all_reduce', completed_ns: 0n });
  expect(stuck[0]?.started_ns).toBeGreaterThan(1767225629750000000n);
  expect(JSON.parse(stuck[0]?.attributes as string).frames[2].name).toBe('train_step');
});
