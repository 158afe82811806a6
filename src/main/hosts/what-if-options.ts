import { layers } from '../../model/entity.ts';
import type { WhatIf } from '../../model/incident/what-if.ts';
import { type Invocation, UsageError } from './commands/command.ts';
import { messages } from './commands/messages/correlate.ts';

/** Options of a what-if; each may occur several times. */
export const whatIfOptions = {
  'without-layer': { type: 'string', multiple: true },
  'without-event': { type: 'string', multiple: true },
  shift: { type: 'string', multiple: true },
  'move-feed': { type: 'string', multiple: true },
} as const;

/** null without any of these options. */
export function readWhatIf(invocation: Invocation): WhatIf | null {
  const optionTexts = (name: keyof typeof whatIfOptions): string[] =>
    (invocation.values[name] as string[] | undefined) ?? [];
  if (Object.keys(whatIfOptions).every((name) => optionTexts(name as keyof typeof whatIfOptions).length === 0))
    return null;
  return {
    without_layers: optionTexts('without-layer').map(layer),
    without_events: optionTexts('without-event').map((id) => {
      if (id === '') throw new UsageError(messages.whatIf.noEvent);
      return id;
    }),
    clock_shifts: optionTexts('shift').map(shift),
    moved_feeds: optionTexts('move-feed').map(movedFeed),
  };
}

function layer(name: string): WhatIf['without_layers'][number] {
  const found = layers.find((known) => known === name);
  if (!found) throw new UsageError(messages.whatIf.layer(layers.join(', '), name));
  return found;
}

function shift(given: string): WhatIf['clock_shifts'][number] {
  const match = /^(.+)=([+-]?\d+(?:\.\d+)?)s?$/.exec(given);
  if (!match) throw new UsageError(messages.whatIf.shift(given));
  return { source: match[1]!, seconds: Number(match[2]) };
}

function movedFeed(given: string): WhatIf['moved_feeds'][number] {
  const match = /^([^=]+)=([^,]*)(?:,(.+))?$/.exec(given);
  if (!match) throw new UsageError(messages.whatIf.moveFeed(given));
  return { to: match[1]!, from: match[2] || null, instead_of: match[3] ?? null };
}
