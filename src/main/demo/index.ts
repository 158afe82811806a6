import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { topologyCsv } from './cluster.ts';
import { physicalEvents } from './incident.ts';
import { createRandom } from './random.ts';
import { logLines, metricLines, traceLines } from './signals.ts';

const SEED = 20260314;

/**
 * Writes the files of the demo incident as a site would hand them over: telemetry as the collector's file exporter
 * writes it, physical events as PowerTrace JSON, the topology as CSV. The same seed writes the same bytes.
 * @returns the paths, in the order they are best imported
 */
export async function writeDemoFiles(directory: string, seed: number = SEED): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const lines = (text: readonly string[]) => gzipSync(`${text.join('\n')}\n`, { level: 6 });
  const files = [
    ['topology.csv', topologyCsv()],
    ['physical-events.json', `${JSON.stringify({ events: physicalEvents(createRandom(seed)) }, null, 2)}\n`],
    ['metrics.jsonl.gz', lines(metricLines(seed + 1))],
    ['logs.jsonl.gz', lines(logLines(seed + 2))],
    ['traces.jsonl.gz', lines(traceLines(seed + 3))],
  ] as const;
  for (const [name, content] of files) await writeFile(join(directory, name), content);
  return files.map(([name]) => join(directory, name));
}
