import { csvFields } from '../../../base/csv-reader.ts';
import { parseLocalTime, secondsToNanos } from '../../../model/local-time.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type SourceFile, type SourceInput } from '../../../model/storage/source.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { nanos, parseTime } from '../../../model/time.ts';
import { readLines } from '../bytes/lines.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { type EnergyReading, powerBetween } from './energy-counter.ts';
import { NO_LIMIT_W } from './format.ts';
import { HostEntities } from './host-entities.ts';

/**
 * Two CSV forms. A series of counters: a time, then columns `<zone> <attribute>` such as `package-0 energy_uj`,
 * `intel-rapl:0:1 energy_uj`, `package-0/dram power_w`, `psys power_uw`, `package-1 power_limit_uw`. And CodeCarbon's
 * load profiles (https://github.com/mlco2/codecarbon, codecarbon/data/hardware/cpu_load_profiling): one row per load
 * step with the power that RAPL gave and, where a metering plug was used, that of the wall socket.
 */
const TIME = /^(timestamp|time|ts|epoch|date|datetime|unix_?time|time_(s|ms|us|ns))$/i;
const ZONE_COLUMN =
  /^(?<zone>package-\d{1,4}|cpu-?\d{1,4}|psys|(?:intel|amd)-rapl:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})?)(?:[/ _.:-](?<sub>dram|core|uncore))?[/ _.:](?<what>energy_uj|energy_j|power_uw|power_w|power_mw|power_limit_uw|power_limit_w|max_energy_range_uj)$/i;

const PROFILE_COLUMNS = ['timestamp', 'cpu_load', 'rapl_power'] as const;

/** Both separators occur, by the locale of the recorder. */
const fieldsOf = (line: string): readonly string[] => csvFields(line, ',;');

const isSeries = (header: readonly string[]): boolean =>
  TIME.test(header[0] ?? '') && header.slice(1).some((column) => ZONE_COLUMN.test(column));
const isProfile = (header: readonly string[]): boolean => PROFILE_COLUMNS.every((column) => header.includes(column));

export function isPowerCsv(text: string): boolean {
  const line = text.slice(0, 8192).split(/\r?\n/, 1)[0] ?? '';
  const header = fieldsOf(line);
  return header.length > 1 && (isSeries(header) || isProfile(header));
}

export async function* readPowerCsv(
  builder: BatchBuilder,
  input: SourceInput,
  file: SourceFile,
): AsyncGenerator<RowBatch> {
  const name = input.assume.device ?? (input.name.split('/').at(-1) ?? '').replace(/(\.(csv|txt|gz|zst))+$/i, '');
  if (input.assume.device === null) builder.remark(`the file does not name its host: named ${name} after the file`);
  const host = new HostEntities(builder, name);
  let rows: ((fields: readonly string[], time_ns: bigint) => void) | undefined;
  let timeColumn = 0;
  let timeName = '';
  for await (const { text, at } of readLines(file.open())) {
    if (text.trim() === '' || text.startsWith('#')) continue;
    const fields = fieldsOf(text);
    if (!rows) {
      rows = isSeries(fields)
        ? series(builder, host, fields)
        : isProfile(fields)
          ? profile(builder, host, fields)
          : undefined;
      if (!rows) fail('rapl.no_columns', `${input.name} has no columns of RAPL`, { place: input.name });
      timeColumn = isSeries(fields) ? 0 : fields.indexOf('timestamp');
      timeName = fields[timeColumn] ?? '';
      continue;
    }
    try {
      rows(fields, timeOf(builder, fields[timeColumn] ?? '', timeName, input));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      builder.reject(input.name, at, error.problem.message, text);
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(at);
  }
  if (!rows) fail('rapl.no_columns', `${input.name} has no columns of RAPL`, { place: input.name });
  yield builder.finish(file.bytes);
}

/** Seconds since 1970 or a finer unit, by the column's name or the number of digits; or a date. */
function timeOf(builder: BatchBuilder, text: string, column: string, { assume }: SourceInput): bigint {
  const unit = /_(ms|us|ns)$/i.exec(column)?.[1]?.toLowerCase();
  const whole = /^\d{10,19}$/.test(text) ? BigInt(text) : undefined;
  if (whole !== undefined) {
    if (unit === 'ns' || (!unit && text.length >= 18)) return inRange(whole);
    if (unit === 'us' || (!unit && text.length >= 15)) return inRange(whole * 1000n);
    if (unit === 'ms' || (!unit && text.length >= 13)) return inRange(whole * 1_000_000n);
  }
  if (/^-?\d+(\.\d+)?$/.test(text)) return secondsToNanos(text);
  if (/(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return parseTime(text);
  if (assume.zone === null) builder.remark('times have no zone: read as UTC');
  return parseLocalTime(text, assume.zone ?? 'UTC');
}

const inRange = (value: bigint): bigint =>
  value < 2n ** 63n ? nanos(value) : fail('time.out_of_range', `the time ${value} is beyond any calendar`);

const numberOf = (text: string | undefined): number =>
  text !== undefined && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;

interface SeriesColumn {
  readonly position: number;
  readonly key: string;
  readonly domain: string;
  readonly cpu: number | undefined;
  readonly what: string;
}

function series(builder: BatchBuilder, host: HostEntities, header: readonly string[]) {
  const columns = header.flatMap((name, position): SeriesColumn[] => {
    const groups = ZONE_COLUMN.exec(name)?.groups;
    if (!groups) {
      if (position > 0) builder.remark(`the column "${name.slice(0, 80)}" has no known meaning and was left out`);
      return [];
    }
    const zone = (groups.zone ?? '').toLowerCase();
    const sub = /^(?:intel|amd)-rapl:[0-9a-f]+:([0-9a-f]+)$/.exec(zone)?.[1];
    const domain =
      groups.sub?.toLowerCase() ?? (zone === 'psys' ? 'psys' : sub === undefined ? 'package' : `zone ${sub}`);
    return [{ position, key: `${zone}/${domain}`, domain, cpu: cpuOf(zone), what: (groups.what ?? '').toLowerCase() }];
  });
  const ranges = new Map<string, number>();
  const last = new Map<string, EnergyReading>();
  return (fields: readonly string[], time_ns: bigint): void => {
    for (const column of columns) {
      const value = numberOf(fields[column.position]);
      if (!(value >= 0)) continue;
      if (column.what === 'max_energy_range_uj') ranges.set(column.key, value);
    }
    for (const column of columns)
      appendColumn(builder, host, column, numberOf(fields[column.position]), time_ns, ranges, last);
  };
}

function cpuOf(zone: string): number | undefined {
  const decimal = /^(?:package-|cpu-?)(\d+)$/.exec(zone)?.[1];
  if (decimal !== undefined) return Number(decimal);
  const hexadecimal = /-rapl:([0-9a-f]+)/.exec(zone)?.[1];
  return hexadecimal === undefined ? undefined : Number.parseInt(hexadecimal, 16);
}

const watts: Readonly<Record<string, number>> = {
  power_w: 1,
  power_mw: 1e-3,
  power_uw: 1e-6,
  power_limit_w: 1,
  power_limit_uw: 1e-6,
};

function appendColumn(
  builder: BatchBuilder,
  host: HostEntities,
  { cpu, domain, key, what }: SeriesColumn,
  value: number,
  time_ns: bigint,
  ranges: ReadonlyMap<string, number>,
  last: Map<string, EnergyReading>,
): void {
  if (!(value >= 0) || what === 'max_energy_range_uj') return;
  const entity = host.cpu(cpu);
  // As in the tree: parts of a package have separate names, so that they are not added to it.
  const part = !['package', 'dram', 'psys'].includes(domain);
  const push = (metric: MetricName, unit: string, number: number) =>
    appendSample(builder, {
      entity,
      metric: part ? { name: `rapl.${domain}.${metric.slice(3)}`, unit } : metric,
      time_ns,
      value: number,
      attributes: { domain },
    });
  const scale = watts[what];
  if (scale !== undefined) {
    const limit = what.startsWith('power_limit');
    if (limit && (value === 0 || value * scale >= NO_LIMIT_W)) return;
    push(limit ? 'hw.power.limit' : 'hw.power', 'W', value * scale);
    return;
  }
  const microjoules = what === 'energy_j' ? value * 1e6 : value;
  const reading = { time_ns, microjoules, range: ranges.get(key) ?? Number.NaN };
  push('hw.energy', 'J', microjoules / 1e6);
  const before = last.get(key);
  last.set(key, reading);
  if (!before) return;
  const between = powerBetween(before, reading);
  if ('reason' in between) builder.remark(`no power between two samples: ${between.reason}`);
  else push('hw.power', 'W', between.watts);
}

/** CodeCarbon's columns; estimates of its model keep their own name. */
const profileColumns: Readonly<Record<string, { readonly metric: MetricName; readonly of: 'cpu' | 'server' }>> = {
  rapl_power: { metric: 'hw.power', of: 'cpu' },
  temperature: { metric: 'hw.temperature', of: 'cpu' },
  cpu_load: { metric: 'system.cpu.utilization', of: 'server' },
  tapo_power: { metric: 'hw.power', of: 'server' },
};
const profileOwn: Readonly<Record<string, string>> = {
  cpu_freq: 'MHz',
  rapl_energy: 'kW.h',
  estimated_power: 'W',
  estimated_energy: 'kW.h',
  tapo_energy: 'W.h',
  cores_used: '{core}',
  duration: 's',
};

/** Samples of a load step, and the step itself: which load ran on how many cores. */
function profile(builder: BatchBuilder, host: HostEntities, header: readonly string[]) {
  const at = (name: string): number => header.indexOf(name);
  return (fields: readonly string[], time_ns: bigint): void => {
    const attributes = { load_type: fields[at('load_type')], cpu_name: fields[at('cpu_name')] };
    // Without a plug its columns are all zero.
    const plugged = numberOf(fields[at('tapo_power')]) > 0;
    for (const [position, name] of header.entries()) {
      const value = numberOf(fields[position]);
      if (Number.isNaN(value) || (name.startsWith('tapo_') && !plugged)) continue;
      const known = Object.hasOwn(profileColumns, name) ? profileColumns[name] : undefined;
      const own = Object.hasOwn(profileOwn, name) ? profileOwn[name] : undefined;
      if (!known && own === undefined) continue;
      const domain = known?.metric !== 'hw.power' ? undefined : known.of === 'cpu' ? 'package' : 'wall socket';
      appendSample(builder, {
        entity: known?.of === 'server' ? host.server() : host.cpu(0),
        metric: known?.metric ?? { name: `codecarbon.${name}`, unit: own ?? '' },
        time_ns,
        value,
        attributes: { ...attributes, domain },
      });
    }
    const step = fields[at('task_name')];
    if (step)
      appendEvent(builder, {
        entity: host.server(),
        time_ns,
        type: 'process_event',
        severity: 'low',
        message: step,
        origin: 'codecarbon',
        attributes: Object.fromEntries(header.map((name, position) => [name, fields[position]])),
        raw: fields.join(','),
      });
  };
}
