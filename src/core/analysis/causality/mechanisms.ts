import { z } from 'zod';
import { lazy } from '../../../base/lazy.ts';
import { issueText, readYaml, type YamlIssue } from '../../../base/yaml-issues.ts';
import { type EntityKind, entityKinds } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { clocksApart_s } from '../clocks/clocks-apart.ts';
import { noDoubts, type TimeDoubts } from '../clocks/time-doubts.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { type MechanismRelation, mechanismRelations } from '../topology/mechanism-relation.ts';
import bundled from './mechanisms.yaml?raw';

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
  // A reaction that a site may configure or not. It explains by a recorded cause; no unreported cause is supposed from it.
  configured: z.boolean().optional(),
});
const harmSchema = z.object({
  strength,
  delay_s: delay,
  // Only some of what is on the device suffers: one process, those that read a store.
  some: z.boolean().optional(),
  // What suffers waits: power and load of its machine may stay as they are.
  waits: z.boolean().optional(),
  // Requests do not arrive, or arrive late: a service behind it answers what reaches it as before.
  intercepts: z.boolean().optional(),
  corrupts: z.boolean().optional(),
});
const fileSchema = z.object({
  version: z.literal(2),
  roots: z.record(z.string(), z.number()),
  harms: z.record(z.string(), harmSchema),
  silent: z.partialRecord(z.enum(entityKinds), z.string()),
  mechanisms: z.array(mechanismSchema),
});

/** A way in which an event type brings about another; delays in seconds. */
export type Mechanism = Omit<z.infer<typeof mechanismSchema>, 'relation'> & { readonly relation: MechanismRelation };
/** Harm of an event type to a service on its entity. */
export type Harm = z.infer<typeof harmSchema>;

export interface Mechanisms {
  /** Log-odds that an event of this type is a root cause. */
  rootWeight(type: string): number;
  /** Evidence ids of an event type. */
  about(type: string): readonly Mechanism[];
  causedBy(type: string): readonly Mechanism[];
  causesOf(type: string): readonly Mechanism[];
  harmOf(type: string): Harm | undefined;
  /** Maximum delay of the effects of an event type, seconds. */
  reachOf(type: string): number;
  /** Maximum reporting delay of an event type after its harm, for example of cloud health events, seconds. */
  maxReportDelay_s(type: string): number;
  /** Assumed event type of a silent entity of this kind. */
  silentCause(kind: EntityKind): string | undefined;
  /** The mechanism from `cause` to `effect`, if type, topology and delay allow one. */
  link(cause: EventFact, effect: EventFact, graph: EntityGraph): Mechanism | undefined;
}

const nothing: readonly Mechanism[] = [];

/** All errors in a mechanisms file; empty if it is valid. */
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
      hint: '`faultline mechanisms --check` lists all errors',
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
 * Clocks may differ in both directions ({@link clocksApart_s}); one clock agrees with itself, except for the truncated second of
 * BMC logs and syslog. Polled events are recorded late.
 */
export function inTime(
  [least, most]: readonly [number, number],
  { cause, effect }: { readonly cause: EventFact; readonly effect: EventFact },
  { seenLate_s, mayBeLate_s }: TimeDoubts = noDoubts,
): boolean {
  const slack = clocksApart_s(cause, effect);
  const delay = Number(effect.time_ns - cause.time_ns) / 1e9;
  const [soonest, latest] = [least - slack - seenLate_s(cause), most + slack + mayBeLate_s(effect)];
  if (delay >= soonest && delay <= latest) return true;
  const isCutToSeconds = slack === 0 && Number.isInteger(delay);
  return isCutToSeconds && delay > soonest - 1 && delay < latest + 1;
}

/** The built-in file as text, as a template for edits. */
export const bundledMechanisms: string = bundled;

export const defaultMechanisms = lazy((): Mechanisms => parseMechanisms(bundled));
