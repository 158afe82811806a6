import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample, attributesText } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { formatUtc } from '../../../model/time.ts';
import { wholeText } from '../bytes/whole-file.ts';
import { type Card, cardsOf, isObject, looksLikeCards, propertyOf } from './format.ts';
import { measuredProperty } from './properties.ts';

/** A card prints some 5 KB. */
const MAX_BYTES = 64 * 1024 * 1024;

export const rocmSmi: Source = {
  id: 'rocm-smi',
  title: 'rocm-smi JSON (AMD GPUs)',
  looks_for: 'objects "card0", "card1" … with properties such as "GPU use (%)"',
  detect: ({ json }) => looksLikeCards(json),
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const text = await wholeText(input.chunks, input.name, MAX_BYTES);
  const document = parsed(text, input.name);
  const builder = new BatchBuilder();
  const { device } = input.assume;
  const host = device ?? (input.name.split('/').at(-1) ?? '').replace(/(.)\.[^.]*$/, '$1');
  if (device === null) builder.remark(`nothing in it names the machine: taken as "${host}" (the file's name)`);
  const server = builder.entity('server', host, [{ kind: 'host_name', name: host }]);
  const file = input.files[0];
  const system = isObject(document) && isObject(document['system']) ? document['system'] : {};
  const cards = cardsOf(document);
  if (cards.length === 0) builder.reject(input.name, 0, 'no cards in this document', text.slice(0, 500));
  for (const { index, card } of cards) {
    const entity = gpuEntity(builder, host, index, card, propertyOf(system, 'Driver version'));
    appendEdge(builder, { from: server, kind: 'contains', to: entity, provenance: 'rocm-smi' });
    if (!file) builder.reject(input.name, 0, 'no time, and when the file was recorded is unknown', `card${index}`);
    else {
      const { captured_ns, captured_from } = file;
      builder.remark(`no times in the file: taken as recorded at ${formatUtc(captured_ns)} (${captured_from})`);
      for (const [property, printed] of Object.entries(card)) {
        const measured = measuredProperty(property, printed);
        if (measured) appendSample(builder, { entity, time_ns: captured_ns, attributes: {}, ...measured });
      }
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(0);
  }
  yield builder.finish(Buffer.byteLength(text));
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(0, text.search(/\{/))));
  } catch {
    return fail('rocm_smi.broken_json', `${name} is not whole JSON`, {
      place: name,
      hint: 'record it again with rocm-smi -a --json',
    });
  }
}

/** The unique id is what AMD's runtime shows as UUID; desktop cards have none. */
function gpuEntity(builder: BatchBuilder, host: string, index: string, card: Card, driver: string): number {
  const unique = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(propertyOf(card, 'Unique ID'))?.[1];
  const identity = identifyGpu({
    uuid: unique && Number.parseInt(unique, 16) !== 0 ? `GPU-${unique.toLowerCase().padStart(16, '0')}` : undefined,
    host,
    index,
    pci: propertyOf(card, 'PCI Bus'),
  });
  const serial = propertyOf(card, 'Serial Number');
  const attributes = attributesText({
    model: propertyOf(card, 'Card series', 'Card Series', 'Card model', 'Card Model'),
    vendor: propertyOf(card, 'Card vendor', 'Card Vendor'),
    sku: propertyOf(card, 'Card SKU'),
    serial: serial === '0' ? '' : serial,
    vbios_version: propertyOf(card, 'VBIOS version'),
    driver_version: driver,
  });
  return builder.entity('gpu', identity?.id ?? `${host}/gpu${index}`, identity?.aliases ?? [], attributes);
}
