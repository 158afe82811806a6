import { showView, type ViewId } from './case-state.ts';

let registered: ReadonlySet<string> = new Set();

/** Told by the shell, which alone knows all views. */
export function registerViews(ids: readonly string[]): void {
  registered = new Set(ids);
}

/** For a jump to a view that a build may lack; then everything stays where it is. */
export function showRegisteredView(id: string): void {
  if (registered.has(id)) showView(id as ViewId);
}
