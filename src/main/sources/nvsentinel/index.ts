import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { isHealthEvent, isMaintenanceEvent, lower, unwrap } from './format.ts';
import { appendHealthEvent } from './health-event.ts';
import { appendMaintenanceEvent } from './maintenance-event.ts';

/** NVSentinel: health events as sent or stored, as CloudEvents, and cloud maintenance events. */
export const nvsentinel: Source = {
  id: 'nvsentinel',
  title: 'NVSentinel health and maintenance events (MongoDB, PostgreSQL, CloudEvents)',
  looks_for: 'NVSentinel documents: checkName with isFatal, or maintenanceType with a provider status',
  leaves_open: ['time'],
  detect,
  read,
};

function detect(head: FileHead): boolean {
  const first: unknown = Array.isArray(head.json) ? head.json[0] : head.json;
  const { event, maintenance } = unwrap(first);
  if (event || maintenance) return true;
  // `HealthEvents`, the message that monitors send: a version and a list.
  const [inner] = listIn(first) ?? [];
  return isHealthEvent(lower(inner)) || isMaintenanceEvent(lower(inner));
}

function listIn(value: unknown): readonly unknown[] | undefined {
  const { events } = lower(value);
  return Array.isArray(events) ? events : undefined;
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const captured = input.files[0]?.captured_ns ?? 0n;
  let done = 0;
  for await (const record of jsonRecords(input.chunks)) {
    done = record.at;
    if (record.reason !== undefined) builder.reject(input.name, record.at, record.reason, record.excerpt);
    else
      for (const value of listIn(record.value) ?? [record.value]) {
        const documents = unwrap(value);
        const problem = documents.maintenance
          ? appendMaintenanceEvent(builder, documents.maintenance)
          : appendHealthEvent(builder, documents, captured);
        if (problem !== '') builder.reject(input.name, record.at, problem, rawText(value).slice(0, 500));
      }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(record.at);
  }
  yield builder.finish(done);
}
