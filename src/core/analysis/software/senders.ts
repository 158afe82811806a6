import type { EntityFact } from '../../store/facts/reader.ts';
import { shareOf } from '../serving/causes.ts';
import type { ServingCondition } from '../serving/condition.ts';

/** Who sends requests that make a service slow, and how much of that they explain, 0 to 1. */
export interface Sender {
  readonly service: number;
  readonly share: number;
}

/**
 * By the slow service, the recorded service that alone sends it longer requests than before.
 * @param conditions strongest first
 */
export function sendersOf(
  conditions: readonly ServingCondition[],
  entities: readonly EntityFact[],
): ReadonlyMap<number, Sender> {
  const services = new Map(
    entities.flatMap(({ kind, id, canonical_id }) => (kind === 'service' ? [[id, canonical_id] as const] : [])),
  );
  const senders = new Map<number, Sender>();
  for (const condition of conditions) {
    const { figures, service } = condition;
    const caller = figures.rule === 'token-shift' ? figures.origin?.caller : undefined;
    const sender = caller === undefined || caller === null ? undefined : services.get(caller);
    if (sender !== undefined && sender !== service && !senders.has(service))
      senders.set(service, { service: sender, share: shareOf(condition) });
  }
  return senders;
}

/** Where a degradation begins, if what longer requests explain of a service is taken to begin in their sender. */
export function movedToSenders(
  begins: ReadonlyMap<number, number>,
  senders: ReadonlyMap<number, Sender>,
): ReadonlyMap<number, number> {
  const moved = new Map(begins);
  for (const [service, share] of begins) {
    const sender = senders.get(service);
    if (!sender) continue;
    const part = share * sender.share;
    moved.set(service, (moved.get(service) ?? 0) - part);
    moved.set(sender.service, (moved.get(sender.service) ?? 0) + part);
  }
  return moved;
}
