import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { START_NS } from './span-case.ts';

const REQUEST = 100;

/** OTLP JSON lines of log records with bodies of so many bytes, no two alike. */
export async function writeWideLogs(path: string, count: number, bytes: number): Promise<void> {
  await pipeline(Readable.from(requests(count, bytes)), createWriteStream(path));
}

function* requests(count: number, bytes: number): Generator<string> {
  const bodies = Array.from({ length: 997 }, (_, i) =>
    Array.from({ length: Math.ceil(bytes / 64) }, (_, k) => createHash('sha256').update(`${i} ${k}`).digest('hex'))
      .join('')
      .slice(0, bytes),
  );
  for (let from = 0; from < count; from += REQUEST) {
    const logRecords = Array.from({ length: Math.min(REQUEST, count - from) }, (_, k) => ({
      timeUnixNano: String(START_NS + BigInt(from + k) * 1_000_000n),
      severityNumber: 9,
      body: { stringValue: `${from + k} ${bodies[(from + k) % bodies.length]}` },
    }));
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
    yield `${JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })}\n`;
  }
}
