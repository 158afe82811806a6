import { parameters } from '../../parameter.ts';

/** Patterns of GPUs. */
export const gpuPatterns = parameters({
  causeBeforeSeconds: { value: 120, meaning: 'Power events this long before a brake or cap may be its cause' },
  brakeAfterSeconds: { value: 30, meaning: 'Power events this long after a brake may be its cause' },
  brakeTogetherSeconds: {
    value: 60,
    meaning: 'One power event brakes many GPUs within a poll interval of their drivers',
  },
  capTogetherSeconds: {
    value: 15,
    meaning: 'A controller caps its machines within this time; a policy change a minute earlier is another',
  },
  slowedShare: {
    value: 0.9,
    meaning: 'A busy GPU is slowed if its clock falls below this share of what it was before',
  },
  heatBeforeSeconds: { value: 900, meaning: 'Cooling events this long before a throttle may be its cause' },
  heatAfterSeconds: { value: 60, meaning: 'Cooling events this long after the end of a throttle may be its cause' },
});
