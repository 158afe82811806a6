import type { Parsed } from '../../../model/contract/index.ts';
import type { BandTone } from '../../../model/lane-kind.ts';
import type { SqlResult, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import type { TimeIndex } from '../../store/facts/time-index.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { type Band, type BandCounts, MOST_BANDS, toBands } from './lane-bands.ts';
import type { Reading, Wanted } from './lane-target.ts';

type Window = Parsed<'timeline.data'>;

/** Spans of services: all if few enough per lane, else counts by start. */
export async function readSpans(wanted: readonly Wanted<'spans'>[], reading: Reading): Promise<void> {
  const { session, input, answer, signal, timeIndex } = reading;
  const owner = ownersOf(wanted, ({ services }) => services);
  const counts = timeIndex
    ? countSpans(timeIndex.spans, owner, input)
    : await readCounts(queries.laneSpanDensity, owner, reading);
  const few = [...owner].filter(([, lane]) => isFew(counts.get(lane))).map(([service]) => service);
  const limit = BigInt(MOST_BANDS * wanted.length);
  const values: SqlValue[] = [input.start_ns, input.end_ns, listText(few), limit];
  const bands = new Map<string, Band[]>();
  for (const row of few.length === 0 ? [] : rowsOf<SpanRow>(await session.query(queries.laneSpans, values, signal))) {
    const { start_s, end_s, failed, name, ref } = row;
    const tone: BandTone = failed ? 'critical' : 'calm';
    put(bands, owner.get(row.service)!, { start_s, end_s, isOpen: false, tone, name, ref });
  }
  for (const { lane } of wanted) answerSlices(lane, { bands, counts, input }, answer);
}

interface SpanRow {
  readonly service: number;
  readonly start_s: number;
  readonly end_s: number;
  readonly failed: boolean;
  readonly name: string;
  readonly ref: string;
}

/** Collective operations of ranks, with those that a rank entered late or has not in its record. */
export async function readCollectives(wanted: readonly Wanted<'collectives'>[], reading: Reading): Promise<void> {
  const { session, input, answer, signal } = reading;
  const [first] = wanted;
  if (!first) return;
  const owner = ownersOf(wanted, ({ ranks }) => ranks);
  const counts = await readCounts(queries.laneCollectiveDensity, owner, reading);
  const lanes = wanted.filter(({ lane }) => isFew(counts.get(lane)));
  const byNumber = new Map(lanes.map(({ lane, target }) => [target.entity, lane]));
  const { all } = first.target;
  const jobs = [...new Set(all.map(({ job }) => job))];
  const ranks = listText(all.map(({ rank, lane, job }) => ({ rank, lane, job: jobs.indexOf(job) })));
  const values: SqlValue[] = [input.start_ns, input.end_ns, ranks, listText(byNumber.keys())];
  const bands = new Map<string, Band[]>();
  if (lanes.length > 0)
    for (const row of rowsOf<CollectiveRow>(await session.query(queries.laneCollectives, values, signal)))
      put(bands, byNumber.get(row.lane)!, toBand(row));
  for (const { lane } of wanted) answerSlices(lane, { bands, counts, input }, answer);
}

interface CollectiveRow {
  readonly lane: number;
  readonly start_s: number;
  readonly end_s: number;
  readonly is_open: boolean;
  readonly standing: 'through' | 'late' | 'pending' | 'missing';
  readonly operation: string;
  readonly sequence: bigint | null;
  readonly ref: string;
  readonly late_s: number | null;
}

const tones: Readonly<Record<CollectiveRow['standing'], BandTone>> = {
  through: 'calm',
  late: 'medium',
  pending: 'high',
  missing: 'critical',
};

function toBand({ start_s, end_s, is_open, standing, operation, sequence, ref, late_s }: CollectiveRow): Band {
  const what = `${operation || 'operation'}${sequence === null ? '' : ` #${sequence}`}`;
  const names = {
    through: what,
    late: `${what}, ${(late_s ?? 0).toFixed(2)} s late`,
    pending: `${what}, not through`,
    missing: `no ${what} in its record`,
  };
  return { start_s, end_s, isOpen: is_open, tone: tones[standing], name: names[standing], ref };
}

type Slices = 'spans' | 'collectives';

/** Lanes by the entities of rows: an entity may have several aliases. */
function ownersOf<K extends Slices>(
  wanted: readonly Wanted<K>[],
  entitiesOf: (target: Wanted<K>['target']) => readonly number[],
): Owners {
  return new Map(wanted.flatMap(({ lane, target }) => entitiesOf(target).map((entity) => [entity, lane] as const)));
}

type Owners = ReadonlyMap<number, string>;

function countSpans(timeIndex: TimeIndex, owner: Owners, input: Window): ReadonlyMap<string, BandCounts> {
  const counts = new Map<string, BandCounts>();
  for (const [entity, lane] of owner) {
    const { density, failed } = countsOf(counts, lane, input);
    timeIndex.addTo(failed, { entity, grade: 1 }, input);
    timeIndex.addTo(density, { entity, grade: 0 }, input);
    timeIndex.addTo(density, { entity, grade: 1 }, input);
  }
  return counts;
}

async function readCounts(
  sql: string,
  owner: Owners,
  { session, input, signal }: Reading,
): Promise<ReadonlyMap<string, BandCounts>> {
  const { start_ns, end_ns, buckets } = input;
  const list = listText(owner.keys());
  const found: SqlResult = await session.query(sql, [start_ns, end_ns, list, BigInt(buckets)], signal);
  const [entities = [], places = [], count = [], failed = []] = found.columns as readonly (readonly number[])[];
  const counts = new Map<string, BandCounts>();
  for (let row = 0; row < found.count; row++) {
    const own = countsOf(counts, owner.get(entities[row]!)!, input);
    const bucket = places[row]!;
    own.density[bucket] = own.density[bucket]! + count[row]!;
    own.failed[bucket] = own.failed[bucket]! + failed[row]!;
  }
  return counts;
}

function countsOf(counts: Map<string, BandCounts>, lane: string, { buckets }: Window): BandCounts {
  const own = counts.get(lane) ?? { density: new Int32Array(buckets), failed: new Int32Array(buckets) };
  counts.set(lane, own);
  return own;
}

const isFew = (counts: BandCounts | undefined): boolean =>
  counts === undefined || counts.density.reduce((sum, count) => sum + count, 0) <= MOST_BANDS;

function put(bands: Map<string, Band[]>, lane: string, band: Band): void {
  const list = bands.get(lane);
  if (list) list.push(band);
  else bands.set(lane, [band]);
}

interface Found {
  readonly bands: ReadonlyMap<string, readonly Band[]>;
  readonly counts: ReadonlyMap<string, BandCounts>;
  readonly input: Window;
}

function answerSlices(lane: string, { bands, counts, input }: Found, answer: Reading['answer']): void {
  const empty = (): Int32Array<ArrayBuffer> => new Int32Array(input.buckets);
  const own = counts.get(lane);
  answer(
    lane,
    toBands(lane, isFew(own) ? (bands.get(lane) ?? []) : null, own ?? { density: empty(), failed: empty() }),
  );
}
