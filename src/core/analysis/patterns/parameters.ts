import { parameters } from '../parameter.ts';

/** What all patterns share. */
export const patterns = parameters({
  apartSeconds: {
    value: 3600,
    meaning: 'Events of an entity further apart belong to two episodes, where nothing else is known',
  },
  repeatedApartSeconds: {
    value: 1800,
    meaning: 'Restarts, and attempts that are repeated, belong to two episodes if they are further apart',
  },
  slowApartSeconds: {
    value: 900,
    meaning: 'Events of heat, load, crashes and the orchestrator belong to two episodes if they are further apart',
  },
  briefApartSeconds: {
    value: 600,
    meaning: 'Events of links, storage and programs belong to two episodes if they are further apart',
  },
  beforeImpactSeconds: {
    value: 60,
    meaning: 'A finding this long before an impact may belong to it: the default search window for causes',
  },
  slices: {
    value: 240,
    meaning: 'Slices into which a recording is divided for stragglers',
    least: 1,
    most: 10_000,
  },
  leastSliceSeconds: { value: 10, meaning: 'Length of a slice, at least', least: 1 },
});

/** What is read for patterns. */
export const patternLimits = parameters({
  mostEvents: { value: 500, meaning: 'Events of a type and entity that are read, at most' },
  mostSpans: { value: 50_000, meaning: 'Spans of checkpoints that are read, at most' },
  mostMinutes: { value: 100_000, meaning: 'Minutes of processes that are read, at most' },
  mostLoadSlices: { value: 200_000, meaning: 'Slices of data loading that are read, at most' },
});
