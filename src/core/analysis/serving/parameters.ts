import { parameters } from '../parameter.ts';

/** What is read of the serving of models. */
export const serving = parameters({
  slices: { value: 240, meaning: 'Slices into which a recording is divided for the serving of models', least: 1 },
  leastSliceSeconds: { value: 10, meaning: 'Length of such a slice, at least', least: 1 },
  mostFacts: { value: 200_000, meaning: 'Quantities of services, replicas and slices that are read, at most' },
  mostParts: { value: 50, meaning: 'Models, routes and tenants of a service that are compared, each at most' },
  leastUsual: { value: 3, meaning: 'Fewer levels before are not what is usual', least: 1 },
  mostUsual: { value: 60, meaning: 'Latest levels of which the median is what is usual', least: 1 },
  mostHeldSlices: { value: 30, meaning: 'Slices for which a reading holds until the next one, at most', least: 1 },
  mostGapIntervals: {
    value: 3,
    meaning: 'Intervals of readings without one within a run of slices, at most',
    least: 1,
  },
  requestsOfSlice: {
    value: 10,
    meaning: 'Slices of requests of one origin are long enough for so many of them',
    least: 1,
  },
  leastOriginRequests: {
    value: 20,
    meaning: 'Fewer requests of an origin, or of all others, are not compared',
    least: 1,
  },
  originShare: {
    value: 0.9,
    meaning: 'Share of the tokens beyond those before from which requests of one origin account for them',
  },
  longerInFull: {
    value: 0.5,
    meaning: 'Growth of the tokens of all requests from which longer ones of one origin count in full',
  },
  onsetSeconds: {
    value: 120,
    meaning: 'What begins in the serving of a model this long before or after the onset of an impact may be its cause',
  },
  lastingSeconds: {
    value: 900,
    meaning: 'What began so long before that, and still holds, is no cause of an impact that begins now',
  },
  batchingShare: { value: 1, meaning: 'How surely underfilled batches beside a queue are a cause in software' },
  idleShare: { value: 0.8, meaning: 'The same of idle GPUs beside a queue: a slow network or CPU starves them, too' },
  cacheShare: { value: 0.8, meaning: 'The same of a cache that finds less' },
  tokensShare: { value: 0.8, meaning: 'The same of longer requests' },
  toolShare: { value: 0.8, meaning: 'The same of slow tools' },
  coldStartShare: { value: 0.5, meaning: 'The same of a cold start, which follows a crash, too' },
  scaleLagShare: { value: 0.5, meaning: 'The same of replicas that are late, which broken machines delay, too' },
  fullCacheShare: { value: 0.5, meaning: 'The same of a full key-value cache: slow requests fill it, too' },
  replicaShare: { value: 0.3, meaning: 'The same of a slow replica, whose machine may be slow' },
  requestsShare: {
    value: 0.8,
    meaning: 'The same of requests for one route or tenant that degraded alone',
  },
  modelShare: {
    value: 0.5,
    meaning: 'The same of requests for one model, which may have devices of its own',
  },
  effectShare: {
    value: 0.3,
    meaning:
      'Share of these that counts beside an event on the infrastructure of the service, of which they may be effects',
  },
  answeredShare: {
    value: 0.8,
    meaning: 'Share by which a sure cause in software answers for missing device events',
  },
});
