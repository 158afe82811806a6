import { readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** An event that recurs all the time, or on many devices, is rarely a root cause. */

export const routine = defineKind<{ readonly type: string; readonly device: string; readonly times: number }>({
  id: 'routine',
  sign: -1,
  judgement: -0.6,
  least: 0.3,
  text: ({ type, device, times }) => `${readableType(type)} was recorded ${times} times on ${device} at other times`,
});

export const elsewhere = defineKind<{ readonly type: string; readonly devices: number; readonly service: string }>({
  id: 'elsewhere',
  sign: -1,
  judgement: -1,
  text: ({ type, devices, service }) =>
    `${readableType(type)} at the same time on ${devices} devices that ${service} does not use`,
});
