import { afterEach, beforeEach } from 'vitest';

/** Keys that no widget kept for itself, newest last: the window has shortcuts of its own. */
export const windowKeys: string[] = [];

const listen = ({ key }: KeyboardEvent) => windowKeys.push(key);

/** Records the keys that reach the window during each test of a file. */
export function recordWindowKeys(): void {
  beforeEach(() => {
    windowKeys.length = 0;
    window.addEventListener('keydown', listen);
  });
  afterEach(() => window.removeEventListener('keydown', listen));
}
