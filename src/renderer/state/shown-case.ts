import type { CaseInfo } from '../../model/contract/index.ts';
import { loadAnnotations } from './annotations.ts';
import { useCase } from './case-state.ts';
import { loadCase } from './conclusions.ts';
import { extentOf, resetFocus } from './focus.ts';
import { forgetRefusedRates } from './rates.ts';
import { dropClock } from './source-clocks.ts';
import { forgetAnswer } from './sql.ts';
import { forgetSuppositions } from './what-if.ts';

/**
 * Fits to the data, selects the strongest incident and opens Causes, so that the chain is on screen at once. `recall`
 * restores the last place instead.
 */
export async function showCase(info: CaseInfo, recall?: (caseName: string) => void): Promise<void> {
  const extent = extentOf(info);
  if (extent) resetFocus(extent.bounds, extent.recorded);
  useCase.setState((before) => ({
    phase: 'open',
    info,
    lanes: [],
    silences: [],
    incidents: null,
    clocks: [],
    openProblem: null,
    search: '',
    view: 'timeline',
    tab: 'causes',
    revision: before.revision + 1,
  }));
  recall?.(info.name);
  await Promise.all([loadCase(), loadAnnotations()]);
}

/** What belongs to a case and not to the window. */
export function forgetCase(): void {
  forgetSuppositions();
  dropClock();
  forgetAnswer();
  forgetRefusedRates();
}

/** Shows Home; no case is open. */
export function goHome(): void {
  forgetCase();
  useCase.setState({ phase: 'home', info: null, lanes: [], incidents: null });
}
