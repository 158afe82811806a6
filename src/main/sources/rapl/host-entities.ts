import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';

/** Provenance. */
export const PROVENANCE = 'sysfs';

/** A server and its processors, registered anew in every batch; the `contains` edges are written once. */
export class HostEntities {
  private readonly builder: BatchBuilder;
  private readonly host: string;
  private readonly emitted = new Set<number>();

  constructor(builder: BatchBuilder, host: string) {
    this.builder = builder;
    this.host = host;
  }

  server(): number {
    return this.builder.entity('server', this.host);
  }

  /** Package `number`; the server itself if the package is unknown. */
  cpu(number: number | undefined): number {
    if (number === undefined || !(number >= 0)) return this.server();
    const cpu = this.builder.entity('cpu', `${this.host}/cpu${number}`);
    if (!this.emitted.has(number)) {
      this.emitted.add(number);
      appendEdge(this.builder, { from: this.server(), kind: 'contains', to: cpu, provenance: PROVENANCE });
    }
    return cpu;
  }
}
