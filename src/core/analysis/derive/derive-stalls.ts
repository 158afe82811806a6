import { rankId, readRankId } from '../../../model/rank-name.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
import type { CollectiveRow, Reader } from '../../store/facts/reader.ts';
import { type CollectiveFact, findCollectiveStalls, type StallCause } from '../collectives/collective-stalls.ts';
import { impact } from '../impact/parameters.ts';

const rankNumber = (name: string): number => readRankId(name)?.rank ?? Number.NaN;

/** Ranks that cause a collective hang, one event each, per recording and job. */
export async function deriveStalls(reader: Reader): Promise<DerivedEvent[]> {
  const rows = await reader.collectives();
  if (rows.length === 0) return [];
  const entities = new Map((await reader.rankEntities()).map(({ entity_id, id }) => [id, entity_id]));
  return recordingsOf(rows).flatMap((all) => {
    const { source_id } = all[0]!;
    const first = all.map(jobOf).find((job) => job !== undefined) ?? '';
    return [...Map.groupBy(all, (row) => jobOf(row) ?? first)].flatMap(([job, own]) => {
      const { causes } = findCollectiveStalls(own.map(toFact));
      // Evidence refers to events by their id: it stays when another job appears.
      const id = `derived:collective:${source_id}${job === first ? '' : `:${job}`}`;
      return causes.flatMap((culprit): DerivedEvent[] => {
        const entity =
          own.find((row) => rankNumber(row.rank_name) === culprit.rank)?.entity ??
          entities.get(rankId(culprit.rank, job));
        return entity === undefined ? [] : [eventOf(culprit, { id, source_id }, entity, own)];
      });
    });
  });
}

/**
 * Rows of each recording. Dumps of the ranks of one job are often opened file by file: sources with other ranks of the same job, from
 * about the same time, are one recording. A rank that comes again is another one.
 */
function recordingsOf(rows: readonly CollectiveRow[]): CollectiveRow[][] {
  const recordings: Recording[] = [];
  for (const own of Map.groupBy(rows, ({ source_id }) => source_id).values()) {
    const one = toRecording(own);
    const whole = recordings.find((other) => isPartOf(one, other));
    if (!whole) recordings.push(one);
    else {
      for (const rank of one.ranks) whole.ranks.add(rank);
      whole.rows.push(...own);
    }
  }
  return recordings.map(({ rows: all }) => all);
}

interface Recording {
  /** undefined: of several jobs, or of ranks whose job is not named. */
  readonly job: string | undefined;
  readonly ranks: Set<string>;
  readonly until_ns: bigint;
  readonly rows: CollectiveRow[];
}

function toRecording(rows: CollectiveRow[]): Recording {
  const jobs = [...new Set(rows.map(jobOf))];
  return {
    job: jobs.length === 1 && jobs[0] !== '' ? jobs[0] : undefined,
    ranks: new Set(rows.map(({ rank_name }) => rank_name)),
    until_ns: rows.reduce((last, row) => (latest(row) > last ? latest(row) : last), 0n),
    rows,
  };
}

const isPartOf = (one: Recording, whole: Recording): boolean =>
  one.job !== undefined &&
  one.job === whole.job &&
  [...one.ranks].every((rank) => !whole.ranks.has(rank)) &&
  Math.abs(Number(one.until_ns - whole.until_ns)) / 1e9 <= impact.stallsApartSeconds;

const latest = ({ created_ns, completed_ns }: CollectiveRow): bigint =>
  created_ns > completed_ns ? created_ns : completed_ns;

/** '' of a rank that is named without one; undefined: its recording does not identify the rank. */
const jobOf = ({ rank_name }: CollectiveRow): string | undefined => readRankId(rank_name)?.job;

function toFact(row: CollectiveRow): CollectiveFact {
  const { is_p2p } = row.attributes === '' ? { is_p2p: null } : (JSON.parse(row.attributes) as { is_p2p?: unknown });
  return {
    ...row,
    rank: rankNumber(row.rank_name),
    group_ranks: row.group_ranks === null ? null : row.group_ranks.split(',').map(Number),
    ...(typeof is_p2p === 'boolean' ? { is_p2p } : {}),
  };
}

const reasonText: Readonly<Record<StallCause['reason'], string>> = {
  missing: 'did not enter the operation that others wait in',
  absent: 'did not enter the operation that others wait in, and has no recording',
  lagging: 'still waits in an operation that its peers completed',
  mismatch: 'entered another operation than its peers',
  not_started: 'entered, but its device did not begin the operation that the others are in',
};

/** `: all_gather instead of all_reduce`; '': its peers do not agree on another one. */
function insteadText(rank: number, rows: readonly CollectiveRow[]): string {
  const own = rows.find((row) => rankNumber(row.rank_name) === rank);
  if (!own) return '';
  const isOther = rows.some(({ operation }) => operation !== own.operation);
  const text = ({ operation, dtype, input_sizes }: CollectiveRow): string =>
    isOther ? operation : [operation, dtype, input_sizes.slice(0, MOST_SIZES)].filter((part) => part !== '').join(' ');
  const peers = Map.groupBy(rows, text);
  peers.delete(text(own));
  const [first, second] = [...peers].sort(([, a], [, b]) => b.length - a.length);
  if (!first || first[1].length === second?.[1].length) return '';
  return `: ${text(own)} instead of ${first[0]}`;
}
const MOST_SIZES = 80;

function eventOf(
  culprit: StallCause,
  { id, source_id }: Pick<DerivedEvent, 'id' | 'source_id'>,
  entity: number,
  rows: readonly CollectiveRow[],
): DerivedEvent {
  const { rank, reason, group_id, group_name, sequence } = culprit;
  const inGroup = rows.filter(
    (row) => row.group_id === group_id && (sequence < 0 || Number(row.sequence) === sequence),
  );
  const waiting = inGroup.filter((row) => rankNumber(row.rank_name) !== rank && row.completed_ns === 0n);
  // The hang starts with the first wait of another rank; approximate, because clocks of ranks differ.
  const since = (waiting.length > 0 ? waiting : inGroup.length > 0 ? inGroup : rows)
    .map(({ created_ns }) => created_ns)
    .filter((time) => time > 0n)
    .reduce<bigint>((first, time) => (first === 0n || time < first ? time : first), 0n);
  const where = `${group_name || group_id}${sequence < 0 ? '' : `, sequence ${sequence}`}`;
  return {
    id: `${id}:${rank}`,
    source_id,
    time_ns: since,
    entity,
    type: reason === 'mismatch' ? 'collective_mismatch' : 'collective_stalled',
    severity: reason === 'lagging' ? 'medium' : 'high',
    message: `rank ${rank} ${reasonText[reason]}${reason === 'mismatch' ? insteadText(rank, inGroup) : ''} (${where})`,
    details: NO_DETAILS,
    attributes: {
      reason,
      group_id,
      group_name,
      sequence,
      waiting_ranks: [...new Set(waiting.map((row) => rankNumber(row.rank_name)))].sort((a, b) => a - b),
      derived_from: { table: 'collective', operations: rows.length },
    },
  };
}
