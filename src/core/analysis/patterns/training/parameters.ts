import { parameters } from '../../parameter.ts';

/** Patterns of training. */
export const trainingPatterns = parameters({
  slowSaveTimes: { value: 3, meaning: 'A slow checkpoint takes so many times as long as others of the job' },
  slowSaveSeconds: { value: 10, meaning: 'A slow checkpoint takes this much longer than others of the job' },
  otherSaves: { value: 3, meaning: 'Fewer other checkpoints of the job are no reference' },
  storageSeconds: {
    value: 300,
    meaning: 'Reports of storage and of hung tasks this near to a checkpoint belong to it',
  },
  slowClockShare: {
    value: 0.9,
    meaning: 'A GPU is slow below this share of the clock of its peers; boost clocks differ by a few percent',
  },
  alikeClockShare: {
    value: 0.95,
    meaning: 'The GPUs beside a slow one are at this share of the clock of their peers, at least',
  },
  busyPercent: { value: 50, meaning: 'A GPU with a lower utilization is not compared by its clock' },
  clockGpus: { value: 3, meaning: 'Fewer GPUs are not compared by their clock' },
  clockSlices: { value: 3, meaning: 'A GPU is slow for so many slices' },
  slowGpusShare: { value: 0.25, meaning: 'If a larger share of the GPUs is slow, the whole job is' },
  watchdogSeconds: {
    value: 3600,
    meaning: 'A hang this near to a watchdog timeout is the same one: watchdogs wait for 10 or 30 minutes (PyTorch)',
  },
  lateSeconds: {
    value: 0.01,
    meaning: 'A shorter delay in a collective is scheduling noise; the rank lanes have the same limit',
  },
  lastShare: { value: 0.5, meaning: 'A straggler is last in this share of the operations; one rank is always last' },
  lastTimes: { value: 5, meaning: 'A straggler is last so many times, or in so many slices' },
  lastChance: { value: 0.0001, meaning: 'A rank is a straggler if the chance of being last as often is below this' },
  lostShare: { value: 0.02, meaning: 'A delay that takes a smaller share of the time is not worth action' },
  lostSeconds: {
    value: 10,
    meaning: 'A wait for data that takes less in all, and a smaller share than lostShare, is not worth action',
  },
  severeLossShare: { value: 0.1, meaning: 'A straggler that takes this share of the time is of high severity' },
  longerTimes: { value: 2, meaning: 'CUDA operations of a straggler take so many times as long as those of its peers' },
  pauseSlices: { value: 2, meaning: 'So many slices without delay do not end a time of delays' },
  stalledShare: {
    value: 0.25,
    meaning: 'A step that waits for data for this share is stalled; PyTorch recommends a change from 5 % on',
  },
  stalledSteps: {
    value: 3,
    meaning: 'Stalled steps beside the longest: the first batch of an epoch always takes longer',
  },
  pauseSteps: {
    value: 16,
    meaning:
      'So many steps without a wait do not end a time of waits: slow workers are late together, once in as many steps',
  },
  severeStallShare: { value: 0.5, meaning: 'A job that waits for data for this share of the time is of high severity' },
  mostOperations: {
    value: 30,
    meaning: 'A process with more CUDA operations a minute makes steps: each launches many kernels',
  },
  leastSwitches: { value: 6000, meaning: 'A worker with fewer context switches a minute waits for its queue' },
});
