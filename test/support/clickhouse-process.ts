import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** ClickHouse in a process; it has no build for every system. */
export function hasClickHouse(): boolean {
  try {
    createRequire(import.meta.url)('chdb');
    return true;
  } catch {
    return false;
  }
}

export interface ClickHouseProcess {
  readonly url: string;
  /** Its data is gone then. */
  end(): void;
}

export async function startClickHouse(): Promise<ClickHouseProcess> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'clickhouse-front.mjs'), { silent: true });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', () => reject(new Error('chdb did not start')));
  });
  return { url: `http://127.0.0.1:${port}`, end: () => child.disconnect() };
}

/** The rows of a statement as JSON text, where it has some. */
export async function run(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: sql });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
