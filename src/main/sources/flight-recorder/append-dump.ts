import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import { isMembers, type Members, member, type ProcessGroup } from './format.ts';
import { plainJson } from './plain-json.ts';

/** Members of an entry that have a column; the rest become attributes. */
const columns: ReadonlySet<string> = new Set([
  'process_group',
  'collective_seq_id',
  'p2p_seq_id',
  'profiling_name',
  'state',
  'time_created_ns',
  'time_discovered_started_ns',
  'time_discovered_completed_ns',
  'input_sizes',
  'output_sizes',
]);
const MAX_TIME = 2n ** 63n - 1n;
const MAX_NAME = 1_000;

/**
 * One entry as a `collective` row.
 * @throws ProblemError flight_recorder.entry when it is no entry
 */
export function appendEntry(
  builder: BatchBuilder,
  rank: number,
  groups: ReadonlyMap<string, ProcessGroup>,
  entry: unknown,
): void {
  if (!isMembers(entry)) return fail('flight_recorder.entry', 'the entry is not an object');
  const [group, description] = groupOf(entry);
  const known = groups.get(group);
  const { backend, operation } = operationOf(member(entry, 'profiling_name'));
  const inputs = types(member(entry, 'input_dtypes'));
  const outputs = types(member(entry, 'output_dtypes'));
  const dtype = inputs || outputs;
  builder.table('collective').push({
    rank,
    group_id: builder.name(group),
    group_name: builder.name(description || known?.description || ''),
    group_ranks: builder.name(known?.ranks?.join(',') ?? ''),
    sequence: sequence(member(entry, 'collective_seq_id')),
    p2p_sequence: sequence(member(entry, 'p2p_seq_id')),
    operation: builder.name(operation),
    state: builder.name(text(member(entry, 'state'))),
    created_ns: time(entry, 'time_created_ns'),
    started_ns: time(entry, 'time_discovered_started_ns'),
    completed_ns: time(entry, 'time_discovered_completed_ns'),
    dtype: builder.name(dtype),
    input_sizes: sizes(member(entry, 'input_sizes')),
    output_sizes: sizes(member(entry, 'output_sizes')),
    attributes: attributesText({ backend, ...remaining(entry, dtype === inputs && dtype === outputs) }),
  });
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_NAME) : typeof value === 'number' ? String(value) : '';

/** Id and purpose of the process group: the pair in `process_group`, else the number that this rank gives it. */
function groupOf(entry: Members): readonly [id: string, description: string] {
  const pair = member(entry, 'process_group');
  if (Array.isArray(pair) && pair.length > 0) return [text(pair[0]), text(pair[1])];
  return [text(pair) || text(member(entry, 'pg_id')), ''];
}

/** `nccl:all_reduce` in its two parts; the backend is nccl, ncclx, gloo, xccl, ... */
function operationOf(name: unknown): { readonly backend: string; readonly operation: string } {
  if (typeof name !== 'string' || name === '') return fail('flight_recorder.entry', 'the entry names no operation');
  const [, backend = '', operation = ''] = /^(?:([a-z]\w*):)?(.*)$/s.exec(name.slice(0, MAX_NAME)) ?? [];
  return { backend, operation };
}

function sequence(value: unknown): bigint {
  if (typeof value === 'bigint') return value > MAX_TIME || value < 0n ? -1n : value;
  return Number.isInteger(value) && Math.abs(value as number) < 9e18 ? BigInt(value as number) : -1n;
}

/** Nanoseconds since 1970; 0 where the recorder had none (None in pickles, 0 in JSON). */
function time(entry: Members, key: string): bigint {
  const value = member(entry, key);
  if (value === undefined || value === null) return 0n;
  const known = typeof value === 'bigint' || Number.isInteger(value) ? BigInt(value as number) : -1n;
  return known < 0n || known > MAX_TIME ? fail('flight_recorder.entry', `${key} is not a time`) : known;
}

/** Element types, each once: `BFloat16`. */
function types(value: unknown): string {
  const list = Array.isArray(value) ? value : [];
  return [...new Set(list.slice(0, 64).map(text))].filter((name) => name !== '').join(',');
}

const sizes = (value: unknown): string => (Array.isArray(value) ? JSON.stringify(plainJson(value)) : '');

/** In the order of their names, so that pickle and JSON of one dump give equal rows. */
function remaining(entry: Members, hasTypes: boolean): Record<string, unknown> {
  const rest: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(entry).sort()) {
    const value = entry[key];
    const isMapped = columns.has(key) || (hasTypes && (key === 'input_dtypes' || key === 'output_dtypes'));
    if (!isMapped && value !== null) rest[key] = plainJson(value);
  }
  return rest;
}

/** Attributes of the rank from the head of a dump: versions and the state of its groups. */
export function rankAttributes(head: Members, path: string, entries: number): string {
  const { pg_config: _config, pg_status, ...rest } = head;
  const status = isMembers(pg_status) ? Object.fromEntries(Object.entries(pg_status).map(numbered)) : undefined;
  return attributesText({
    'flight_recorder.dump': path,
    'flight_recorder.entries': entries,
    'flight_recorder.head': plainJson(rest),
    'flight_recorder.pg_status': plainJson(status),
  });
}

/** Pickles hold numbers where JSON holds texts. */
function numbered([key, value]: [string, unknown]): [string, unknown] {
  if (!isMembers(value)) return [key, value];
  const counts = Object.entries(value).map(([name, count]) => [
    name,
    typeof count === 'string' ? Number(count) : count,
  ]);
  return [key, Object.fromEntries(counts)];
}
