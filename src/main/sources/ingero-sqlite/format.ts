/**
 * Databases of Ingero (https://github.com/ingero-io/ingero, internal/store), schema 0.8 to 0.10: CUDA calls and kernel
 * events traced with eBPF. Times and durations are nanoseconds. Columns came in with the versions (`node` and `rank`
 * with 0.9, `comm` with 0.10; ids were numbers before), so each is read only where it is.
 */
export const columns = {
  events: [
    'id',
    'timestamp',
    'pid',
    'tid',
    'source',
    'op',
    'duration',
    'gpu_id',
    'arg0',
    'arg1',
    'ret_code',
    'stack_hash',
    'node',
    'rank',
    'local_rank',
    'world_size',
    'comm',
    'cgroup_id',
  ],
  causal_chains: [
    'id',
    'detected_at',
    'severity',
    'summary',
    'root_cause',
    'explanation',
    'recommendations',
    'cuda_op',
    'cuda_p99_us',
    'cuda_p50_us',
    'tail_ratio',
    'timeline',
    'confidence',
    'node',
  ],
  system_snapshots: ['timestamp', 'cpu_pct', 'mem_pct', 'mem_avail', 'swap_mb', 'load_avg', 'node'],
  sessions: [
    'started_at',
    'stopped_at',
    'gpu_model',
    'gpu_driver',
    'cpu_model',
    'cpu_cores',
    'mem_total',
    'kernel',
    'os_release',
    'cuda_ver',
    'python_ver',
    'ingero_ver',
    'pid_filter',
    'flags',
    'node',
    'rank',
    'local_rank',
    'world_size',
  ],
  event_aggregates: [
    'bucket',
    'source',
    'op',
    'pid',
    'count',
    'stored',
    'sum_dur',
    'min_dur',
    'max_dur',
    'sum_arg0',
    'node',
  ],
  cgroup_schedstat: ['cgroup_id', 'p99_off_cpu', 'total_off_cpu', 'event_count', 'window_start', 'window_end', 'node'],
  cgroup_metadata: ['cgroup_id', 'container_id', 'cgroup_path', 'pod_name', 'namespace'],
  stack_traces: ['hash', 'frames', 'ips'],
  process_names: ['pid', 'name'],
  sources: ['id', 'name'],
  ops: ['source_id', 'op_id', 'name'],
  schema_info: ['key', 'value'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type TableName = keyof typeof columns;

/** Names that no other program's database has; a third of them must be seen. */
export const marks = [
  'causal_chains',
  'stack_traces',
  'system_snapshots',
  'event_aggregates',
  'cgroup_schedstat',
  'cgroup_metadata',
];

/** Sources of events, should the database not name them (bpf/common.bpf.h, EVENT_SRC_*). */
export const sourceNames: Readonly<Record<string, string>> = {
  '1': 'CUDA',
  '2': 'NVIDIA',
  '3': 'HOST',
  '4': 'DRIVER',
  '5': 'IO',
  '6': 'TCP',
  '7': 'NET',
};
/** Their return code is that of a CUDA call. */
export const cudaSources: ReadonlySet<string> = new Set(['CUDA', 'DRIVER']);

/** A row as SQLite gives it: integers as bigint, whatever the column was declared as. */
export type Row = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' || typeof value === 'number' ? String(value) : '';

/** A whole number of at least 0; undefined for anything else. */
export const countOf = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' && value >= 0n ? value : undefined;

/** A measured number; undefined when there is none. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The parsed value of JSON text; other values unchanged. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** What is known of a row, with whole numbers as JSON writes them. */
export const plainRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      if (value === null || value === undefined || value === '') return [];
      return [[key, typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value]];
    }),
  );
