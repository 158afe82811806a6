import { jsonMembers } from '../../../base/json-members.ts';
import { type LogFacet, type LogFacets, logLevels, type Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { sendersOf } from '../../analysis/differences/find-differences.ts';
import { shareFor } from '../../analysis/differences/span-differences.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader, type ResourceFact } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import { levelOf, narrowingOf, searchValues } from './log-conditions.ts';

/** Lines that are counted; of more, a share. */
const MOST_LINES = 300_000;
const MOST_VALUES = 8n;
const MOST_ATTRIBUTES = 12n;
/** Resource attributes that are shown, where they differ. */
const MOST_OF_RESOURCES = 8;
/** The sender is a facet of its own. */
const SENDER = 'service.name';

interface FacetRow {
  readonly what: 'level' | 'resource' | 'attribute' | 'bucket';
  readonly key: string;
  readonly value: string | null;
  readonly lines: number;
  readonly different: number | null;
}

/** Fields of log records with their most frequent values, and how much was logged over time. */
export async function readFacets(
  session: Session,
  input: Parsed<'logs.facets'>,
  signal?: AbortSignal,
): Promise<LogFacets> {
  const reader = createReader(session, signal);
  const [entities, resources] = [await reader.entities(), await reader.resources()];
  const narrowing = narrowingOf(input, entities, resources);
  const counted = rowsOf<{ lines: number }>(
    await session.query(queries.logCount, [input.start_ns, input.end_ns], signal),
  );
  const share = shareFor(counted[0]?.lines ?? 0, MOST_LINES);
  const length_ns = input.end_ns - input.start_ns;
  const bucket_ns = length_ns / BigInt(input.buckets) + 1n;
  const values = [...searchValues(input, narrowing, BigInt(share)), bucket_ns, MOST_VALUES, MOST_ATTRIBUTES];
  const rows = rowsOf<FacetRow>(await session.query(queries.logFacets, values, signal)).map((row) => ({
    ...row,
    lines: row.lines * share,
  }));
  const of = (what: FacetRow['what']) => rows.filter((row) => row.what === what);
  const senders = sendersOf(entities, resources);
  const bySender = linesBy(of('resource'), ({ key }) => senders.entityOf(Number(key)) ?? '');
  const levels = linesBy(of('level'), ({ key }) => levelOf(Number(key)));
  return {
    facets: [
      facetOf('level', levels, (a, b) => logLevels.indexOf(b as never) - logLevels.indexOf(a as never)),
      facetOf('from', bySender),
      ...resourceFacets(of('resource'), resources),
      ...attributeFacets(of('attribute')),
    ].filter(({ values: own }) => own.length > 0),
    levels: levelCounts(of('bucket'), input.buckets),
    lines: of('level').reduce((sum, { lines }) => sum + lines, 0),
    share,
  };
}

/** Lines by a text of their rows; '' is left out. */
function linesBy(rows: readonly FacetRow[], textOf: (row: FacetRow) => string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const row of rows) {
    const text = textOf(row);
    if (text !== '') found.set(text, (found.get(text) ?? 0) + row.lines);
  }
  return found;
}

function facetOf(
  field: string,
  found: ReadonlyMap<string, number>,
  order?: (a: string, b: string) => number,
): LogFacet {
  const sorted = [...found].sort(([a, linesA], [b, linesB]) => order?.(a, b) ?? (linesB - linesA || (a < b ? -1 : 1)));
  return {
    field,
    values: sorted.slice(0, Number(MOST_VALUES)).map(([value, lines]) => ({ value, lines })),
    lines: sorted.reduce((sum, [, lines]) => sum + lines, 0),
    different: sorted.length,
  };
}

/** Those in which resources differ: what all have in common narrows nothing. */
function resourceFacets(rows: readonly FacetRow[], resources: readonly ResourceFact[]): LogFacet[] {
  const lines = new Map(rows.map((row) => [Number(row.key), row.lines]));
  const byKey = new Map<string, Map<string, number>>();
  for (const { resource_id, attributes } of resources) {
    const own = lines.get(resource_id);
    if (own === undefined) continue;
    for (const [key, value] of Object.entries(jsonMembers(attributes))) {
      if (key === SENDER || typeof value === 'object') continue;
      const values = byKey.get(key) ?? new Map<string, number>();
      byKey.set(key, values.set(String(value), (values.get(String(value)) ?? 0) + own));
    }
  }
  return [...byKey]
    .map(([key, values]) => facetOf(`resource ${key}`, values))
    .filter(({ different }) => different > 1)
    .sort((a, b) => Number(isHost(b)) - Number(isHost(a)) || b.lines - a.lines)
    .slice(0, MOST_OF_RESOURCES);
}

const isHost = ({ field }: LogFacet): boolean => /^resource (host\.name|k8s\.node\.name)$/.test(field);

function attributeFacets(rows: readonly FacetRow[]): LogFacet[] {
  return rows
    .filter(({ value }) => value === null)
    .sort((a, b) => b.lines - a.lines || (a.key < b.key ? -1 : 1))
    .map(({ key, lines, different }) => ({
      field: `attribute ${key}`,
      values: rows
        .flatMap((row) => (row.key === key && row.value !== null ? [{ value: row.value, lines: row.lines }] : []))
        .sort((a, b) => b.lines - a.lines || (a.value < b.value ? -1 : 1)),
      lines,
      different: different ?? 0,
    }));
}

function levelCounts(rows: readonly FacetRow[], buckets: number): LogFacets['levels'] {
  const byLevel = Map.groupBy(rows, ({ key }) => levelOf(Number(key)));
  return logLevels.toReversed().flatMap((level) => {
    const own = byLevel.get(level);
    if (!own) return [];
    const counts = new Float64Array(buckets);
    for (const { value, lines } of own) {
      const at = Number(value);
      // Records of a trace may lie outside of the time.
      if (at >= 0 && at < buckets) counts[at]! += lines;
    }
    return [{ level, counts }];
  });
}
