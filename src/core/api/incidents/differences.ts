import type { CallContext, Output, Parsed } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { differenceFilterOf } from '../../analysis/differences/difference-filter.ts';
import { findDifferences, sendersOf } from '../../analysis/differences/find-differences.ts';
import { selectionMembers } from '../../analysis/differences/selection-members.ts';
import { spanAttribute } from '../../analysis/differences/span-differences.ts';
import { severityName } from '../../analysis/logs/severity.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { spanFilterValues } from '../../store/facts/difference-facts.ts';
import { createReader, type DifferenceFilter } from '../../store/facts/reader.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { Workspace } from '../workspace.ts';

type Examples = Output<'differences.examples'>;
type ExamplesQuery = Parsed<'differences.examples'>;

/** Differences between a region and its baseline. */
export function differenceHandlers(workspace: Workspace) {
  return {
    'differences.find': async (query: Parsed<'differences.find'>, { signal }: CallContext) => {
      refuseEmpty(query.region);
      const opened = workspace.required();
      return opened.withSession((session) =>
        findDifferences(createReader(session, signal), query, () => opened.logIndex(signal)),
      );
    },
    'differences.examples': async (question: ExamplesQuery, { signal }: CallContext) => {
      refuseEmpty(question.region);
      const opened = workspace.required();
      return opened.withSession((session) => readExamples(opened, session, question, signal));
    },
  };
}

/** @throws ProblemError region.empty */
function refuseEmpty({ start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint }): void {
  if (end_ns <= start_ns)
    fail('region.empty', 'the region has no length', { hint: 'select a time: hold Shift and drag over the timeline' });
}

async function readExamples(
  opened: OpenCase,
  session: Session,
  question: ExamplesQuery,
  signal?: AbortSignal,
): Promise<Examples> {
  const reader = createReader(session, signal);
  const { region, baseline, attribute, value, limit } = question;
  const [entities, resources] = [await reader.entities(), await reader.resources()];
  const filter = differenceFilterOf(region, baseline, selectionMembers(region.entities, entities, resources));
  switch (question.population) {
    case 'spans': {
      const [dim, key] = spanPart(attribute, value);
      const [from, to, , , ...meant] = spanFilterValues(filter);
      const values = [from, to, ...meant.slice(0, 5), dim, key, value, BigInt(limit)] as SqlValue[];
      return rowsOf(await session.query(queries.differenceSpanExamples, values, signal));
    }
    case 'events': {
      const ids = filter.members ? listText(filter.members.entities) : 'all';
      const values = [filter.region_from_ns, filter.region_to_ns, attribute, value, ids, BigInt(limit)];
      return rowsOf(await session.query(queries.differenceEventExamples, values, signal));
    }
    case 'logs':
      return logExamples(opened, session, { ...question, filter, senders: sendersOf(entities, resources) }, signal);
    case 'metrics':
    case 'entities':
      return entities
        .filter(({ kind, id }) => region.entities.includes(entityKey(kind, id)))
        .slice(0, limit)
        .map(({ kind, id }) => ({
          ref: `entity:${entityKey(kind, id)}`,
          time_ns: region.start_ns,
          title: `${kind} ${id}`,
        }));
  }
}

/** As difference-span-examples.sql counts them. */
function spanPart(attribute: string, value: string): readonly [dim: number, key: string] {
  const space = attribute.indexOf(' ');
  const [head, key] = space < 0 ? [attribute, ''] : [attribute.slice(0, space), attribute.slice(space + 1)];
  if (head === 'attribute') return [value === '' ? 7 : 0, key];
  if (head === 'resource') return [1, key];
  if (attribute === 'duration') return [6, ''];
  return [[2, 3, 4, 5].find((dim) => spanAttribute(dim, '') === attribute) ?? 3, ''];
}

interface LogExamplesQuery extends ExamplesQuery {
  readonly filter: DifferenceFilter;
  readonly senders: ReturnType<typeof sendersOf>;
}

async function logExamples(
  opened: OpenCase,
  session: Session,
  { filter, senders, attribute, value, limit }: LogExamplesQuery,
  signal?: AbortSignal,
): Promise<Examples> {
  const index = await opened.logIndex(signal);
  const meant = filter.members ? new Set(filter.members.resources) : null;
  const from = Number(filter.region_from_ns - index.origin_ns) / 1e9;
  const to = Number(filter.region_to_ns - index.origin_ns) / 1e9;
  const has = (i: number): boolean => {
    const resource = index.resource[i]!;
    if (meant && !meant.has(resource)) return false;
    if (attribute === 'log template') return index.texts[index.template[i]!] === value;
    if (attribute === 'log severity') return severityName(index.severity[i]!) === value;
    return senders.entityOf(resource)?.replace(/^[^:]*:/, '') === value;
  };
  const rows: number[] = [];
  for (let i = 0; i < index.count && rows.length < limit; i++) {
    const at = index.offset_s[i]!;
    if (at >= from && at < to && has(i)) rows.push(index.row[i]!);
  }
  const found = await session.query(queries.logRecords, [listText(rows)]);
  return rowsOf<{ ref: string; time_ns: bigint; body: string }>(found).map(({ ref, time_ns, body }) => ({
    ref,
    time_ns,
    title: body.slice(0, 300),
  }));
}
