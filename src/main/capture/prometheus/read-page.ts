import { ProblemError } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { prometheus } from '../../sources/prometheus/index.ts';
import { asFiles } from '../plan/as-files.ts';
import type { Page, ReadPage } from './messages.ts';

/** Rows of a page, by the decoder of files. Synchronous: call it in a separate thread. */
export async function readPage({ name, bytes, requestedAt, device }: Page): Promise<ReadPage> {
  const batches: RowBatch[] = [];
  try {
    for await (const batch of prometheus.read(asFiles({ name, bodies: [bytes], requestedAt, device }))) {
      // Samples without a time get the poll time: that needs no remark at every scrape.
      batches.push({ ...batch, remarks: batch.remarks.filter((remark) => !remark.startsWith('no times in the file')) });
    }
  } catch (error) {
    if (error instanceof ProblemError) return { kind: 'problem', problem: error.problem };
    throw error;
  }
  return { kind: 'read', batches };
}
