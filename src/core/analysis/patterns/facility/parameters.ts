import { parameters } from '../../parameter.ts';

/** Patterns of power and cooling. */
export const facilityPatterns = parameters({
  coolingTogetherSeconds: {
    value: 900,
    meaning: 'Machines that get warm within this time may share a cause: warm air takes minutes through a rack',
  },
  coolingMachines: { value: 2, meaning: 'Fewer warm machines have faults of their own' },
  loadBeforeSeconds: {
    value: 120,
    meaning: 'How busy GPUs are so long before they grow warm is compared with how busy they were earlier',
  },
  moreLoadPercent: { value: 10, meaning: 'GPUs that are busier by so many percent of the time warm machines alone' },
  failoverApartSeconds: { value: 300, meaning: 'Events of feeds further apart belong to two failovers' },
  failoverBeforeSeconds: {
    value: 10,
    meaning: 'Power supplies react to a failover this long before it: clocks of PDUs and BMCs are seconds off',
  },
  failoverAfterSeconds: {
    value: 120,
    meaning: 'Power supplies react to a failover this long after it: BMCs are polled once a minute',
  },
  redundancySeconds: { value: 300, meaning: 'A shorter loss of redundancy is a normal transfer' },
  redundancyTogetherSeconds: { value: 60, meaning: 'Losses of redundancy within this time are one' },
  mainsTogetherSeconds: { value: 120, meaning: 'UPS of a site that transfer within this time have a common cause' },
  psuAloneSeconds: {
    value: 120,
    meaning: 'Within this time of a fault of the supply, or of the PSU of another machine, the supply is the suspect',
  },
});
