import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { parseValue } from '../../src/main/sources/series-meaning/parse-value.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

const read = (text: string, options: InputOptions = {}) => readSource(prometheus, text, options);
const values = (reading: Reading) => samplesOf(reading).map(({ metric, value }) => [metric, value]);
const detects = (text: string) => prometheus.detect(new FileHead(Buffer.from(text)));
const seriesOf = (reading: Reading, table: 'point' | 'distribution' = 'point') =>
  reading.rows[table].map((row) => JSON.parse(row.series as string) as Record<string, unknown>);

describe('detection', () => {
  test.each([
    ['# TYPE up gauge\nup 1\n'],
    ['a{b="c"} 1\n'],
    ['{"a.b", "c.d"="e"} 1.5\n'],
    ['\n# HELP x y\n# TYPE x counter\n'],
    ['\u{feff}# TYPE y gauge\ny 1\nnot a line\nz 1\n# TYPE a gauge\n# TYPE b gauge\n# TYPE c gauge\n'],
  ])('claims %j', (text) => expect(detects(text)).toBe(true));

  test.each([
    ['nr_free_pages 123\nnr_zone_inactive 5\n'],
    ['{"status":"success","data":{"resultType":"vector","result":[]}}'],
    ['# a comment of a shell script\nset -e\n'],
    ['timestamp, name\n2026/01/01 00:00:00, x\n'],
    ['MemTotal: 12 kB\n'],
    ['<6>[ 1.0] NVRM: Xid (PCI:0000:3b:00): 79\n'],
    [''],
    ['# TYPE'],
  ])('leaves %j', (text) => expect(detects(text)).toBe(false));
});

describe('grammar', () => {
  test.each([
    ['1', 1],
    ['08', 8],
    ['-1.5e3', -1500],
    ['.5', 0.5],
    ['5.', 5],
    ['+Inf', Infinity],
    ['-inf', -Infinity],
    ['0x1.8p3', 12],
    ['-0xAp0', -10],
    ['0x10', 16],
  ])('the value %s', (text, value) => expect(parseValue(text)).toBe(value));
  test('NaN is a value, words are not', () => {
    expect(parseValue('nan')).toBeNaN();
    for (const text of ['', 'true', '1_000', '0x', '1e', '--1']) expect(parseValue(text)).toBeUndefined();
  });

  test('escapes, spaces, a trailing comma, names in quotes', async () => {
    const reading = await read(
      'a { b = "x\\"y\\\\z\\n" , c="1", }-Inf 1767225600000\n{"my.metric","odd-label"="é"} 2 1767225600000\n',
    );
    expect(reasonsOf(reading)).toEqual([]);
    const [a, b] = samplesOf(reading);
    expect(a).toMatchObject({ metric: 'a', value: -Infinity, attributes: { b: 'x"y\\z\n', c: '1' } });
    expect(b).toMatchObject({ metric: 'my.metric', value: 2, attributes: { 'odd-label': 'é' } });
    expect(a?.time_ns).toBe(1767225600000000000n);
  });

  test.each([
    ['@x{a="b"} 3', 'no metric name'],
    ['{a="b"} 3', 'no metric name'],
    ['x{a="b} 3', 'a label value has no end'],
    ['x{@="b"} 3', 'malformed label name'],
    ['x{a=b} 3', 'a label value has no quotes'],
    ['x{a="b"} 3 2.72', 'malformed timestamp'],
    ['x{a="b",a="c"} 3', 'the label a is given twice'],
    ['x{__name__="b"} 3', 'the label __name__ is reserved'],
    ['x{a="\\q"} 3', 'a label value has an unknown escape'],
    ['x{a="b"} 3 4 5', 'text after the end of the sample'],
    ['x{a="b"} three', 'malformed value'],
    ['x{a="b"}', 'malformed value'],
    ['# TYPE met-ric gauge', 'malformed metric name'],
    ['# TYPE x tensor', '"tensor" is not a metric type'],
    ['x{a="b"} 3 99999999999999999', 'the timestamp is out of range'],
  ])('%s is one reject', async (line, reason) => {
    const reading = await read(`good{a="1"} 1\n${line}\ngood{a="2"} 2\n`);
    expect(reasonsOf(reading)).toEqual([reason]);
    expect(reading.rows.reject[0]).toMatchObject({ at: 14n, excerpt: line });
    expect(countsOf(reading)['point']).toBe(2);
  });

  test('TYPE after the samples that it is about is a reject', async () => {
    expect(reasonsOf(await read('metric{a="1"} 4.12\n# TYPE metric counter\n'))).toEqual([
      'TYPE after the samples that it is about',
    ]);
  });

  test('a last line without a line end may be cut off and is rejected', async () => {
    const reading = await read('x{a="1"} 1\nx{a="2"} 12');
    expect(values(reading)).toEqual([['x', 1]]);
    expect(reasonsOf(reading)).toEqual(['the last line has no line end: it may be cut']);
    expect(reasonsOf(await read('x{a="1"} 1\n# EOF'))).toEqual([]);
  });

  test('what the reference parser refuses is refused, what it reads is read', async () => {
    const folder = sharedData('prometheus/prometheus-common-fuzz');
    for (const name of readdirSync(folder)) {
      const reading = await readSource(prometheus, readFileSync(join(folder, name)));
      expect([name, reading.rows.reject.length > 0]).toEqual([name, name.includes('error')]);
    }
  });
});

describe('times', () => {
  test('a scrape without times gets the file time, with a remark', async () => {
    const reading = await read('# TYPE x gauge\nx 1\n');
    expect(samplesOf(reading)[0]?.time_ns).toBe(CAPTURED_NS);
    expect(reading.remarks).toContain(
      'no times in the file: taken as recorded at 2026-01-01T00:00:00.000Z (file time)',
    );
  });

  test('classic timestamps are milliseconds, those of OpenMetrics seconds', async () => {
    const classic = samplesOf(await read('# TYPE x gauge\nx 1 1767225600123\n'));
    const open = samplesOf(await read('# TYPE x gauge\nx 1 1767225600.123456789\n# EOF\n'));
    expect(classic[0]?.time_ns).toBe(1767225600123000000n);
    expect(open[0]?.time_ns).toBe(1767225600123456789n);
  });

  test('a timestamp of OpenMetrics that cannot be seconds is milliseconds, with a remark', async () => {
    const reading = await read('# TYPE x gauge\nx 1 1767225600123\n# EOF\n');
    expect(samplesOf(reading)[0]?.time_ns).toBe(1767225600123000000n);
    expect(reading.remarks.join()).toContain('milliseconds');
  });

  test('a negative timestamp is a time before 1970', async () => {
    expect(samplesOf(await read('# TYPE x gauge\nx 1 -1500\n'))[0]?.time_ns).toBe(-1500000000n);
  });

  test('scrapes with timestamps one after another are a time series', async () => {
    const block = (seconds: number, value: number) => `# TYPE p gauge\np{gpu_uuid="GPU-1"} ${value} ${seconds}000\n`;
    const reading = await read(block(1767225600, 1) + block(1767225615, 2) + block(1767225630, 3));
    expect(samplesOf(reading).map((s) => [s.time_ns / 1_000_000_000n, s.value])).toEqual([
      [1767225600n, 1],
      [1767225615n, 2],
      [1767225630n, 3],
    ]);
  });

  test('of several scrapes without times only the last can have the file time', async () => {
    for (const between of ['', '# EOF\n']) {
      const block = (value: number) => `# TYPE p gauge\np ${value}\nq{a="b"} ${value}\n${between}`;
      const reading = await read(block(1) + block(2) + block(3));
      expect(values(reading)).toEqual([
        ['p', 3],
        ['q', 3],
      ]);
      expect(reasonsOf(reading)).toHaveLength(2);
    }
  });

  test('a date between scrapes is their time', async () => {
    const reading = await read('2026-01-01T00:00:10+01:00\n# TYPE p gauge\np 1\n# 1767225700\n# TYPE p gauge\np 2\n');
    expect(samplesOf(reading).map((s) => [s.time_ns, s.value])).toEqual([
      [1767222010000000000n, 1],
      [1767225700000000000n, 2],
    ]);
    const far = samplesOf(await read('9999999999\n# TYPE p gauge\np 1\n'));
    expect(far.map((s) => s.time_ns).filter((time) => time < 0n)).toEqual([]);
  });
});

describe('distributions', () => {
  const histogram = `# HELP h Latency.
# TYPE h_seconds histogram
h_seconds_bucket{le="0.1",path="/"} 8
h_seconds_bucket{le="1",path="/"} 11
h_seconds_bucket{le="+Inf",path="/"} 12
h_seconds_sum{path="/"} 17.5
h_seconds_count{path="/"} 12
`;
  test('cumulative buckets become separate counts', async () => {
    const reading = await read(histogram);
    expect(countsOf(reading)).toEqual({ distribution: 1 });
    expect(reading.rows.distribution[0]).toMatchObject({ count: 12, sum: 17.5, min: Number.NaN, max: Number.NaN });
    expect(JSON.parse(reading.rows.distribution[0]?.detail as string)).toEqual({ bounds: [0.1, 1], counts: [8, 3, 1] });
    expect(seriesOf(reading, 'distribution')[0]).toMatchObject({
      metric: 'h_seconds',
      kind: 'histogram',
      unit: 's',
      temporality: 2,
      attributes: '{"path":"/"}',
    });
  });

  test('without a TYPE the label le decides', async () => {
    const reading = await read(histogram.replace(/^#.*\n/gm, ''));
    expect(countsOf(reading)).toEqual({ distribution: 1 });
  });

  test('a histogram without +Inf takes its last bucket from the count', async () => {
    const reading = await read(histogram.replace(/.*Inf.*\n/, ''));
    expect(JSON.parse(reading.rows.distribution[0]?.detail as string).counts).toEqual([8, 3, 1]);
  });

  test('summaries keep their quantiles, also those that are not numbers', async () => {
    const reading = await read(
      '# TYPE s summary\ns{quantile="0.5"} 1.5\ns{quantile="0.9"} NaN\ns_sum 30\ns_count 20\n',
    );
    expect(reading.rows.distribution[0]).toMatchObject({ count: 20, sum: 30 });
    expect(JSON.parse(reading.rows.distribution[0]?.detail as string)).toEqual({
      quantiles: [
        [0.5, 1.5],
        [0.9, 'NaN'],
      ],
    });
  });

  test('interleaved label sets are kept apart', async () => {
    const reading = await read(
      '# TYPE s summary\ns{a="1",quantile="0.5"} 1\ndecoy{a="1"} 5\ns_sum{a="2"} 7\ns_sum{a="1"} 3\ns_count{a="2"} 1\n',
    );
    expect(reading.rows.distribution.map((row) => [row.sum, row.count])).toEqual([
      [3, Number.NaN],
      [7, 1],
    ]);
  });

  test('OpenMetrics: created times, exemplars, units, infos', async () => {
    const reading = await readSource(prometheus, readFileSync('fixtures/prometheus/node-openmetrics.prom'));
    expect(reasonsOf(reading)).toEqual([]);
    const energy = reading.rows.point.find((row) => (row.series as string).includes('hw.energy'));
    expect(energy).toMatchObject({ start_ns: 1767200000250000000n, time_ns: 1767225600500000000n, value: 262143.328 });
    expect(samplesOf(reading).map((s) => `${s.entity} ${s.metric}`)).toContain('server:node-a hw.temperature');
    expect(reading.rows.exemplar).toHaveLength(1);
    expect(reading.rows.exemplar[0]).toMatchObject({
      value: 0.67,
      time_ns: 1767225599250000000n,
      trace_hi: 0x4bf92f3577b34da6n,
      span_id: 0x00f067aa0ba902b7n,
    });
    expect(JSON.parse(reading.rows.exemplar[0]?.series as string)).toMatchObject({ kind: 'histogram' });
  });
});

describe('names', () => {
  const dcgm = (name: string, value: string, more = '') =>
    `${name}{gpu="3",UUID="GPU-aa",pci_bus_id="00000000:9B:00.0",device="nvidia3",modelName="H100",Hostname="n1"${more}} ${value}\n`;
  test.each([
    ['DCGM_FI_DEV_POWER_USAGE', '101.5', 'hw.power', 'W', 101.5],
    ['DCGM_FI_DEV_BOARD_POWER_WATTS', '101.5', 'hw.power', 'W', 101.5],
    ['DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', '123456', 'hw.energy', 'J', 123.456],
    ['DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL', '123.456', 'hw.energy', 'J', 123.456],
    ['DCGM_FI_DEV_SM_CLOCK', '1980', 'hw.gpu.clock.sm', 'MHz', 1980],
    ['DCGM_FI_DEV_SM_CLOCK_HERTZ', '1980000000', 'hw.gpu.clock.sm', 'MHz', 1980],
    ['DCGM_FI_DEV_FB_USED', '2', 'hw.gpu.memory.usage', 'By', 2097152],
    ['DCGM_FI_DEV_XID_ERRORS', '79', 'hw.gpu.xid', '1', 79],
    ['DCGM_FI_DEV_POWER_VIOLATION', '1500000000', 'hw.gpu.throttle.power', 's', 1.5],
    ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS', '72', 'hw.gpu.clocks_event_reasons', '1', 72],
    ['DCGM_FI_DEV_GPU_UTIL_RATIO', '98', 'hw.gpu.utilization', '%', 98],
    ['DCGM_FI_PROF_SM_ACTIVE', '0.5', 'DCGM_FI_PROF_SM_ACTIVE', '1', 0.5],
    ['DCGM_FI_PROF_SM_UTIL_RATIO', '0.5', 'DCGM_FI_PROF_SM_ACTIVE', '1', 0.5],
    ['DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L12', '4', 'hw.nvlink.errors', '{error}', 4],
    ['dcgm_gpu_temp', '50', 'hw.temperature', 'Cel', 50],
    ['DCGM_FI_DEV_SOMETHING_NEW', '7', 'DCGM_FI_DEV_SOMETHING_NEW', '', 7],
  ])('%s', async (name, value, metric, unit, expected) => {
    const reading = await read(dcgm(name, value));
    expect(samplesOf(reading)[0]).toMatchObject({ entity: 'gpu:GPU-aa', metric, unit, value: expected });
    expect(reading.entities.get('gpu:GPU-aa')?.aliases).toEqual([
      'gpu_uuid=GPU-aa',
      'gpu_index=n1/gpu3',
      'pci_address=n1/pci-0000:9b:00',
    ]);
    expect(reading.rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`)).toEqual([
      'server:n1 contains gpu:GPU-aa',
    ]);
  });

  test('the last Xid is one series, independent of its text', async () => {
    const line = (code: number, time: number) =>
      dcgm('DCGM_FI_DEV_XID_ERRORS', String(code), `,err_code="${code}",err_msg="m"`).replace('\n', ` ${time}000\n`);
    const reading = await read(line(0, 1767225600) + line(79, 1767225615));
    expect(new Set(reading.rows.point.map((row) => row.series)).size).toBe(1);
    expect(seriesOf(reading)[0]).toMatchObject({ kind: 'gauge', monotonic: false });
  });

  test('a workload runs on its GPU; the exporter does not', async () => {
    const edges = async (labels: string) =>
      (await read(dcgm('DCGM_FI_DEV_GPU_TEMP', '30', labels))).rows.edge.map((row) => `${row.from_entity} ${row.kind}`);
    expect(await edges(',pod="train-0",namespace="ml",container="main"')).toContain('pod:ml/train-0 runs_on');
    expect(
      await edges(',pod="nvidia-dcgm-exporter-x",namespace="gpu-operator",container="nvidia-dcgm-exporter"'),
    ).toEqual(['server:n1 contains']);
    expect(await edges(',pod="e",namespace="o",exported_pod="train-1",exported_namespace="ml"')).toContain(
      'pod:ml/train-1 runs_on',
    );
    expect(await edges(',hpc_job="4711"')).toContain('job:4711 runs_on');
  });

  test('MIG: slices have memory and engines, power is the GPU’s and counted once', async () => {
    const slice = (name: string, id: number, value: number) =>
      dcgm(name, String(value), `,GPU_I_PROFILE="1g.10gb",GPU_I_ID="${id}"`);
    const reading = await read(
      slice('DCGM_FI_DEV_POWER_USAGE', 3, 52.6) +
        slice('DCGM_FI_DEV_POWER_USAGE', 4, 52.7) +
        slice('DCGM_FI_DEV_FB_USED', 3, 1) +
        slice('DCGM_FI_DEV_FB_USED', 4, 2),
    );
    expect(samplesOf(reading).map((s) => [s.entity, s.metric, s.value])).toEqual([
      ['gpu:GPU-aa', 'hw.power', 52.6],
      ['gpu:GPU-aa/gi3', 'hw.gpu.memory.usage', 1048576],
      ['gpu:GPU-aa/gi4', 'hw.gpu.memory.usage', 2097152],
    ]);
    expect(reading.remarks.join()).toContain('MIG');
  });

  test('counters are monotonic sums, declared or by their name', async () => {
    const reading = await read(
      '# TYPE a counter\na 1\nb_total{x="1"} 2\n# TYPE c gauge\nc_total{x="1"} 3\nd{x="1"} 1\n',
    );
    expect(seriesOf(reading).map(({ metric, kind, monotonic }) => [metric, kind, monotonic])).toEqual([
      ['a', 'sum', true],
      ['b_total', 'sum', true],
      ['c_total', 'sum', true],
      ['d', 'gauge', false],
    ]);
  });

  test('series find what they are about', async () => {
    const reading = await read(
      `# TYPE a gauge
a{instance="10.0.0.7:9100",job="node"} 1
a{instance="http://host-b:80/metrics"} 1
a{pod="web-1",namespace="shop",instance="10.1.1.1:80"} 1
a{node="k8s-1"} 1
a{service="checkout"} 1
a{job="batch"} 1
kube_node_status_condition{node="k8s-2",condition="Ready",status="true",instance="10.2.2.2:8080"} 1
kube_pod_info{namespace="ml",pod="train-0",node="k8s-2",uid="u-1"} 1
node_load1{instance="host-c:9100"} 3
`,
    );
    expect(samplesOf(reading).map((s) => s.entity)).toEqual([
      'server:10.0.0.7',
      'server:host-b',
      'pod:shop/web-1',
      'node:k8s-1',
      'service:checkout',
      'service:batch',
      'node:k8s-2',
      'pod:ml/train-0',
      'server:host-c',
    ]);
    expect(reading.entities.get('server:10.0.0.7')?.aliases).toEqual(['ip_address=10.0.0.7']);
    expect(reading.rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`)).toEqual([
      'pod:ml/train-0 runs_on node:k8s-2',
    ]);
  });

  test('a scrape that names no machine is about the machine that the investigator names', async () => {
    const text = '# TYPE node_load1 gauge\nnode_load1 3\n# TYPE up gauge\nup 1\n';
    expect(samplesOf(await read(text, { assume: { device: 'rack-7' } })).map((s) => s.entity)).toEqual([
      'server:rack-7',
      'server:rack-7',
    ]);
    const silent = await read(text, { name: 'scrapes/node.prom' });
    expect(samplesOf(silent).map((s) => s.entity)).toEqual(['server:node', 'device:node']);
    expect(silent.remarks.join()).toContain('"node"');
  });

  test('node_exporter’s readings have the agreed names, and stay apart', async () => {
    const reading = await read(
      `node_hwmon_power_average_watt{chip="c",sensor="power1",instance="a:1"} 80
node_rapl_dram_joules_total{index="0",instance="a:1"} 5
node_cpu_package_throttles_total{package="0",instance="a:1"} 2
`,
    );
    expect(samplesOf(reading).map((s) => [s.metric, s.unit, s.attributes])).toEqual([
      ['hw.power', 'W', { chip: 'c', sensor: 'power1' }],
      ['hw.energy', 'J', { index: '0', zone: 'dram' }],
      ['hw.cpu.throttle', '{event}', { package: '0', zone: 'package' }],
    ]);
  });

  test('Ingero’s latency is one metric as gauge and as histogram', async () => {
    const gauge = await read(
      '# TYPE gpu_cuda_operation_duration_microseconds gauge\ngpu_cuda_operation_duration_microseconds{source="cuda",operation="cudaLaunchKernel",percentile="p99"} 843\n# TYPE system_cpu_utilization gauge\nsystem_cpu_utilization 0.25\n',
    );
    expect(samplesOf(gauge)[0]).toMatchObject({ metric: 'gpu.cuda.operation.duration', unit: 'us', value: 843 });
    expect(samplesOf(gauge)[1]).toMatchObject({ metric: 'system.cpu.utilization', unit: '%', value: 25 });
    const histogram = await read(
      '# TYPE gpu_cuda_operation_duration histogram\ngpu_cuda_operation_duration_bucket{operation="x",le="+Inf"} 3\ngpu_cuda_operation_duration_count{operation="x"} 3\n',
    );
    expect(seriesOf(histogram, 'distribution')[0]).toMatchObject({ metric: 'gpu.cuda.operation.duration', unit: 'us' });
  });

  test('eight H100 of one node', async () => {
    const reading = await readSource(prometheus, readFileSync('fixtures/prometheus/dcgm-exporter-8xh100.prom'));
    const power = samplesOf(reading).filter((s) => s.metric === 'hw.power');
    expect(power).toHaveLength(8);
    expect(power[0]).toMatchObject({ entity: 'gpu:GPU-c4529c8d-69c4-b61d-e0bc-7b2460096005', value: 113.611 });
    expect(reading.rows.edge.filter((row) => row.kind === 'contains')).toHaveLength(8);
  });

  test('nvidia_gpu_exporter: base units become the agreed ones', async () => {
    const reading = await readSource(prometheus, readFileSync('fixtures/prometheus/demo__seeded.metrics'));
    const of = (metric: string) =>
      samplesOf(reading)
        .filter((s) => s.metric === metric && s.entity === 'gpu:GPU-1c67088e-9ecb-4564-bb97-6151ecc2ef64')
        .map((s) => [s.value, s.unit]);
    expect(of('hw.gpu.clock.sm')).toEqual([[1980, 'MHz']]);
    expect(of('hw.gpu.memory.usage')).toEqual([[33934016512, 'By']]);
    expect(of('hw.power.limit')).toEqual([[700, 'W']]);
    expect(of('hw.pcie.link.width')).toEqual([[16, '{lane}']]);
    expect(reasonsOf(reading)).toEqual([]);
  });
});

describe('hostile and foreign input', () => {
  test('protobuf scrapes are refused by name', async () => {
    const message = Buffer.concat([
      Buffer.from([0x0c, 0x0a, 0x02]),
      Buffer.from('up'),
      Buffer.from([0x18, 1]),
      Buffer.alloc(8),
    ]);
    expect(prometheus.detect(new FileHead(message))).toBe(true);
    await expect(readSource(prometheus, message)).rejects.toMatchObject({ problem: { code: 'prometheus.protobuf' } });
  });

  test('a recorded protobuf scrape is known as one', () => {
    const scrape = readFileSync(sharedData('prometheus/prometheus-common/protobuf-multimessage'));
    expect(prometheus.detect(new FileHead(scrape))).toBe(true);
  });

  test('endless lines, labels and prototype names do no harm', async () => {
    const long = `x{a="${'y'.repeat(1_000_000)}"} 1\n`;
    const deep = `x${'{'.repeat(100_000)} 1\n`;
    const names =
      '# TYPE constructor gauge\nconstructor{__proto__="1",toString="2"} 1\nhasOwnProperty_bucket{le="1"} 2\n';
    const reading = await read(long + deep + names);
    expect(reasonsOf(reading)).toEqual(['malformed label name']);
    expect(countsOf(reading)).toEqual({ point: 2, distribution: 1, reject: 1 });
  });

  test('rows come in batches, and each batch registers its series anew', async () => {
    const lines = Array.from({ length: 45_000 }, (_, i) => `x{a="${i % 7}"} ${i} ${1767225600000 + i}`);
    const reading = await read(`# TYPE x gauge\n${lines.join('\n')}\n`);
    expect(countsOf(reading)).toEqual({ point: 45_000 });
    expect(reading.consumed.length).toBeGreaterThan(2);
  });
});
