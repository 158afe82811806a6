import type { Workspace } from '../workspace.ts';
import { traceCostHandlers } from './trace-cost.ts';
import { traceResourceHandlers } from './trace-resources.ts';
import { traceStageHandlers } from './trace-stages.ts';
import { traceTokenHandlers } from './trace-tokens.ts';

/** What is asked about one trace beside its spans. */
export const traceAboutHandlers = (workspace: Workspace) => ({
  ...traceCostHandlers(workspace),
  ...traceResourceHandlers(workspace),
  ...traceStageHandlers(workspace),
  ...traceTokenHandlers(workspace),
});
