import type { WhatIf } from './what-if-schema.ts';

export type { LineChange, Move, RankingChange, Verdict, WhatIf } from './what-if-schema.ts';

export const isNothing = ({ without_layers, without_events, clock_shifts, moved_feeds }: WhatIf): boolean =>
  [without_layers, without_events, clock_shifts, moved_feeds].every((list) => list.length === 0);
