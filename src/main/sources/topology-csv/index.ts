import { csvFields } from '../../../base/csv-reader.ts';
import { type EntityKind, entityKinds } from '../../../model/entity.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO, type RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import { FIRST_YEAR, LAST_YEAR, parseTime } from '../../../model/time.ts';
import { type EdgeKind, edgeKinds } from '../../../model/topology.ts';

/** DESIGN section 6; the two times may be left out. */
const HEADER = ['from_kind', 'from_id', 'edge', 'to_kind', 'to_id', 'valid_from', 'valid_to'];
const MAX_BYTES = 256 * 1024 * 1024;

export const topologyCsv: Source = {
  id: 'topology-csv',
  title: 'Topology CSV (from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to)',
  looks_for: 'the header line from_kind,from_id,edge,to_kind,to_id',
  detect: (head) => isHeader(head.text.split(/\r?\n/, 1)[0] ?? ''),
  read,
};

const isHeader = (line: string): boolean => csvFields(line).slice(0, 5).join() === HEADER.slice(0, 5).join();

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/^\uFEFF/, '');

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input.chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) fail('file.too_large', `${input.name} is larger than a topology can be (256 MiB)`);
    chunks.push(chunk);
  }
  const builder = new BatchBuilder();
  decode(Buffer.concat(chunks))
    .split(/\r?\n/)
    .forEach((line, index) => {
      if ((index === 0 && isHeader(line)) || line.trim() === '' || line.startsWith('#')) return;
      try {
        appendEdge(builder, csvFields(line));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        builder.reject(input.name, index + 1, `line ${index + 1}: ${error.problem.message}`, line);
      }
    });
  yield builder.finish(bytes);
}

function appendEdge(builder: BatchBuilder, fields: readonly string[]): void {
  const [fromKind = '', fromId = '', edge = '', toKind = '', toId = '', validFrom = '', validTo = ''] = fields;
  if (!edgeKinds.includes(edge as EdgeKind))
    fail('topology.edge', `"${edge}" is no edge kind (${edgeKinds.join(', ')})`);
  builder.table('edge').push({
    from_entity: builder.entity(entityKind(fromKind), entityId(fromId)),
    kind: builder.name(edge),
    to_entity: builder.entity(entityKind(toKind), entityId(toId)),
    valid_from_ns: edgeTime(validFrom, ALWAYS_FROM),
    valid_to_ns: edgeTime(validTo, ALWAYS_TO),
    provenance: builder.name('topology csv'),
  });
}

/** An empty time is open, and so is one beyond the calendar: 9999-12-31 is how databases write "until further notice". */
function edgeTime(text: string, open: bigint): bigint {
  const year = Number(text.slice(0, 4));
  const beyond = open === ALWAYS_TO ? year > LAST_YEAR : year < FIRST_YEAR;
  return text === '' || beyond ? open : parseTime(text);
}

function entityKind(text: string): EntityKind {
  if (entityKinds.includes(text as EntityKind)) return text as EntityKind;
  return fail('topology.kind', `"${text}" is no entity kind`, { hint: entityKinds.join(', ') });
}

function entityId(text: string): string {
  return text === '' ? fail('topology.id', 'an id is empty') : text;
}
