import { useEffect, useMemo, useState } from 'react';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';

export interface Answer<A> {
  /** The newest response of this case; it stays while the next one loads, and if that fails. */
  readonly value: A | undefined;
  /** `value` belongs to an earlier key. */
  readonly isOld: boolean;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  /** Loading for noticeably long. */
  readonly slow: boolean;
  readonly retry: () => void;
}

const SLOW_MS = 300;

/** Whether `isLoading` has lasted noticeably long. */
export function useSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) return undefined;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isLoading]);
  return isLoading && isSlow;
}

/** A cancelled request is no problem. */
export const useProblem = (error: unknown): Problem | undefined =>
  useMemo(() => (error && !isAbort(error) ? problemOf(error) : undefined), [error]);
