import { parameters } from '../parameter.ts';

/** What all patterns share. */
export const patterns = parameters({
  apartSeconds: { value: 3600, meaning: 'Events of an entity further apart belong to two episodes' },
  repeatedApartSeconds: { value: 1800, meaning: 'The same for restarts and for what is tried again' },
  slowApartSeconds: { value: 900, meaning: 'The same for heat, load, crashes and the orchestrator' },
  briefApartSeconds: { value: 600, meaning: 'The same for links, storage and programs' },
  beforeImpactSeconds: {
    value: 60,
    meaning: 'A finding this long before an impact may belong to it: the default search window for causes',
  },
  mostEvents: { value: 500, meaning: 'Events of a type and entity that are read, at most' },
  mostSpans: { value: 50_000, meaning: 'Spans of checkpoints that are read, at most' },
  mostMinutes: { value: 100_000, meaning: 'Minutes of processes that are read, at most' },
  mostLoadSlices: { value: 200_000, meaning: 'Slices of data loading that are read, at most' },
  slices: { value: 240, meaning: 'Slices into which a recording is divided for stragglers' },
  leastSliceSeconds: { value: 10, meaning: 'Length of a slice, at least' },
});
