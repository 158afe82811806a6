import { parameters } from '../parameter.ts';

/** Which GPUs differ from their peers. */
export const fleet = parameters({
  leastPeers: { value: 5, meaning: 'GPUs that are compared with each other, at least' },
  farDeviations: {
    value: 6,
    meaning: 'A GPU differs from so many robust deviations on: none of a thousand normal GPUs is as far in a run',
  },
  leastRun: { value: 3, meaning: 'A difference lasts for so many buckets in a run' },
  leastSplitRun: {
    value: 2,
    meaning: 'Half of a workload differs for so many samples in a row: so many GPUs do not change together by chance',
  },
  peersShare: { value: 0.1, meaning: 'Share of the time in which a single GPU differs from its peers' },
  fleetShare: { value: 0.04, meaning: 'Share of the time in which a whole workload differs from the fleet' },
  leastRatioShare: { value: 0.04, meaning: 'A difference of a smaller share of the value is not relevant' },
  leastDegrees: { value: 5, meaning: 'A smaller difference of a temperature is not relevant, in degrees Celsius' },
  leastWatts: { value: 10, meaning: 'A smaller difference of a power is not relevant' },
  leastMegahertz: { value: 30, meaning: 'A smaller difference of a clock is not relevant' },
  leastPercent: { value: 5, meaning: 'A smaller difference of a utilization is not relevant' },
});
