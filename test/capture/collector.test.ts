import { expect, test } from 'vitest';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { type Captured, captureWhile, sqlRows } from '../support/capture-run.ts';
import { collectorVersion, startCollector } from '../support/collector/index.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { demoCase } from '../support/demo-case.ts';

/** Runs an OTLP receiver while something is sent to its addresses. */
const receive = (send: (at: { http: string; grpc: string }) => Promise<void>): Promise<Captured> =>
  captureWhile('feeds: [{kind: otlp, grpc: "127.0.0.1:0", http: "127.0.0.1:0"}]', async (until) => {
    const at = { http: '', grpc: '' };
    await until((event: CaptureEvent) => {
      const about = event.kind === 'feed' ? event.about : '';
      for (const way of ['http', 'grpc'] as const)
        at[way] = new RegExp(`${way} (127\\.0\\.0\\.1:\\d+)`, 'i').exec(about)?.[1] ?? '';
      return at.http !== '' && at.grpc !== '';
    });
    await send(at);
  });

/** Everything that was received, whatever way it took. */
const rowsOf = async ({ core }: Captured) => ({
  rejects: (await core.api['case.current']({}))?.rejects,
  spans: await sqlRows(core, 'select * exclude (source) from spans order by all'),
  logs: await sqlRows(core, 'select * exclude (source) from logs order by all'),
  metrics: await sqlRows(core, 'select * exclude (source) from metrics order by all'),
});

test.skipIf(!collectorVersion)(
  'a stock OpenTelemetry Collector takes what is exported; handed on by it over HTTP and gRPC, it is what comes without it',
  async () => {
    const folder = await temporaryFolder();
    const demo = `${folder}/demo.faultline`;
    await demoCase(folder);
    const send = async (url: string) => {
      const { out } = await faultline('export', demo, '--otlp', url);
      expect(out).toMatch(/^sent 2 incidents to /);
    };
    let output = '';
    let overGrpc: Captured | undefined;
    const overHttp = await receive(async (one) => {
      overGrpc = await receive(async (other) => {
        const collector = await startCollector(folder, { http: one.http, grpc: other.grpc });
        await send(collector.url);
        await collector.end();
        output = collector.output();
      });
    });
    const direct = await rowsOf(await receive((at) => send(`http://${at.http}`)));
    expect(output).not.toMatch(/\t(warn|error)\t/);
    expect(output.match(/^Span #/gm)).toHaveLength(direct.spans.length);
    expect(direct.rejects).toBe(0);
    expect([direct.logs.length, direct.metrics.length].every((count) => count > 0)).toBe(true);
    expect(await rowsOf(overHttp)).toEqual(direct);
    expect(await rowsOf(overGrpc!)).toEqual(direct);
  },
);
