import { formatUtc, nanos } from '../../../model/time.ts';

/** `measurement:SERVICE@TIME` names the measurement of a service, or of a part of it, at one time, to the millisecond. */
export const measurementRef = (service: string, time_ns: bigint): string =>
  `measurement:${service}@${formatUtc(nanos(time_ns))}`;
