import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createArchives } from '../../src/main/archives/index.ts';
import type { Input, PullEvent } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore } from './core.ts';

/** A core that pulls, on a new case or the one at a path. */
export const pullingCore = (existing?: string): Promise<TestCore> =>
  openTestCore(existing, { archives: async () => createArchives(true) });

/** All events of a pull. */
export async function pulled(
  core: TestCore,
  input: Input<'archive.pull'>,
  onEvent: (event: PullEvent) => void = () => undefined,
  signal?: AbortSignal,
): Promise<PullEvent[]> {
  const events: PullEvent[] = [];
  for await (const event of core.api['archive.pull'](input, signal ? { signal } : {})) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

export const ofKind = <K extends PullEvent['kind']>(events: readonly PullEvent[], kind: K) =>
  events.filter((event): event is Extract<PullEvent, { kind: K }> => event.kind === kind);

/** A hash of all rows that a case shows, whatever source or order they came in. */
export async function rowsHash(core: TestCore): Promise<string> {
  const hash = createHash('sha256');
  for (const sql of [
    'select time_ns, entity, metric, value, unit, attributes from metrics order by all',
    'select time_ns, entity, severity, body, attributes from logs order by all',
    'select trace_id, span_id, parent_span_id, service, name, start_ns, duration_ms, attributes from spans order by all',
  ]) {
    const { rows } = await core.api['query.sql']({ sql, limit: 100_000 });
    hash.update(JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value)));
  }
  return hash.digest('hex');
}

/** An HTTP server on loopback until the test ends; it can be ended and begun again at the same port. */
export class TestArchive {
  /** Requests by path. */
  readonly requests: string[] = [];
  url = '';
  private server: Server | undefined;
  private port = 0;
  private readonly answer: RequestListener;

  constructor(answer: RequestListener) {
    this.answer = answer;
  }

  async begin(): Promise<this> {
    const server = createServer((request, response) => {
      this.requests.push(request.url ?? '');
      this.answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    this.server = server;
    onTestFinished(() => this.end());
    return this;
  }

  async end(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

export const nanosOf = (time: string): bigint => BigInt(Date.parse(time)) * 1_000_000n;
