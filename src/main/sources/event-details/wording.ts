import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { EventDetails, Qualifier, StatedEvent } from '../../../model/telemetry/event-details.ts';

/** Characters of a text that are read: longer ones are dumps, and the meaning comes first. */
export const MOST_TEXT = 4096;

/** One wording of a vendor, and what it means. */
export interface Wording {
  /** Types of events that it is looked for in. */
  readonly types: readonly EventType[] | 'any';
  readonly words: RegExp;
  /** What is read; the message where this is missing. */
  readonly of?: (event: StatedEvent) => string;
  readonly means: Qualifier | ((match: RegExpExecArray) => EventDetails);
}

/** An attribute that is no empty text. */
export function statedText(attributes: StatedEvent['attributes'], ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') return String(value);
  }
  return undefined;
}
