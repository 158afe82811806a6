import { jsonMembers } from '../../../base/json-members.ts';
import { type LogCondition, type LogLevel, logLevels, MOST_ATTRIBUTES } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { SqlValue } from '../../../model/storage/engine.ts';
import { selectionMembers } from '../../analysis/differences/selection-members.ts';
import type { EntityFact, ResourceFact } from '../../store/facts/reader.ts';
import { listText } from '../../store/list-text.ts';

/** Above every severity number, which is a byte. */
const NO_SEVERITY = 256;
const ATTRIBUTE = 'attribute ';
const RESOURCE = 'resource ';

/** What a search of log records is narrowed to. */
export interface Narrowing {
  /** null: all. */
  readonly resources: ReadonlySet<number> | null;
  readonly severity_from: number;
  readonly severity_below: number;
  /** JSON pointers of attributes, and their values. */
  readonly attributes: readonly (readonly [pointer: string, value: string])[];
}

interface Narrowed {
  readonly entities: readonly string[];
  readonly severity_from: number;
  readonly where: readonly LogCondition[];
}

/** Severity numbers of a level: four each, 0 is unknown. */
export const levelOf = (quarter: number): LogLevel => logLevels[quarter] ?? 'unknown';

/**
 * Resources are few: what states something of them is found at once.
 * @throws ProblemError logs.conditions
 */
export function narrowingOf(
  { entities: keys, severity_from, where }: Narrowed,
  entities: readonly EntityFact[],
  resources: readonly ResourceFact[],
): Narrowing {
  const attributes: [string, string][] = [];
  let [from, below] = [severity_from, NO_SEVERITY];
  let meant = resourcesOf(keys, entities, resources);
  const keep = (others: ReadonlySet<number> | null) => {
    meant = meant === null ? others : new Set([...meant].filter((one) => others?.has(one) ?? true));
  };
  for (const { field, value } of where) {
    if (field === 'from') keep(resourcesOf([value], entities, resources));
    else if (field === 'level') {
      const quarter = logLevels.indexOf(value as LogLevel);
      from = Math.max(from, quarter <= 0 ? 0 : 4 * quarter - 3);
      below = Math.min(below, quarter <= 0 ? 1 : 4 * quarter + 1);
    } else if (field.startsWith(RESOURCE)) {
      const key = field.slice(RESOURCE.length);
      const having = resources.filter(({ attributes: text }) => String(jsonMembers(text)[key] ?? '') === value);
      keep(new Set(having.map(({ resource_id }) => resource_id)));
    } else attributes.push([pointerOf(field.slice(ATTRIBUTE.length)), value]);
  }
  if (attributes.length > MOST_ATTRIBUTES)
    return fail('logs.conditions', `logs are narrowed by at most ${MOST_ATTRIBUTES} attributes at once`);
  return { resources: meant, severity_from: from, severity_below: below, attributes };
}

function resourcesOf(
  keys: readonly string[],
  entities: readonly EntityFact[],
  resources: readonly ResourceFact[],
): ReadonlySet<number> | null {
  const members = selectionMembers(keys, entities, resources);
  return members && new Set(members.resources);
}

const pointerOf = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

interface Searched {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly text: string;
  readonly trace_id: string | null;
}

/** A trace is asked for as a whole. */
const EVER = 2n ** 62n;

/** Parameters 1 to 14 of log-search.sql and log-facets.sql. @param seventh how many, or of how many one */
export function searchValues(
  { start_ns, end_ns, text, trace_id }: Searched,
  { resources, severity_from, severity_below, attributes }: Narrowing,
  seventh: bigint,
): SqlValue[] {
  const time = trace_id === null ? [start_ns, end_ns] : [-EVER, EVER];
  const pairs = Array.from({ length: MOST_ATTRIBUTES }, (_, at) => attributes[at] ?? ['', '']);
  return [
    ...time,
    resources ? listText(resources) : 'all',
    severity_from,
    text,
    trace_id ?? '',
    seventh,
    severity_below,
    ...pairs.flat(),
  ];
}
