import type { RequestedTokensFact } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import { serving } from './parameters.ts';
import type { Run } from './runs.ts';
import { type Level, type ServiceSeries, Track } from './service-series.ts';

/** The requests of a service to which a change of its tokens is limited; null: not limited to one, or not recorded. */
export interface RequestOrigin {
  /** The service or agent that called, else the one in which the traces begin. */
  readonly caller: string | null;
  readonly tenant: string | null;
  readonly model: string | null;
}

export type OriginKind = 'caller' | 'first' | 'tenant' | 'model';
const originKinds: readonly OriginKind[] = ['caller', 'first', 'tenant', 'model'];

/** Tokens of requests over time, in slices long enough for several of them: the length of a single one is chance. */
export function tokenTrack(rows: readonly RequestedTokensFact[]): Track {
  // In a loop: there may be more rows than a call accepts arguments.
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { slice } of rows) {
    first = Math.min(first, Number(slice));
    last = Math.max(last, Number(slice));
  }
  const lasted = last - first + 1;
  const requests = rows.reduce((sum, { readings }) => sum + readings, 0);
  const width = Math.min(serving.mostHeldSlices, Math.max(1, Math.ceil((serving.requestsOfSlice * lasted) / requests)));
  const levels = Map.groupBy(rows, ({ slice }) => Math.floor(Number(slice) / width) * width);
  return new Track(
    [...levels].map(([slice, own]) => joined(slice, own)),
    width,
  );
}

function joined(slice: number, rows: readonly RequestedTokensFact[]): Level {
  const readings = rows.reduce((sum, row) => sum + row.readings, 0);
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const longest = rows.reduce((most, row) => (row.high > most.high ? row : most));
  return {
    ...{ slice, readings, total, mean: total / readings, high: longest.high, refs: [longest.ref] },
    middle: median(rows.flatMap((row) => Array<number>(Math.round(row.readings)).fill(row.middle))),
  };
}

/** Each value of each kind of origin that the requests of a service state, with its requests. */
export const originsIn = (rows: readonly RequestedTokensFact[]) =>
  originKinds.flatMap((kind) =>
    [...Map.groupBy(rows, (row) => row[kind] ?? '')].flatMap(([name, own]) =>
      name === '' ? [] : [{ kind, name, rows: own }],
    ),
  );

/** Requests in a time, and before it. */
export interface Compared {
  readonly before: readonly RequestedTokensFact[];
  readonly during: readonly RequestedTokensFact[];
}

export function comparedIn(rows: readonly RequestedTokensFact[], run: Run, { slice_ns }: ServiceSeries): Compared {
  const [first, after] = [run.start_ns / slice_ns, run.end_ns / slice_ns];
  return {
    before: rows.filter(({ slice }) => slice < first),
    during: rows.filter(({ slice }) => slice >= first && slice < after),
  };
}

const requestsOf = (rows: readonly RequestedTokensFact[]): number => rows.reduce((sum, one) => sum + one.readings, 0);
/** Tokens of a request; NaN: none. */
export const meanTokens = (rows: readonly RequestedTokensFact[]): number =>
  rows.reduce((sum, { total }) => sum + total, 0) / requestsOf(rows);

/** Of which requests nearly all tokens are that were more than before. A new caller is compared with what all requested before. */
export function originOf({ before, during }: Compared): RequestOrigin {
  const usual = meanTokens(before);
  const moreOf = (kind: OriginKind): Map<string, number> => {
    const earlier = Map.groupBy(before, (row) => row[kind] ?? '');
    return new Map(
      [...Map.groupBy(during, (row) => row[kind] ?? '')].map(([name, rows]) => {
        const own = earlier.get(name) ?? [];
        const base = requestsOf(own) >= serving.leastOriginRequests ? meanTokens(own) : usual;
        return [name, requestsOf(rows) * (meanTokens(rows) - base)];
      }),
    );
  };
  const nameOf = (kind: OriginKind): string | null => {
    const more = moreOf(kind);
    const all = [...more.values()].reduce((sum, tokens) => sum + Math.max(0, tokens), 0);
    const [name, most] = [...more].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    const others = requestsOf(during.filter((row) => (row[kind] ?? '') !== name));
    // Of one caller alone nothing shows that another one would request less.
    const isAlone = most >= serving.originShare * all && others >= serving.leastOriginRequests;
    return name !== '' && isAlone ? name : null;
  };
  return { caller: nameOf('caller') ?? nameOf('first'), tenant: nameOf('tenant'), model: nameOf('model') };
}

export const isOfOrigin = (row: RequestedTokensFact, { caller, tenant, model }: RequestOrigin): boolean =>
  (caller === null || row.caller === caller || row.first === caller) &&
  (tenant === null || row.tenant === tenant) &&
  (model === null || row.model === model);
