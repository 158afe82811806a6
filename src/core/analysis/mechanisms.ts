import { load } from 'js-yaml';
import { z } from 'zod';
import { fail } from '../../model/problem.ts';
import type { EventFact } from '../store/reader.ts';
import type { EntityGraph } from './entity-graph.ts';
import bundled from './mechanisms.yaml?raw';

const mechanismSchema = z.object({
  cause: z.string(),
  effect: z.string(),
  relation: z.enum(['same', 'below', 'above']),
  delay_s: z.tuple([z.number(), z.number()]),
  strength: z.number().min(0).max(1),
  source: z.string(),
});
const fileSchema = z.object({
  version: z.literal(1),
  roots: z.record(z.string(), z.number()),
  mechanisms: z.array(mechanismSchema),
});

export type Mechanism = z.infer<typeof mechanismSchema>;

export interface Mechanisms {
  /** Log-odds that an event of this type is where an incident began. */
  rootWeight(type: string): number;
  /** Everything that is known about a type, as evidence. */
  about(type: string): readonly Mechanism[];
  /** The mechanism by which `cause` may have brought about `effect`, if kind, topology and delay allow it. */
  link(cause: EventFact, effect: EventFact, graph: EntityGraph): Mechanism | undefined;
}

/** @throws ProblemError mechanisms.invalid */
export function parseMechanisms(yaml: string): Mechanisms {
  const parsed = fileSchema.safeParse(load(yaml));
  if (!parsed.success) {
    return fail(
      'mechanisms.invalid',
      `mechanisms.yaml is not valid: ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
    );
  }
  const { roots, mechanisms } = parsed.data;
  const byCause = Map.groupBy(mechanisms, (mechanism) => mechanism.cause);
  return {
    rootWeight: (type) => roots[type] ?? 0,
    about: (type) => mechanisms.filter(({ cause, effect }) => cause === type || effect === type),
    link: (cause, effect, graph) =>
      byCause.get(cause.type)?.find((mechanism) => applies(mechanism, cause, effect, graph)),
  };
}

function applies(mechanism: Mechanism, cause: EventFact, effect: EventFact, graph: EntityGraph): boolean {
  if (mechanism.effect !== effect.type || cause.entity < 0 || effect.entity < 0) return false;
  // Clocks may be off by their uncertainty in either direction.
  const slack = Number(cause.clock_uncertainty_ns + effect.clock_uncertainty_ns) / 1e9;
  const delay = Number(effect.time_ns - cause.time_ns) / 1e9;
  if (delay < mechanism.delay_s[0] - slack || delay > mechanism.delay_s[1] + slack) return false;
  switch (mechanism.relation) {
    case 'same':
      return cause.entity === effect.entity;
    case 'below':
      return cause.entity !== effect.entity && graph.below(cause.entity).has(effect.entity);
    case 'above':
      return cause.entity !== effect.entity && graph.below(effect.entity).has(cause.entity);
  }
}

export const defaultMechanisms: Mechanisms = parseMechanisms(bundled);
