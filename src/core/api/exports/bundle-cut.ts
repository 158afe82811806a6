import type { BundleCut, IncidentView } from '../../../model/contract/index.ts';
import { correlateOptionsSchema } from '../../../model/incident/incident-schema.ts';
import { fail } from '../../../model/problem.ts';
import type { CaseCut } from '../../store/copies/cut-case.ts';
import { createReader, type EdgeFact, type EntityFact } from '../../store/facts/reader.ts';
import type { OpenCase } from '../cases/open-case.ts';

const SECOND = 1_000_000_000n;
/** Link distance from the entities of an incident to those that its ranking uses: supply, machines, parts, neighbours. */
const NEAR = 4;

/**
 * Extends a partial cut by the data that the ranking of its incidents needs: the baseline before them, and entities linked to
 * those that they name.
 * @throws ProblemError bundle.unknown_entity, bundle.empty_cut
 */
export async function widenCut(
  opened: OpenCase,
  { from_ns, to_ns, entities }: BundleCut,
  incidents: readonly IncidentView[],
): Promise<CaseCut> {
  if (from_ns !== null && to_ns !== null && from_ns > to_ns)
    fail('bundle.empty_cut', 'the end of the cut lies before its beginning');
  const [entityFacts, edges] = await opened.withSession(async (session) => {
    const reader = createReader(session);
    return [await reader.entities(), await reader.edges()] as const;
  });
  const selected = entities && new Set(entities.flatMap((name) => numbersOf(entityFacts, name)));
  const overlapping = incidents.filter(
    ({ start_ns, end_ns }) => (from_ns === null || end_ns >= from_ns) && (to_ns === null || start_ns <= to_ns),
  );
  const ofIncident = (view: IncidentView) => new Set(namesOf(view).flatMap((name) => known(entityFacts, name)));
  const judged = overlapping.filter(
    (view) => selected === null || [...ofIncident(view)].some((entity) => selected.has(entity)),
  );
  const { baseline, lag } = correlateOptionsSchema.parse({});
  const before = BigInt(Math.ceil(baseline + lag)) * SECOND;
  return {
    from_ns: from_ns && judged.reduce((first, { start_ns }) => least(first, start_ns - before), from_ns),
    to_ns: to_ns && judged.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), to_ns),
    entities:
      selected &&
      members(
        entityFacts,
        new Set([...near(selected, edges, 1), ...near(unionOf(judged.map(ofIncident)), edges, NEAR)]),
      ),
  };
}

/** Numbers of the named entities and those linked to them; null: all. @throws ProblemError bundle.unknown_entity */
export async function selectedEntities(opened: OpenCase, names: BundleCut['entities']): Promise<number[] | null> {
  if (names === null) return null;
  return opened.withSession(async (session) => {
    const reader = createReader(session);
    const [entities, edges] = [await reader.entities(), await reader.edges()];
    const chosen = new Set(names.flatMap((name) => numbersOf(entities, name)));
    return members(entities, new Set(near(chosen, edges, 1)));
  });
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const unionOf = (sets: readonly ReadonlySet<number>[]): ReadonlySet<number> => new Set(sets.flatMap((set) => [...set]));

/** Entities of an incident: the service, chain steps, and subjects of hypotheses. */
const namesOf = ({ incident, service, steps }: IncidentView): string[] => [
  `service:${service}`,
  ...incident.affected_services.map((name) => `service:${name}`),
  ...steps.map(({ device }) => device),
  ...incident.hypotheses.flatMap(({ subject }) => (subject ? [`${subject.kind}:${subject.id}`] : [])),
];

const known = (entityFacts: readonly EntityFact[], name: string): number[] =>
  entityFacts.filter(({ kind, id }) => name === id || name === `${kind}:${id}`).map(({ canonical_id }) => canonical_id);

function numbersOf(entities: readonly EntityFact[], name: string): number[] {
  const found = [...new Set(known(entities, name))];
  if (found.length === 0)
    fail('bundle.unknown_entity', `there is no ${name} in this case`, {
      hint: 'name an entity as kind:id, or by its id',
    });
  if (found.length > 1 && !entities.some(({ kind, id }) => name === `${kind}:${id}`))
    fail('bundle.unknown_entity', `several entities are named ${name}`, { hint: 'name it as kind:id' });
  return found;
}

function near(from: ReadonlySet<number>, edges: readonly EdgeFact[], links: number): ReadonlySet<number> {
  const found = new Set(from);
  for (let link = 0; link < links; link++) {
    const reached = edges.flatMap(({ from_id, to_id }) =>
      found.has(from_id) ? [to_id] : found.has(to_id) ? [from_id] : [],
    );
    for (const entity of reached) found.add(entity);
  }
  return found;
}

/** Entity numbers of all aliases of these entities. */
const members = (entities: readonly EntityFact[], canonical: ReadonlySet<number>): number[] =>
  entities.filter(({ canonical_id }) => canonical.has(canonical_id)).map(({ entity_id }) => entity_id);

/** The id of an incident contains the service name: this key matches incidents after renaming. */
export const keyOf = ({ service, onset_ns }: Pick<IncidentView, 'service' | 'onset_ns'>): string =>
  `${service} ${onset_ns}`;

/** Differences of the incidents after rows were left out, as text. */
export function changedVerdicts(
  before: readonly IncidentView[],
  after: readonly IncidentView[],
  renamed: (name: string) => string = (name) => name,
): string[] {
  const found = new Map(after.map((view) => [keyOf(view), view.incident]));
  return before.flatMap(({ incident, service, onset_ns }) => {
    const other = found.get(keyOf({ service: renamed(service), onset_ns }));
    if (!other) return [`${incident.id} is not detected in the bundle`];
    const [was, is] = [verdictOf(incident, renamed), verdictOf(other, (name) => name)];
    return was === is ? [] : [`${incident.id}: ${was} in the case, ${is} in the bundle`];
  });
}

function verdictOf(
  { hypotheses: [first], causal_chain }: IncidentView['incident'],
  renamed: (name: string) => string,
): string {
  if (!first) return 'no hypothesis';
  const subject = first.subject ? ` on ${renamed(first.subject.id)}` : '';
  return `${first.type}${subject} at ${first.probability.toFixed(2)} with ${causal_chain.length} steps`;
}
