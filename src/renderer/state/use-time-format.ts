import { useMemo } from 'react';
import type { TimeFormat } from '../draw/format-time.ts';
import { useFocus } from './focus.ts';
import { usePreferences } from './preferences.ts';

export function useTimeFormat(): TimeFormat {
  const mode = usePreferences((state) => state.timeMode);
  const originNs = useFocus((focus) => focus.onset ?? focus.bounds.startNs);
  return useMemo(() => ({ mode, originNs }), [mode, originNs]);
}

export function timeFormat(): TimeFormat {
  const focus = useFocus.getState();
  return { mode: usePreferences.getState().timeMode, originNs: focus.onset ?? focus.bounds.startNs };
}
