import { formatUtc, nanos } from '../../../model/time.ts';

/** `measurement:SERVICE@TIME` names what a service measured at one instant, to the millisecond. */
export const measurementRef = (service: string, time_ns: bigint): string =>
  `measurement:${service}@${formatUtc(nanos(time_ns))}`;
