/** `state`: what a thing is from one time to another, shown by samples that are codes, or by events that come in pairs. */
export const laneKinds = ['events', 'state', 'collectives', 'spans', 'logs', 'metric'] as const;

/** Stands where a layer stands: lanes that answer the investigator's own queries. */
export const QUERIES = 'queries';

/** Of a band: the severities of events, then what is as it should be, and what nobody recorded. */
export const bandTones = ['critical', 'high', 'medium', 'low', 'calm', 'unknown'] as const;
export type BandTone = (typeof bandTones)[number];
