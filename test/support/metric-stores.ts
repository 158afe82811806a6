import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './core.ts';

/** Where there is none, its tests are left out. */
const prometheus = process.env.PROMETHEUS ?? 'prometheus';
const victoriaMetrics = process.env.VICTORIA_METRICS ?? 'victoria-metrics';
const runs = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0;
export const hasPrometheus = runs(prometheus, '--version') && runs('promtool', '--version');
export const hasVictoriaMetrics = runs(victoriaMetrics, '-version');

export interface MetricStore {
  readonly url: string;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function running(child: ChildProcess, url: string, path: string): Promise<MetricStore> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(stop);
  for (let attempt = 0; attempt < 200; attempt++) {
    const answer = await fetch(`${url}${path}`).catch(() => undefined);
    if (answer?.ok) return { url, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no answer from ${url}`);
}

/** A real Prometheus that holds a text in the OpenMetrics format. */
export async function prometheusWith(openMetrics: string): Promise<MetricStore> {
  const folder = await temporaryFolder();
  const [text, config, data] = ['samples.txt', 'prometheus.yml', 'data'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(text, openMetrics);
  await writeFile(config, '');
  const made = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', text, data], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const port = await freePort();
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${data}`, '--storage.tsdb.retention.time=100y'];
  const child = spawn(prometheus, [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  return running(child, `http://127.0.0.1:${port}`, '/-/ready');
}

/** A real VictoriaMetrics that holds a text in Prometheus' format, with times in milliseconds. */
export async function victoriaMetricsWith(text: string): Promise<MetricStore> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const flags = [`-storageDataPath=${folder}/data`, '-retentionPeriod=100y', '-search.latencyOffset=0s'];
  const child = spawn(victoriaMetrics, [...flags, `-httpListenAddr=127.0.0.1:${port}`], { stdio: 'ignore' });
  const store = await running(child, `http://127.0.0.1:${port}`, '/health');
  await fetch(`${store.url}/api/v1/import/prometheus`, { method: 'POST', body: text });
  await fetch(`${store.url}/internal/force_flush`);
  return store;
}
