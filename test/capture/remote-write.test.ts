import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WriteReader } from '../../src/main/capture/otlp/write-reader.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { type Captured, captureWhile, reaches, sqlRows } from '../support/capture-run.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';
import { type Sent, snappyBlock, writeRequest, writeRequest2 } from '../support/remote-write.ts';

/** Runs a receiver while something is sent to its address. */
const receive = (send: (url: string, core: TestCore) => Promise<void>): Promise<Captured> =>
  captureWhile('feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]', async (until, core) => {
    let address = '';
    await until((event: CaptureEvent) => {
      address = /http (127\.0\.0\.1:\d+)/.exec(event.kind === 'feed' ? event.about : '')?.[1] ?? '';
      return address !== '';
    });
    await send(`http://${address}/api/v1/write`, core);
  });

const at = 1_777_644_600_000;
const power: Sent = {
  labels: { __name__: 'DCGM_FI_DEV_POWER_USAGE', gpu: '0', UUID: 'GPU-aa', Hostname: 'h100-1' },
  samples: [[at, 300]],
};
const post = async (url: string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) => {
  const plain = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  const answer = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: { ...plain, ...headers } });
  return { status: answer.status, written: answer.headers.get('x-prometheus-remote-write-samples-written') };
};
const version2 = { 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request' };

test('requests of both versions are stored and answered with 204 and what was written; others with why not', async () => {
  const { core } = await receive(async (url) => {
    const one = snappyBlock(writeRequest([power]));
    const two = snappyBlock(writeRequest2([{ ...power, samples: [[at + 1000, 310]] }]));
    const nameless = snappyBlock(
      writeRequest([
        { labels: { job: 'a' }, samples: [[at, 1]] },
        { ...power, samples: [[at + 2000, 320]] },
      ]),
    );
    expect(await post(url, one)).toEqual({ status: 204, written: '1' });
    expect(await post(url, two, version2)).toEqual({ status: 204, written: '1' });
    expect(await post(url, nameless)).toEqual({ status: 400, written: '1' });
    expect(await post(url, Buffer.from('no snappy'))).toMatchObject({ status: 400 });
    expect(await post(url, one, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
    expect(await post(url, one, { 'content-type': 'application/x-protobuf;proto=other' })).toMatchObject({
      status: 415,
    });
  });
  const rows = await sqlRows(
    core,
    "select entity, metric, value from metrics where metric = 'hw.power' order by value",
  );
  expect(rows).toEqual([300, 310, 320].map((value) => ['GPU-aa', 'hw.power', value]));
  expect((await core.api['rejects.list']({})).total).toBe(1);
});

test('a histogram whose parts come in two requests is one, within 10 s or at the end', () => {
  let now = 0;
  const reader = new WriteReader('feed', () => now);
  const part = (ending: string, value: number, le?: string): Sent => ({
    labels: { __name__: `d_seconds_${ending}`, ...(le === undefined ? {} : { le }) },
    samples: [[at, value]],
  });
  const details = (isEnd = false) => {
    const { batches, held } = reader.finish(isEnd);
    const rows = batches.map(({ tables }) => tables.distribution?.columns.count[0]);
    return { rows, held };
  };
  reader.read(writeRequest([part('bucket', 3, '0.5'), part('sum', 4.5)]));
  expect(details()).toEqual({ rows: [], held: 0 });
  now = 9000;
  reader.read(writeRequest([part('bucket', 5, '+Inf'), part('count', 5)]));
  expect(details()).toEqual({ rows: [], held: 0 });
  now = 10_000;
  expect(details()).toEqual({ rows: [5], held: 1 });
  reader.read(writeRequest([part('bucket', 7, '+Inf')]));
  expect(details(true)).toEqual({ rows: [7], held: 1 });
});

/** Where there is none, its test is left out. */
const program = process.env.PROMETHEUS ?? 'prometheus';
const hasPrometheus = spawnSync(program, ['--version']).status === 0;

test.skipIf(!hasPrometheus)(
  'a real Prometheus that scrapes an exporter sends it here: the same rows, its histogram whole',
  async () => {
    const page = `# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-aa",Hostname="h100-1"} 300
# TYPE d_seconds histogram
d_seconds_bucket{service_name="llm",le="0.5"} 3
d_seconds_bucket{service_name="llm",le="+Inf"} 5
d_seconds_sum{service_name="llm"} 4.5
d_seconds_count{service_name="llm"} 5
`;
    const exporter = createServer((_, response) => response.end(page)).listen(0, '127.0.0.1');
    onTestFinished(() => void exporter.close());
    await once(exporter, 'listening');
    const { port } = exporter.address() as AddressInfo;
    const folder = await temporaryFolder();
    const { core } = await receive(async (url, running) => {
      // Three samples a request cut the histogram.
      const config = `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs: [{job_name: dcgm, static_configs: [{targets: ["127.0.0.1:${port}"]}]}]
remote_write: [{url: "${url}", queue_config: {max_samples_per_send: 3, capacity: 3, batch_send_deadline: 1s}}]
`;
      await writeFile(join(folder, 'prometheus.yml'), config);
      const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
      const child = spawn(program, [...flags, '--web.listen-address=127.0.0.1:0'], { stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('close', resolve));
      try {
        await reaches(running, "select count(*)::integer from metrics where metric = 'hw.power'", 2);
      } finally {
        child.kill('SIGTERM');
        await ended;
      }
    });
    const powers = await sqlRows(core, "select distinct entity, value from metrics where metric = 'hw.power'");
    expect(powers).toEqual([['GPU-aa', 300]]);
    const histograms = await sqlRows(core, 'select count, sum, detail from distribution group by all');
    expect(histograms).toEqual([[5, 4.5, '{"bounds":[0.5],"counts":[3,2]}']]);
    expect((await core.api['case.current']({}))?.rejects).toBe(0);
  },
);
