import type { CaseInfo } from '../../model/contract/index.ts';
import { loadAnnotations } from './annotations.ts';
import { loadCase } from './conclusions.ts';
import { clearFocus, extentOf, resetFocus } from './focus.ts';
import { enterCase } from './known.ts';
import { followLink } from './link.ts';
import { forgetRefusedRates } from './rates.ts';
import { dropClock } from './source-clocks.ts';
import { forgetSaved } from './sql.ts';
import { forgetSuppositions } from './what-if.ts';

/**
 * Fits to the data, selects the strongest incident and opens Causes, so that the chain is on screen at once. `recall`
 * restores the last place instead.
 */
export async function showCase(info: CaseInfo, recall?: (caseName: string) => void): Promise<void> {
  const extent = extentOf(info);
  if (extent) resetFocus(extent.bounds, extent.recorded);
  else clearFocus();
  enterCase(info, { phase: 'open', openProblem: null, search: '', view: 'timeline', tab: 'causes' });
  recall?.(info.name);
  await Promise.all([loadCase(), loadAnnotations()]);
  followLink(info.name);
}

/** What belongs to a case and not to the window. */
export function forgetCase(): void {
  forgetSuppositions();
  dropClock();
  forgetSaved();
  forgetRefusedRates();
}

/** Shows Home; no case is open. */
export function goHome(): void {
  forgetCase();
  enterCase(null, { phase: 'home' });
}
