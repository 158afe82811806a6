import { z } from 'zod';
import { lazy } from '../../../base/lazy.ts';
import { type EntityKind, entityKinds } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { noDoubts, type TimeDoubts } from '../clocks/time-doubts.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { type MechanismRelation, mechanismRelations } from '../topology/mechanism-relation.ts';
import bundled from './mechanisms.yaml?raw';
import { issueText, readYaml, type YamlIssue } from './yaml-issues.ts';

const delay = z
  .tuple([z.number(), z.number()])
  .refine(([least, most]) => least <= most, 'the shortest delay is longer than the longest');
const strength = z.number().min(0).max(1);
const relation = z.enum(mechanismRelations);
const mechanismSchema = z.object({
  cause: z.string(),
  effect: z.string(),
  relation: z.union([relation, z.array(relation).min(1)]),
  delay_s: delay,
  strength,
  source: z.string(),
});
const harmSchema = z.object({ strength, delay_s: delay, one: z.boolean().optional() });
const fileSchema = z.object({
  version: z.literal(2),
  roots: z.record(z.string(), z.number()),
  harms: z.record(z.string(), harmSchema),
  silent: z.partialRecord(z.enum(entityKinds), z.string()),
  mechanisms: z.array(mechanismSchema),
});

/** One way in which an event brings about another; delays in seconds. */
export type Mechanism = Omit<z.infer<typeof mechanismSchema>, 'relation'> & { readonly relation: MechanismRelation };
/** What an event does to a service on the thing that it happened to. */
export type Harm = z.infer<typeof harmSchema>;

export interface Mechanisms {
  /** Log-odds that an event of this type is where an incident began. */
  rootWeight(type: string): number;
  /** Everything that is known about a type, as evidence. */
  about(type: string): readonly Mechanism[];
  causedBy(type: string): readonly Mechanism[];
  causesOf(type: string): readonly Mechanism[];
  harmOf(type: string): Harm | undefined;
  /** How long after an event of this type its consequences may still begin, seconds. */
  reachOf(type: string): number;
  /** How long after the harm an event of this type may be told, as notices of a provider are, seconds. */
  maxReportDelay_s(type: string): number;
  /** What a thing of this kind did when it said nothing itself. */
  silentCause(kind: EntityKind): string | undefined;
  /** The mechanism by which `cause` may have brought about `effect`, if kind, topology and delay allow it. */
  link(cause: EventFact, effect: EventFact, graph: EntityGraph): Mechanism | undefined;
}

const nothing: readonly Mechanism[] = [];

/** Everything that is wrong with a file of mechanisms; nothing when it can be used. */
export function checkMechanisms(yaml: string): readonly YamlIssue[] {
  const read = readYaml(yaml, fileSchema);
  return 'issues' in read ? read.issues : [];
}

/** @throws ProblemError mechanisms.invalid */
export function parseMechanisms(yaml: string): Mechanisms {
  const read = readYaml(yaml, fileSchema);
  if ('issues' in read) {
    const [first] = read.issues;
    const more = read.issues.length > 1 ? ` (and ${read.issues.length - 1} more)` : '';
    return fail('mechanisms.invalid', `mechanisms.yaml is not valid: ${first ? issueText(first) : ''}${more}`, {
      hint: '`faultline mechanisms --check` tells all that is wrong',
    });
  }
  const { roots, harms, silent } = read.data;
  const mechanisms = read.data.mechanisms.flatMap((row): Mechanism[] =>
    [row.relation].flat().map((relation) => ({ ...row, relation })),
  );
  const byCause = Map.groupBy(mechanisms, ({ cause }) => cause);
  const byEffect = Map.groupBy(mechanisms, ({ effect }) => effect);
  const causedBy = (type: string): readonly Mechanism[] => byCause.get(type) ?? nothing;
  return {
    rootWeight: (type) => roots[type] ?? 0,
    about: (type) => mechanisms.filter(({ cause, effect }) => cause === type || effect === type),
    causedBy,
    causesOf: (type) => byEffect.get(type) ?? nothing,
    harmOf: (type) => harms[type],
    reachOf: (type) => Math.max(harms[type]?.delay_s[1] ?? 0, ...causedBy(type).map(({ delay_s: [, most] }) => most)),
    maxReportDelay_s: (type) => Math.max(0, -(harms[type]?.delay_s[0] ?? 0)),
    silentCause: (kind) => silent[kind],
    link: (cause, effect, graph) => {
      if (cause.entity < 0 || effect.entity < 0) return undefined;
      return causedBy(cause.type).find(
        (mechanism) =>
          mechanism.effect === effect.type &&
          inTime(mechanism.delay_s, { cause, effect }) &&
          graph.sourcesOf(effect.entity).get(cause.entity) === mechanism.relation,
      );
    },
  };
}

/**
 * Clocks of two sources may be off by their uncertainty in either direction, one clock agrees with itself, but for the second
 * that a controller's log or a syslog cuts off; what is polled is recorded late.
 */
export function inTime(
  [least, most]: readonly [number, number],
  { cause, effect }: { readonly cause: EventFact; readonly effect: EventFact },
  { seenLate_s, mayBeLate_s }: TimeDoubts = noDoubts,
): boolean {
  const isOneClock = cause.source_id === effect.source_id;
  const slack = isOneClock ? 0 : Number(cause.clock_uncertainty_ns + effect.clock_uncertainty_ns) / 1e9;
  const delay = Number(effect.time_ns - cause.time_ns) / 1e9;
  const [soonest, latest] = [least - slack - seenLate_s(cause), most + slack + mayBeLate_s(effect)];
  if (delay >= soonest && delay <= latest) return true;
  const isCutToSeconds = isOneClock && Number.isInteger(delay);
  return isCutToSeconds && delay > soonest - 1 && delay < latest + 1;
}

/** The file that comes with Faultline, as text for whoever wants to edit it. */
export const bundledMechanisms: string = bundled;

export const defaultMechanisms = lazy((): Mechanisms => parseMechanisms(bundled));
