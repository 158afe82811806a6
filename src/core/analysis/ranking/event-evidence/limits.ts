import type { EventFact } from '../../../store/facts/reader.ts';
import { limitsPerformance, severityWeight } from '../../causality/event-traits.ts';
import type { Movement } from '../../causality/movements.ts';
import { readableType } from '../../evidence/evidence-text.ts';
import { defineKind, type Line, line } from '../../evidence/kind.ts';
import { type Changes, changesText } from '../../evidence/numbers.ts';
import type { IncidentContext } from '../incident-context.ts';
import type { EventEvidence } from './event-evidence.ts';

const limited = defineKind<Changes & { readonly type: string }>({
  id: 'held',
  sign: 1,
  judgement: 0.5,
  most: 1.5,
  text: ({ type, ...changes }) => `${readableType(type)} slows a machine down, and ${changesText(changes)}`,
});

const notLimited = defineKind<Changes & { readonly type: string }>({
  id: 'not_held',
  sign: -1,
  judgement: -1,
  text: ({ type, ...changes }) => `${readableType(type)} slows a machine down, but ${changesText(changes)}`,
});

/** A limit that slows a machine shows in its metrics; one that it never reaches does not, and is harmless. */
function limitedLines(event: EventFact, { input: situation }: IncidentContext): Line[] {
  const { graph, movements } = situation;
  if (event.entity < 0 || !limitsPerformance(event)) return [];
  const known = graph.machinesOf(event.entity).flatMap((box) => movements.get(box) ?? []);
  const [still, fell] = [known.filter((one) => one.still), known.filter((one) => one.moved && !one.busier)];
  const parametersOf = (list: readonly Movement[]) => ({ type: event.type, changes: list.map(({ change }) => change) });
  const refs = (list: readonly Movement[]) => list.flatMap((one) => one.refs);
  if (fell.length > 0)
    return [line(limited, (severityWeight(event) * fell.length) / known.length, parametersOf(fell), refs(fell))];
  if (still.length === 0) return [];
  return [line(notLimited, still.length / known.length, parametersOf(still), refs(still))];
}

export const limitEvidence: EventEvidence = {
  kinds: [limited, notLimited],
  find: ({ event }, context) => limitedLines(event, context),
};
