import { onTestFinished } from 'vitest';
import { startClickHouse } from './clickhouse-process.ts';

export { hasClickHouse, run } from './clickhouse-process.ts';

/** Its address until the test ends. */
export async function clickhouse(): Promise<string> {
  const { url, end } = await startClickHouse();
  onTestFinished(end);
  return url;
}
