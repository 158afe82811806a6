import type { TimeUnit } from '../../../model/storage/source.ts';
import { findTime } from '../log-lines/time-forms.ts';
import type { Moment } from '../log-record/moment.ts';
import { readTimeValue } from '../log-record/moment.ts';
import { parseValue } from '../series-meaning/parse-value.ts';
import { readSelector } from './selector.ts';

/** What the columns of a table of samples are. */
export interface Layout {
  readonly time: number;
  /** Of times that are bare numbers; undefined: their size shows it. */
  readonly timeUnit?: TimeUnit | undefined;
  /** Columns that hold numbers: each is a series for every combination of labels. */
  readonly values: readonly ValueColumn[];
  /** In each row: the name of the metric, or measurement and field; -1: no such column. */
  readonly metric: number;
  readonly measurement: number;
  readonly field: number;
  readonly unit: number;
  /** Labels as one text: JSON, or `{a="b"}`; -1: no such column. */
  readonly selector: number;
  readonly labels: readonly { readonly at: number; readonly name: string }[];
}

export interface ValueColumn {
  readonly at: number;
  /** '': the rows name it, or nothing does. */
  readonly name: string;
  readonly unit: string;
  readonly labels: ReadonlyMap<string, string>;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const TIMES = new Set(
  'time timestamp ts datetime date timeutc timens timems timestampms timestampns unixtime epoch'.split(' '),
);
const METRICS = new Set('metric metricname name'.split(' '));
const VALUES = new Set('value val samplevalue valuea'.split(' '));
const SELECTORS = new Set('labels tags attributes dimensions'.split(' '));
/** Columns that name entities although they may hold numbers, by what exporters call them. */
const labelNames: ReadonlyMap<string, string> = new Map([
  ['host', 'hostname'],
  ['hostname', 'hostname'],
  ['machine', 'hostname'],
  ['server', 'hostname'],
  ['instance', 'instance'],
  ['node', 'node'],
  ['nodename', 'node'],
  ['pod', 'pod'],
  ['podname', 'pod'],
  ['namespace', 'namespace'],
  ['container', 'container'],
  ['service', 'service'],
  ['servicename', 'service'],
  ['job', 'job'],
  ['gpu', 'gpu'],
  ['gpuid', 'gpu'],
  ['gpuindex', 'gpu'],
  ['gpuuuid', 'gpu_uuid'],
  ['uuid', 'gpu_uuid'],
  ['le', 'le'],
  ['quantile', 'quantile'],
]);
const NUMBERED_LABELS = /^(?:index|rank|localrank|pid|tid|id|port|cpu|core|socket|device|rack|zone|interface|table)$/;
/** Columns of other tables: spans and log records. */
const OTHER_TABLES = /^(?:traceid|spanid|parentspanid|message|msg|body)$/;

/** `CpuUsage(m)`, `power [W]`, `temp (°C)`: a unit that the header states, as UCUM where it is one. */
const UNIT = /^(.*\S)\s*[([]([^()[\]]{1,12})[)\]]$/;
const unitWords: Readonly<Record<string, string>> = {
  '°C': 'Cel',
  C: 'Cel',
  B: 'By',
  Mi: 'MiB',
  Gi: 'GiB',
  Ki: 'KiB',
  seconds: 's',
};

/** The time in a cell; a zone's name and the reading of a monotonic clock may follow, as Go prints them. undefined: none. */
export function timeIn(cell: string): Moment | undefined {
  const known = readTimeValue(cell);
  if (known !== undefined) return known;
  const found = findTime(cell);
  return found && /^(?: [A-Z]{2,5})?(?: m=[+-][\d.]+)?$/.test(cell.slice(found.end)) ? found.moment : undefined;
}

/**
 * What a header and the first rows under it mean; undefined: this is no table of samples.
 * @param rows a few rows, each with as many cells as the header
 */
export function layoutOf(header: readonly string[], rows: readonly (readonly string[])[]): Layout | undefined {
  const names = header.map(plain);
  if (header.length < 2 || names.some((name) => OTHER_TABLES.test(name))) return undefined;
  const find = (known: ReadonlySet<string>): number => names.findIndex((name) => known.has(name));
  const isTime = (at: number): boolean =>
    TIMES.has(names[at]!) && isMost(rows.map((row) => timeIn(row[at]!) !== undefined));
  const times = header.flatMap((_, at) => (isTime(at) ? [at] : []));
  const time = times[0];
  if (time === undefined) return undefined;
  const one = find(VALUES);
  const numbers = (at: number): boolean => {
    const cells = rows.map((row) => row[at]!).filter((cell) => cell !== '');
    return isMost(cells.map((cell) => parseValue(cell) !== undefined));
  };
  const special = {
    metric: one < 0 ? -1 : find(METRICS),
    measurement: names.indexOf('measurement'),
    field: names.indexOf('field'),
    unit: one < 0 ? -1 : names.indexOf('unit'),
    selector: find(SELECTORS),
  };
  const isLabel = (at: number): boolean => labelNames.has(names[at]!) || NUMBERED_LABELS.test(names[at]!);
  const isRead = (at: number): boolean => TIMES.has(names[at]!) || Object.values(special).includes(at);
  const isValue = (at: number): boolean =>
    one < 0 ? !isRead(at) && !isLabel(at) && numbers(at) : at === one && numbers(at);
  const values = header.flatMap((name, at) => (isValue(at) ? [valueColumn(at, one < 0 ? name : '')] : []));
  if (values.length === 0) return undefined;
  const labels = header.flatMap((name, at) =>
    isRead(at) || isValue(at) || isOfInflux(name) ? [] : [{ at, name: labelNames.get(names[at]!) ?? name.trim() }],
  );
  return { time, values, labels, ...special };
}

/** A few broken cells do not hide what a column is. */
const isMost = (fits: readonly boolean[]): boolean =>
  fits.length > 0 && fits.filter(Boolean).length * 5 >= fits.length * 4;

/** Columns of an annotated CSV that only order its tables. */
const isOfInflux = (name: string): boolean => /^(?:|result|table|_start|_stop)$/.test(name);

function valueColumn(at: number, header: string): ValueColumn {
  const selector = readSelector(header);
  if (selector) return { at, unit: '', ...selector };
  const [, name = header, word = ''] = UNIT.exec(header) ?? [];
  return { at, name: name.trim(), unit: Object.hasOwn(unitWords, word) ? unitWords[word]! : word, labels: new Map() };
}
