/**
 * What not every host can do: what it cannot is absent from its window. import: read files that were recorded; demo: make the demo
 * incident; live: record from devices and services; windows: more of them on one case; parts: bundles that are cut or redacted;
 * signatures: sign with a key of this system; exports: traces and tables for other tools; keep: what is added to a case is kept with it, without being saved.
 */
export const hostAbilities = ['import', 'demo', 'live', 'windows', 'parts', 'signatures', 'exports', 'keep'] as const;
export type HostAbility = (typeof hostAbilities)[number];
