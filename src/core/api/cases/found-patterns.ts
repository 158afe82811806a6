import { SharedWork } from '../../../base/shared-work.ts';
import type { Finding } from '../../analysis/patterns/pattern.ts';
import type { ChangedThreshold } from '../../analysis/patterns/thresholds.ts';
import type { ThresholdsInUse } from './own-file.ts';

type Find = (changed: readonly ChangedThreshold[], signal: AbortSignal) => Promise<readonly Finding[]>;

/** Pattern findings of one state of a case, with the thresholds in use. */
export class FoundPatterns {
  private readonly thresholds: ThresholdsInUse;
  private readonly find: Find;
  private known: { readonly edition: number; readonly work: SharedWork<readonly Finding[]> } | undefined;

  constructor(thresholds: ThresholdsInUse, find: Find) {
    this.thresholds = thresholds;
    this.find = find;
  }

  /** Stops if all requesters cancel. */
  async get(signal?: AbortSignal): Promise<readonly Finding[]> {
    const { edition, value } = await this.thresholds.current();
    if (this.known?.edition !== edition) this.known = { edition, work: new SharedWork((own) => this.find(value, own)) };
    return this.known.work.get(signal);
  }

  /** The case has another state. */
  forget(): void {
    this.known = undefined;
  }
}
