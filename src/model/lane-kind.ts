/** `state`: states of an entity, from samples that are codes, or from pairs of events. */
export const laneKinds = ['events', 'state', 'collectives', 'spans', 'logs', 'metric'] as const;

/** Stands where a layer stands: lanes that answer the investigator's own queries. */
export const QUERIES = 'queries';

/** Tone of a band: severities of events, then normal, then not recorded. */
export const bandTones = ['critical', 'high', 'medium', 'low', 'calm', 'unknown'] as const;
export type BandTone = (typeof bandTones)[number];
