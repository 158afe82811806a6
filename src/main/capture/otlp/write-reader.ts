import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS } from '../../../model/storage/source.ts';
import { WriteRequestReader } from '../../sources/prometheus-remote-write/request.ts';
import { writeSeries } from '../../sources/prometheus-remote-write/series-writer.ts';
import { SeriesRows } from '../../sources/series-meaning/series-rows.ts';
import { HeldParts } from './held-parts.ts';
import type { Receipt } from './messages.ts';

/** Names and meanings are forgotten after so much input, so that they stay small. */
const REMEMBERED_BYTES = 64 * 1024 * 1024;

/** Reads requests of Prometheus remote write into rows. */
export class WriteReader {
  private readonly name: string;
  private readonly builder = new BatchBuilder();
  private readonly held: HeldParts;
  private readonly reader = new WriteRequestReader();
  private rows: SeriesRows;
  private batches: RowBatch[] = [];
  private bytes = 0;
  private remembered = 0;

  /** @param name name of the data source, for rejects and for series that name no entity */
  constructor(name: string, now = () => performance.now()) {
    this.name = name;
    this.held = new HeldParts(now);
    this.rows = this.newRows();
  }

  /** @param bytes a decompressed request */
  read(bytes: Uint8Array): Receipt {
    const written = { samples: 0, histograms: 0, exemplars: 0 };
    const hold = (...[series, values]: Parameters<HeldParts['add']>): readonly undefined[] => {
      this.held.add(series, values);
      return [];
    };
    let rejected = 0;
    let why = '';
    for (const found of this.reader.read(bytes)) {
      if (found.kind === 'series') this.drain(writeSeries(this.rows, found.series, hold, written));
      else if (found.kind === 'reject') {
        this.builder.reject(this.name, this.bytes + found.at, found.reason, '');
        rejected++;
        why = found.reason;
      }
    }
    this.bytes += bytes.length;
    this.remembered += bytes.length;
    return { kind: 'kept', rejected, why, written };
  }

  /**
   * Rows since the last call, and how many of them are of requests that were acknowledged before.
   * @param isEnd whether nothing follows: parts of histograms wait no longer
   */
  finish(isEnd: boolean): { readonly batches: readonly RowBatch[]; readonly held: number } {
    let held = 0;
    for (const [series, values] of this.held.due(isEnd)) held += this.drain(this.rows.parts(series, values));
    held += this.drain(this.rows.end());
    if (this.builder.rowCount > 0) this.endBatch();
    const { batches } = this;
    this.batches = [];
    if (this.remembered > REMEMBERED_BYTES) [this.rows, this.remembered] = [this.newRows(), 0];
    return { batches, held };
  }

  private newRows(): SeriesRows {
    const id = this.name;
    const onUnnamed = (): void => this.builder.remark(`series that name no entity go to "${id}" (the feed's name)`);
    return new SeriesRows(this.builder, { host: undefined, fallback: () => ({ kind: 'device', id }), onUnnamed });
  }

  /** How many rows there were. */
  private drain(work: Iterable<void>): number {
    let rows = 0;
    for (const _ of work) {
      rows++;
      if (this.builder.rowCount >= BATCH_ROWS) this.endBatch();
    }
    return rows;
  }

  private endBatch(): void {
    this.rows.nextBatch();
    this.batches.push(this.builder.finish(this.bytes));
  }
}
