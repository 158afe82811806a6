import { fail } from '../../../model/problem.ts';
import type { Reader, RecordingFact } from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { readMeasurements } from '../impact/measurements.ts';
import { readParts } from '../impact/part-impacts.ts';

/** Measurements of a case without those of normal days, and those of normal days, both by service. */
export interface SplitMeasurements {
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly history: ReadonlyMap<number, Measurements>;
  /** Of parts of the requests of services, without normal days. */
  readonly parts: readonly Measurements[];
}

/**
 * Reads all measurements, and sets those of normal days apart: by the time that their data sources cover, whatever its date. They
 * have no impacts, and show how much each service varies.
 * @param names data sources, by name or file name; none: there is no history
 * @throws ProblemError baseline.unknown
 */
export async function readWithHistory(reader: Reader, names: readonly string[]): Promise<SplitMeasurements> {
  const measurements = await readMeasurements(reader);
  const parts = await readParts(reader);
  if (names.length === 0) return { measurements, history: new Map(), parts };
  const recordings = await reader.recordings();
  const normal = names.flatMap((name) => {
    const found = recordings.filter((one) => one.name === name || fileName(one.name) === fileName(name));
    return found.length > 0 ? found : unknownRecording(name, recordings);
  });
  const isNormal = (time: bigint): boolean =>
    normal.some(({ first_ns, last_ns }) => first_ns <= time && time <= last_ns);
  return {
    measurements: rowsWhere(measurements, (time) => !isNormal(time)),
    history: rowsWhere(measurements, isNormal),
    parts: parts.flatMap((one) => rowsOf(one, (time) => !isNormal(time)) ?? []),
  };
}

const fileName = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

function unknownRecording(name: string, recordings: readonly RecordingFact[]): never {
  const known = recordings.slice(0, 20).map((one) => one.name);
  return fail('baseline.unknown', `no data source "${name}" with times`, {
    hint: known.length > 0 ? `import it into the case first; there are: ${known.join(', ')}` : 'the case has no times',
  });
}

function rowsWhere(
  all: ReadonlyMap<number, Measurements>,
  isKept: (time_ns: bigint) => boolean,
): Map<number, Measurements> {
  return new Map([...all.values()].flatMap((one) => rowsOf(one, isKept) ?? []).map((one) => [one.service, one]));
}

/** undefined: none is kept. */
function rowsOf(measured: Measurements, isKept: (time_ns: bigint) => boolean): Measurements | undefined {
  const rows = measured.time_ns.flatMap((time, i) => (isKept(time) ? [i] : []));
  const of = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!);
  if (rows.length === 0) return undefined;
  const { service, from, part } = measured;
  const callers = measured.callers && rowsOf(measured.callers, isKept);
  return {
    ...{ service, from, ...(part && { part }), ...(callers && { callers }) },
    time_ns: rows.map((row) => measured.time_ns[row]!),
    p30: of(measured.p30),
    p50: of(measured.p50),
    p70: of(measured.p70),
    p95: of(measured.p95),
    p99: of(measured.p99),
    error_rate: of(measured.error_rate),
    throughput: of(measured.throughput),
    requests: of(measured.requests),
  };
}
