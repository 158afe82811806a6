import { z } from 'zod';
import { nanoseconds } from '../../model/time.ts';
import { type LogIndex, logShare, mineLogIndex } from '../analysis/logs/log-index.ts';
import type { LogLines } from '../store/facts/reader.ts';
import { fleetQueries } from './queries/index.ts';
import { type FleetQuestion, numbers, requireTable, rowsOf, wholeNumber, windowValues } from './question.ts';

/** Lines of one answer. */
const MOST_LINES = 150_000;
/** As in log-counts.sql. */
const SLOT_NS = nanoseconds(10);

const countRow = z.object({ slot: z.number(), records: z.number(), errors: z.number(), first_ns: wholeNumber });
const lineRow = z.object({ body: z.string(), service: z.string(), offsets: numbers, severities: numbers });
type Counted = z.output<typeof countRow>;

export interface FleetLogs {
  readonly index: LogIndex;
  /** By number of the resource in the index. */
  readonly services: readonly string[];
}

/** The log records of a fleet in a time, as columns with their templates, as of a case: `readLogIndex`. */
export async function fleetLogs(question: FleetQuestion): Promise<FleetLogs> {
  await requireTable(question.store, 'logs', question.signal);
  const counts = await rowsOf(countRow, question, fleetQueries.logCounts, windowValues(question));
  const total = counts.reduce((sum, { records }) => sum + records, 0);
  const share = logShare(total);
  const origin_ns = counts[0]?.first_ns ?? question.window.from_ns;
  const services = new Map<string, number>();
  async function* blocks(): AsyncGenerator<LogLines> {
    for (const window of slicesOf(counts, share, question)) {
      const values = { ...windowValues({ ...question, window }), origin_ns, share };
      yield linesOf(await rowsOf(lineRow, question, fleetQueries.logLines, values), services);
    }
  }
  const index = await mineLogIndex(blocks(), { origin_ns, share, total });
  return { index, services: [...services.keys()] };
}

/** Slots one after another, so many that one answer holds their lines. */
function* slicesOf(counts: readonly Counted[], share: number, { window }: FleetQuestion) {
  let from_ns = window.from_ns;
  let lines = 0;
  for (const { slot, records, errors } of counts) {
    const more = errors + (records - errors) / share;
    const begin_ns = BigInt(slot) * SLOT_NS;
    if (lines > 0 && lines + more > MOST_LINES && begin_ns > from_ns) {
      yield { from_ns, until_ns: begin_ns };
      [from_ns, lines] = [begin_ns, 0];
    }
    lines += more;
  }
  if (lines > 0) yield { from_ns, until_ns: window.until_ns };
}

/** In order of time, each body where it stands first. */
function linesOf(rows: readonly z.output<typeof lineRow>[], services: Map<string, number>): LogLines {
  const count = rows.reduce((sum, { offsets }) => sum + offsets.length, 0);
  const lines = { at: new Float64Array(count), severity: new Uint8Array(count), of: new Int32Array(count) };
  const codes = new Map<string, number>();
  const about = rows.map(({ body, service }) => ({
    code: numberOf(codes, body) + 1,
    resource: numberOf(services, service),
    body,
  }));
  let next = 0;
  for (const [i, { offsets, severities }] of rows.entries())
    for (const [k, at] of offsets.entries()) {
      lines.at[next] = at;
      lines.severity[next] = severities[k] ?? 0;
      lines.of[next++] = i;
    }
  const order = Uint32Array.from(lines.at.keys()).sort((a, b) => lines.at[a]! - lines.at[b]!);
  const column = (value: (line: number) => number): number[] => Array.from(order, value);
  const seen = new Set<number>();
  const isFirst = (code: number): boolean => !seen.has(code) && seen.add(code).size > 0;
  return {
    count,
    source_id: column(() => 0),
    row_number: column(() => -1),
    resource: column((line) => about[lines.of[line]!]!.resource),
    severity: column((line) => lines.severity[line]!),
    offset_s: column((line) => lines.at[line]!),
    code: column((line) => about[lines.of[line]!]!.code),
    body: Array.from(order, (line) => {
      const { code, body } = about[lines.of[line]!]!;
      return isFirst(code) ? body : null;
    }),
  };
}

function numberOf(known: Map<string, number>, text: string): number {
  const found = known.get(text) ?? known.size;
  known.set(text, found);
  return found;
}
