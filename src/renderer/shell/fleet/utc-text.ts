import { formatUtc, type Nanos } from '../../../model/time.ts';

/** `2026-05-01 14:25:00`: no case is open that had a time format of its own. */
export const utcText = (time: Nanos): string => formatUtc(time).slice(0, 19).replace('T', ' ');
