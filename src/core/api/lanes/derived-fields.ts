import { formatUtc, nanos } from '../../../model/time.ts';

interface Sample {
  readonly time_ns: string;
  readonly value: number;
}
interface DerivedFrom {
  readonly metric?: string;
  readonly unit?: string;
  readonly series?: Readonly<Record<string, unknown>>;
  readonly samples?: readonly Sample[];
  readonly sampling_floor_s?: number | null;
  readonly table?: string;
  readonly operations?: number;
}

/** Origin of a derived event as text: its samples and their time resolution. */
export function derivedFields(from: DerivedFrom): [string, string][] {
  if (from.table !== undefined) return [['derived from', `${from.operations ?? 0} rows of ${from.table}`]];
  const { metric = '', unit = '', samples = [], sampling_floor_s: floor } = from;
  const symbol = unit === '1' ? '' : ` ${unit}`;
  const sampleText = ({ time_ns, value }: Sample): string =>
    `${value}${symbol} at ${formatUtc(nanos(BigInt(time_ns)))}, as recorded`;
  const [before, after] = samples.length > 1 ? samples : [undefined, samples[0]];
  const fields: [string, string][] = [['derived from', `samples of ${metric}`]];
  if (from.series)
    fields.push([
      'series',
      Object.entries(from.series)
        .map(([key, value]) => `${key} ${value}`)
        .join(', '),
    ]);
  if (before) fields.push(['sample before', sampleText(before)]);
  if (after) fields.push(['sample', sampleText(after)]);
  if (typeof floor === 'number')
    fields.push(['sampling floor', `sample interval ${Number(floor.toPrecision(3))} s: shorter bursts are invisible`]);
  return fields;
}
