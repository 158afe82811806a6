import { useMemo } from 'react';
import type { Nanos } from '../../model/time.ts';
import { formatDate, formatTime, type TimeFormat } from '../draw/text/format-time.ts';
import { useFocus } from './focus.ts';
import { usePreferences } from './preferences.ts';

/** Format of the times of this case. */
export interface CaseTimeFormat extends TimeFormat {
  /** The case spans several days, so a time of day is ambiguous. */
  readonly dated: boolean;
}

type Bounds = ReturnType<typeof useFocus.getState>['bounds'];

const caseFormat = (mode: TimeFormat['mode'], originNs: Nanos, { startNs, endNs }: Bounds): CaseTimeFormat => {
  const format = { mode, originNs };
  return { ...format, dated: mode !== 'relative' && formatDate(startNs, format) !== formatDate(endNs, format) };
};

export function useTimeFormat(): CaseTimeFormat {
  const mode = usePreferences((state) => state.timeMode);
  const bounds = useFocus((focus) => focus.bounds);
  const originNs = useFocus((focus) => focus.onset ?? focus.bounds.startNs);
  return useMemo(() => caseFormat(mode, originNs, bounds), [mode, originNs, bounds]);
}

export function timeFormat(): CaseTimeFormat {
  const { onset, bounds } = useFocus.getState();
  return caseFormat(usePreferences.getState().timeMode, onset ?? bounds.startNs, bounds);
}

/** `14:32:04.118`, or `2026-03-01 14:32:04.118` in a case of several days; for tables, whose rows may be on any day. */
export const formatInstant = (time: Nanos, format: CaseTimeFormat, decimals = 3): string =>
  formatTime(time, { ...format, withDate: format.dated }, decimals);

const DATE_PX = 72;

/** Width of a time column; `px` is the width without dates. */
export const instantWidth = ({ dated }: CaseTimeFormat, px: number): string => `${px + (dated ? DATE_PX : 0)}px`;
