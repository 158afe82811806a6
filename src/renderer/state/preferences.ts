import { useSyncExternalStore } from 'react';
import { create } from 'zustand';
import type { TimeMode } from '../draw/text/format-time.ts';
import type { LaneLevel } from '../draw/timeline/row-layout.ts';

export type Theme = 'system' | 'dark' | 'light';

/** Settings that persist between launches. */
export interface Preferences {
  readonly timeMode: TimeMode;
  readonly theme: Theme;
  readonly inspectorWidth: number;
  readonly labelWidth: number;
  readonly traceLabelWidth: number;
  readonly drawerHeight: number;
  readonly drawerOpen: boolean;
  /** Pinned lanes by case. */
  readonly pinned: Readonly<Record<string, readonly string[]>>;
  /** Hidden lanes by case. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  /** Least and greatest value on the y-axis of a lane, by case and lane. */
  readonly ranges: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  readonly topologyMap: 'power' | 'oneline' | 'racks';
  /** Entities of the selected incident, or all. */
  readonly topologyScope: 'incident' | 'all';
  /** Hidden columns by table. Filters are not saved: they would hide rows of another case. */
  readonly hiddenColumns: Readonly<Record<string, readonly string[]>>;
  readonly filterRow: boolean;
  readonly sqlHeight: number;
  /** Which lanes the timeline shows: of the chain, of involved entities, or all. */
  readonly laneLevel: LaneLevel;
  /** What the wheel does over the timeline; the other of both is on Ctrl+wheel or Alt+wheel. */
  readonly wheel: 'scroll' | 'zoom';
}

const STORAGE_KEY = 'faultline.preferences';
const defaults: Preferences = {
  timeMode: 'utc',
  theme: 'dark',
  inspectorWidth: 352,
  labelWidth: 248,
  traceLabelWidth: 380,
  drawerHeight: 176,
  drawerOpen: false,
  pinned: {},
  hidden: {},
  ranges: {},
  topologyMap: 'power',
  topologyScope: 'incident',
  hiddenColumns: {},
  filterRow: false,
  sqlHeight: 176,
  laneLevel: 'involved',
  wheel: 'scroll',
};

function stored(): Partial<Preferences> {
  try {
    const text = globalThis.localStorage?.getItem(STORAGE_KEY);
    return text ? (JSON.parse(text) as Partial<Preferences>) : {};
  } catch {
    return {};
  }
}

export const usePreferences = create<Preferences>()(() => ({ ...defaults, ...stored() }));

/** Changes from another window on this machine. */
globalThis.window?.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY) usePreferences.setState(stored());
});

export function prefer(change: Partial<Preferences>): void {
  usePreferences.setState(change);
  try {
    globalThis.localStorage?.setItem(STORAGE_KEY, JSON.stringify(usePreferences.getState()));
  } catch {
    // Without storage, only the settings are lost.
  }
}

/** Resolves "system" once, so that the stylesheet and the canvases only know dark and light. */
export function applyTheme(): void {
  const light = window.matchMedia('(prefers-color-scheme: light)');
  const apply = () => {
    const { theme } = usePreferences.getState();
    const name = theme === 'system' ? (light.matches ? 'light' : 'dark') : theme;
    if (document.documentElement.getAttribute('data-theme') === name) return;
    document.documentElement.setAttribute('data-theme', name);
    for (const listener of themeListeners) listener();
  };
  apply();
  light.addEventListener('change', apply);
  usePreferences.subscribe(apply);
}

const themeListeners = new Set<() => void>();
/** Canvases repaint when the theme changes. */
export function onThemeChange(listener: () => void): () => void {
  themeListeners.add(listener);
  return () => themeListeners.delete(listener);
}

/** The current theme, for code that reads colours while drawing. */
export const useTheme = (): string =>
  useSyncExternalStore(onThemeChange, () => document.documentElement.getAttribute('data-theme') ?? '');
