import { parameters } from '../parameter.ts';

/** Which GPUs differ from their peers. */
export const fleet = parameters({
  leastPeers: { value: 5, meaning: 'GPUs that are compared, at least, each among them' },
  farDeviations: {
    value: 6,
    meaning: 'Robust deviations from the others: none of a thousand normal GPUs is as far in a run',
  },
  leastRun: { value: 3, meaning: 'A difference lasts for so many buckets in a run' },
  peersShare: { value: 0.1, meaning: 'Share of the time in which a single GPU differs from its peers' },
  fleetShare: { value: 0.04, meaning: 'Share of the time in which a whole workload differs from the fleet' },
  leastRatioShare: { value: 0.04, meaning: 'A difference of a smaller share of the value is not relevant' },
  leastDegrees: { value: 5, meaning: 'Nor is a smaller difference of a temperature, in Celsius' },
  leastWatts: { value: 10, meaning: 'Nor is a smaller difference of a power' },
  leastMegahertz: { value: 30, meaning: 'Nor is a smaller difference of a clock' },
  leastPercent: { value: 5, meaning: 'Nor is a smaller difference of a utilization' },
});
