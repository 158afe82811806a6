import { parameters } from '../parameter.ts';

/** Which events metric samples show. */
export const derive = parameters({
  pauseSeconds: { value: 10, meaning: 'A shorter pause does not end an episode' },
  pauseSamples: { value: 2, meaning: 'A pause of fewer samples does not end an episode' },
  baselineSamples: { value: 10, meaning: 'A median of fewer samples is no baseline' },
  leastMedianVolts: {
    value: 1,
    meaning: 'A supply with a lower median voltage is usually off and has no normal voltage',
  },
  leastDiscardsPerSecond: {
    value: 10,
    meaning: 'A port that drops fewer packets, over a sampling interval, is not congested: short bursts are normal',
  },
  leastPausesPerSecond: { value: 100, meaning: 'The same for pause frames' },
  capStepShare: { value: 0.02, meaning: 'A power limit that moves by a smaller share is trimmed by its controller' },
  noLoadWatts: { value: 1, meaning: 'A supply, outlet or phase with less power has no load' },
  noLoadAmperes: { value: 0.1, meaning: 'A phase of a PDU with less current has no load' },
  usualIdleShare: {
    value: 0.1,
    meaning:
      'A supply, outlet or phase that had no load in a larger share of its earlier samples is often without: in cold redundancy, or unused',
  },
  lowFlowShare: { value: 0.75, meaning: 'A coolant flow below this share of its usual one is low' },
  warmSupplyKelvin: {
    value: 5,
    meaning: 'A cooling unit that supplies so much warmer than usual does not cool as it should',
  },
  pressureShare: { value: 0.2, meaning: 'Work that waits for a smaller share of time does not suffer' },
  pressureTimes: { value: 5, meaning: 'Pressure is high from so many times its usual share of time' },
  backShare: { value: 0.5, meaning: 'A reading is back after this share of the way to its usual level' },
  shiftParts: {
    value: 500,
    meaning: 'And later by one of so many parts of the recording so far, all of which is read',
  },
  shiftSeconds: { value: 15, meaning: 'Live, levels of cooling units are judged this often' },
  hysteresisShare: {
    value: 0.02,
    meaning: 'Hysteresis at the end of an excursion as a share of the limit, as IEC 61000-4-30 has it for voltages',
  },
  startDistances: {
    value: 2,
    meaning: 'A counter that began more than so many sampling distances before its first sample does not show a start',
  },
  sameStartSeconds: {
    value: 300,
    meaning: 'A start of a pod that samples show within this time of a recorded one is the same',
  },
});
