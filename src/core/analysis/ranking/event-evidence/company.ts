import { listed, type Names, namesOf } from '../../evidence/evidence-text.ts';
import { defineKind, entityRef, type Line, line } from '../../evidence/kind.ts';
import { began } from '../began.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';

interface Called {
  readonly service: string;
  readonly callees: Names;
}

const calledText = ({ service, callees }: Called): string =>
  `${service} calls ${listed(callees)}, which degraded at the same time`;

const calleeCovered = defineKind<Called>({
  id: 'callee_covered',
  sign: 1,
  judgement: 0.3,
  text: (called) => `${calledText(called)}, and it reaches them`,
});

const calleeMissed = defineKind<Called>({
  id: 'callee_missed',
  sign: -1,
  judgement: -0.5,
  text: (called) => `${calledText(called)}, and it does not reach them`,
});

const scope = defineKind<{
  readonly covered: number;
  readonly of: number;
  readonly service: string;
  readonly reached: Names;
}>({
  id: 'scope',
  sign: 1,
  judgement: 0.5,
  text: ({ covered, of, service, reached }) =>
    `reaches ${covered} of ${of} services that degraded too and do not call ${service}: ${listed(reached)}`,
});

const scopeNone = defineKind<{ readonly of: number; readonly service: string }>({
  id: 'scope_none',
  sign: -1,
  judgement: -2,
  least: 1,
  text: ({ of, service }) => `reaches none of ${of} services that degraded too and do not call ${service}`,
});

/** Services that degraded at the same time: callees pass degradation on, and one cause may explain all. */
export function companyLines(entity: number, context: IncidentContext): Line[] {
  const { graph, service } = context.input;
  const { others, callees } = context.once(companyOf);
  if (entity < 0 || others.length === 0) return [];
  const reaches = (other: number) => {
    const relation = graph.relation(entity, other);
    return relation === 'mapped' || relation === 'caller';
  };
  const hurt = others.filter((other) => callees.has(other));
  const covered = others.filter(reaches);
  const names = (keys: readonly number[]): Names => namesOf(keys.map((key) => graph.node(key)?.id ?? '?'));
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const of = others.length;
  const reached = { covered: covered.length, of, service, reached: names(covered) };
  const lines = [line(scope, covered.length / of, reached, refs(covered))];
  if (covered.length === 0 && of >= ranking.severalServices)
    lines.push(line(scopeNone, 1, { of, service }, refs(others)));
  if (hurt.length === 0) return lines;
  const known = hurt.filter(reaches);
  const called = { service, callees: names(hurt) };
  return known.length > 0
    ? [...lines, line(calleeCovered, 1, called, refs(known))]
    : [...lines, line(calleeMissed, 1, called, refs(hurt))];
}

/** Services that degraded with this one, and those that it calls. */
function companyOf({ input: { graph, impacts, window } }: IncidentContext) {
  const degraded = new Set(impacts.filter((one) => began(one, window)).map((one) => one.service));
  // A service that calls this one degrades in any case and is no evidence on the cause.
  const others = [...degraded].filter((one) => !graph.calleesOf(one).has(window.service));
  return { others, callees: graph.calleesOf(window.service) };
}

export const companyEvidence: EventEvidence = {
  kinds: [calleeCovered, calleeMissed, scope, scopeNone],
  find: ({ event }, context) => companyLines(event.entity, context),
};
