import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

const program = process.env.OTELCOL ?? 'otelcol';

/** Undefined where there is none: see build.sh. */
export const collectorVersion: string | undefined = /version (\S+)/.exec(
  spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

export interface Collector {
  /** For OTLP over HTTP. */
  readonly url: string;
  /** What it has written so far: what came in, in words, and whatever went wrong. */
  output(): string;
  end(): Promise<void>;
}

/**
 * A stock collector that receives OTLP over HTTP, writes down in detail what it was given and hands it on.
 * @param to addresses (`host:port`) that OTLP goes to: over HTTP as protobuf with gzip, over gRPC with zstd
 */
export async function startCollector(
  folder: string,
  to: { readonly http: string; readonly grpc: string },
): Promise<Collector> {
  const port = await freePort();
  const config = join(folder, 'collector.yaml');
  await writeFile(config, configOf(port, to));
  const child = spawn(program, ['--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await ready(child, () => output);
  const end = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    // It sends what it still holds before it goes.
    child.kill('SIGINT');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, output: () => output, end };
}

const configOf = (port: number, to: { readonly http: string; readonly grpc: string }): string => {
  const pipeline = '{receivers: [otlp], exporters: [debug, otlp_http, otlp_grpc]}';
  return `receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:${port}"}}}}
exporters:
  debug: {verbosity: detailed}
  otlp_http: {endpoint: "http://${to.http}"}
  otlp_grpc: {endpoint: "${to.grpc}", compression: zstd, tls: {insecure: true}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: ${pipeline}, metrics: ${pipeline}, logs: ${pipeline}}
`;
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  while (!output().includes('Everything is ready')) {
    if (child.exitCode !== null) throw new Error(`the collector ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
