import { parameters } from '../../parameter.ts';

/** Patterns of serving. */
export const servingPatterns = parameters({
  hardwareSeconds: {
    value: 300,
    meaning: 'Within this time of a hardware fault of its GPU, a program fault is an effect',
  },
  deploySeconds: { value: 600, meaning: 'Error rates this long before and after a deployment are compared' },
  deployMeasurements: { value: 3, meaning: 'Fewer measurements before or after a deployment are not compared' },
  deployRisePercent: {
    value: 5,
    meaning: 'Rise of the error rate after a bad deployment, in points: a typical paging threshold',
  },
  deployRatio: { value: 3, meaning: 'The error rate after a bad deployment is this many times the one before' },
  retryGrowth: {
    value: 1.2,
    meaning: 'Calls for each request in a retry storm; a retry budget of a tenth, as in the SRE book, limits it to 1.1',
  },
  leastRetries: { value: 20, meaning: 'Fewer retries are no storm' },
  servingLastsSeconds: {
    value: 30,
    meaning: 'What is unlike before in the serving of a model lasts so long, at least',
  },
  waitingRequests: {
    value: 2,
    meaning: 'From this many requests on, on average, a queue is one that more work could clear',
  },
  idleGpuPercent: {
    value: 40,
    meaning: 'A GPU that is less busy than this, while requests wait, is not what they wait for',
  },
  workingGpuPercent: {
    value: 50,
    meaning: 'From this load on, a GPU that was idle while requests wait is at work again',
  },
  underfilledPercent: {
    value: 30,
    meaning: 'A batch under this share of its limit, while requests wait, is underfilled',
  },
  cacheFallPercent: {
    value: 15,
    meaning: 'Fall of the hit rate of a cache, in points, from which its misses may cost time',
  },
  cacheFallShare: { value: 0.8, meaning: 'The hit rate of a cache falls to this share of the one before, at most' },
  leastLookups: { value: 50, meaning: 'Fewer look-ups of a cache in all show no hit rate' },
  fullCachePercent: { value: 95, meaning: 'From this use on, a key-value cache has no room for another sequence' },
  leastPreemptions: {
    value: 1,
    meaning: 'Requests set back in the time in which a key-value cache was full, at least',
  },
  slowReplicaTimes: { value: 2, meaning: 'A replica is unlike its peers if its requests take so many times as long' },
  leastReplicas: { value: 3, meaning: 'Among fewer replicas none is unlike its peers', least: 2 },
  leastReplicaRequests: { value: 20, meaning: 'Fewer requests of a replica in all show no usual duration' },
  longerTokensTimes: { value: 1.5, meaning: 'Prompts or answers with so many times the tokens are longer ones' },
  tokensLastSeconds: { value: 60, meaning: 'Longer prompts or answers last so long, at least' },
  leastTokenRequests: { value: 50, meaning: 'Fewer requests show no usual length of prompts or answers' },
  longPromptTimes: { value: 8, meaning: 'A prompt of so many times the usual tokens is a very long one' },
  longestPromptTimes: {
    value: 3,
    meaning: 'And of so many times the usual longest one, which many recordings always have',
  },
  slowToolTimes: { value: 3, meaning: 'Tools are slow if a call takes so many times as long as before' },
  leastToolCalls: { value: 10, meaning: 'Fewer calls of tools show no usual duration' },
  cancelledPercent: { value: 5, meaning: 'Share of requests that clients cancel from which it is a finding' },
  cancelledTimes: { value: 3, meaning: 'So many times the share before, at least' },
  leastCancelled: { value: 5, meaning: 'Fewer cancelled requests are no finding' },
  coldStartTimes: { value: 2, meaning: 'A cold start costs if requests take so many times as long as before' },
  scaleLagSeconds: {
    value: 60,
    meaning: 'A service that is scaled out has fewer ready replicas than wanted for so long, at least',
  },
  missingReplicas: { value: 1, meaning: 'Replicas that were wanted and not ready, on average, at least' },
  slowPartTimes: {
    value: 3,
    meaning:
      'A part of the requests is slow if it takes so many times as long as before, the change of the other requests divided out',
  },
  leastPartRequests: { value: 5, meaning: 'Fewer requests of a part, before or while it is slow, show nothing' },
  tailTimes: { value: 3, meaning: 'The p99 of a service is long at so many times its baseline' },
  tailMeasurements: { value: 2, meaning: 'Consecutive measurements with a long p99, at least' },
  tailApart: { value: 10, meaning: 'Long tails so many measurements apart, or fewer, are one' },
  tokenTailSeconds: {
    value: 60,
    meaning: 'A long tail of the time to the first token, or between tokens, lasts so long, at least',
  },
  tailBaseline: { value: 10, meaning: 'Fewer measurements before are no baseline of the p99' },
});
