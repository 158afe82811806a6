import { useSyncExternalStore } from 'react';
import { create } from 'zustand';

import type { TimeMode } from '../draw/text/format-time.ts';

export type Theme = 'system' | 'dark' | 'light';

/** What the window remembers from one launch to the next. */
export interface Preferences {
  readonly timeMode: TimeMode;
  readonly theme: Theme;
  readonly inspectorWidth: number;
  readonly labelWidth: number;
  readonly traceLabelWidth: number;
  readonly drawerHeight: number;
  readonly drawerOpen: boolean;
  /** Lanes that stand on top, by case. */
  readonly pinned: Readonly<Record<string, readonly string[]>>;
  readonly topologyMap: 'power' | 'racks';
  /** What has to do with the selected incident, or everything. */
  readonly topologyScope: 'incident' | 'all';
  /** Columns that are not shown, by table. What a filter says is not remembered: it would hide rows of another case. */
  readonly hiddenColumns: Readonly<Record<string, readonly string[]>>;
  readonly filterRow: boolean;
  readonly sqlHeight: number;
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
  topologyMap: 'power',
  topologyScope: 'incident',
  hiddenColumns: {},
  filterRow: false,
  sqlHeight: 176,
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

/** What another window on this machine prefers from now on. */
globalThis.window?.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY) usePreferences.setState(stored());
});

export function prefer(change: Partial<Preferences>): void {
  usePreferences.setState(change);
  try {
    globalThis.localStorage?.setItem(STORAGE_KEY, JSON.stringify(usePreferences.getState()));
  } catch {
    // A browser that refuses storage still works; it only forgets.
  }
}

/** Resolves "system" here, once, so that the stylesheet and the canvases see only dark or light. */
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
/** Canvases must be painted again when the colours change under them. */
export function onThemeChange(listener: () => void): () => void {
  themeListeners.add(listener);
  return () => themeListeners.delete(listener);
}

/** The theme as it stands, for what reads colours while drawing. */
export const useTheme = (): string =>
  useSyncExternalStore(onThemeChange, () => document.documentElement.getAttribute('data-theme') ?? '');
