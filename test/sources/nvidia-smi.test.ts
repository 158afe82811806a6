import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nvidiaSmi } from '../../src/main/sources/nvidia-smi/index.ts';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, type Reading, readSource, reasonsOf, type Sample, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

const read = (text: string, options: InputOptions = {}) => readSource(nvidiaSmi, text, options);
const fixture = (name: string) => readSource(nvidiaSmi, readFileSync(`fixtures/nvidia-smi/${name}`));
const detects = (text: string) => nvidiaSmi.detect(new FileHead(Buffer.from(text)));
const valuesOf = (reading: Reading, metric: string, entity?: string) =>
  samplesOf(reading)
    .filter((s) => s.metric === metric && (entity === undefined || s.entity === entity))
    .map((s) => s.value);
const log = (gpu: string, more = '') =>
  `<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log><timestamp>Fri Aug  4 11:44:30 2023</timestamp><attached_gpus>1</attached_gpus>${more}<gpu id="00000000:9B:00.0">${gpu}</gpu></nvidia_smi_log>\n`;
const UUID = '<uuid>GPU-513536b6-7d19-9063-b049-1e69664bb298</uuid>';
const GPU = 'gpu:GPU-513536b6-7d19-9063-b049-1e69664bb298';

describe('detection', () => {
  test.each([
    [log(UUID)],
    ['timestamp, index, power.draw [W]\n'],
    ['uuid, temperature.gpu, clocks.sm [MHz]\n'],
    ['power.draw [W]\n101.2 W\n'],
    ['2026/07/03 22:10:46.109, 0, 67.03 W, 45\n'],
    ['# capture\n# $ nvidia-smi --version\n'],
  ])('claims %j', (text) => expect(detects(text)).toBe(true));
  test.each([
    ['timestamp, name, value\n'],
    ['timestamp,cpu.usage,memory\n2026-01-01,1,2\n'],
    ['<?xml version="1.0"?><svg/>'],
    ['from_kind,from_id,edge,to_kind,to_id\n'],
    ['power\n'],
    ['index,name\n0,a\n'],
    [''],
  ])('leaves %j', (text) => expect(detects(text)).toBe(false));
});

describe('XML of all document types', () => {
  test('driver 535: gpu_power_readings, MIG slices without power, thresholds', async () => {
    const reading = await fixture('a100-sxm4-v12.xml');
    expect(valuesOf(reading, 'hw.power')).toEqual([67.03]);
    expect(valuesOf(reading, 'hw.power.limit')).toEqual([500]);
    expect(valuesOf(reading, 'hw.gpu.memory.usage', `${GPU}/gi3`)).toEqual([12 * 1048576]);
    expect(reading.rows.edge.map((row) => row.to_entity)).toEqual([3, 4, 5, 6].map((id) => `${GPU}/gi${id}`));
    expect(samplesOf(reading).find((s) => s.metric === 'hw.temperature')).toMatchObject({
      value: 27,
      attributes: { upper_warning: 85, upper_critical: 89, upper_fatal: 92 },
      time_ns: 1691149470000000000n,
    });
    // N/A is not zero.
    expect(valuesOf(reading, 'hw.gpu.utilization')).toEqual([]);
    expect(reading.remarks).toContain('times have no zone: read as UTC');
  });

  test('DTD 11 and older: power_readings, clocks_throttle_reasons, single and double bits', async () => {
    const reading = await fixture('tesla-t4.xml');
    expect(valuesOf(reading, 'hw.power')).toHaveLength(1);
    expect(valuesOf(reading, 'hw.power.limit')).toHaveLength(1);
    const old = await read(
      log(
        `${UUID}<ecc_errors><volatile><single_bit><device_memory>3</device_memory><total>4</total></single_bit><double_bit><total>1</total></double_bit></volatile></ecc_errors>`,
      ),
    );
    expect(samplesOf(old).map((s) => [s.metric, s.attributes['memory'], s.value])).toEqual([
      ['hw.gpu.ecc.corrected', 'device_memory', 3],
      ['hw.gpu.ecc.corrected', 'total', 4],
      ['hw.gpu.ecc.uncorrected', 'total', 1],
    ]);
  });

  test('DTD 13: average and instant power, counters in microseconds, margins instead of temperatures', async () => {
    const reading = await fixture('rtx-4000-sff-ada-v13.xml');
    expect(
      samplesOf(reading)
        .filter((s) => s.metric === 'hw.power')
        .map((s) => [s.value, s.attributes]),
    ).toEqual([
      [8.81, {}],
      [8.44, { reading: 'instant' }],
    ]);
    expect(valuesOf(reading, 'hw.gpu.throttle.power')).toEqual([4251.825415]);
    expect(valuesOf(reading, 'hw.gpu.clocks_event_reasons')).toEqual([1]);
    expect(samplesOf(reading).find((s) => s.metric === 'hw.temperature.margin')).toMatchObject({
      value: 49,
      attributes: { lower_warning: 0, lower_critical: -2, lower_fatal: -7 },
    });
  });

  test('active reasons become the bits of NVML; what NVML does not know is named', async () => {
    const reasons = ['sw_power_cap', 'hw_thermal_slowdown', 'cosmic_rays']
      .map((name) => `<clocks_throttle_reason_${name}>Active</clocks_throttle_reason_${name}>`)
      .join('');
    const reading = await read(log(`${UUID}<clocks_throttle_reasons>${reasons}</clocks_throttle_reasons>`));
    expect(samplesOf(reading)).toMatchObject([
      { metric: 'hw.gpu.clocks_event_reasons', value: 0x44, attributes: { hw: 'cosmic_rays' } },
    ]);
  });

  test('several logs one after another are a time series', async () => {
    const later = log(`${UUID}<fan_speed>40 %</fan_speed>`).replace('11:44:30', '11:44:35');
    const reading = await read(log(`${UUID}<fan_speed>30 %</fan_speed>`) + later);
    expect(samplesOf(reading).map((s) => [s.time_ns, s.value])).toEqual([
      [1691149470000000000n, 30],
      [1691149475000000000n, 40],
    ]);
  });

  test('the host, when known, names its GPUs by index and bus address too', async () => {
    const reading = await read(log(`${UUID}<fan_speed>30 %</fan_speed>`), { assume: { device: 'n1', zone: '+02:00' } });
    expect(reading.entities.get(GPU)?.aliases.slice(1)).toEqual(['gpu_index=n1/gpu0', 'pci_address=n1/pci-0000:9b:00']);
    expect(reading.rows.edge[0]).toMatchObject({ from_entity: 'server:n1', to_entity: GPU });
    expect(samplesOf(reading)[0]?.time_ns).toBe(1691142270000000000n);
    expect(reading.remarks).toEqual([]);
  });

  test('processes run on the GPU or slice', async () => {
    const reading = await read(
      log(
        `${UUID}<processes><process_info><gpu_instance_id>3</gpu_instance_id><pid>4711</pid><process_name>a&amp;b</process_name><used_memory>2 MiB</used_memory></process_info></processes>`,
      ),
    );
    expect(reading.rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`)).toContain(
      `process:${GPU.slice(4)}/pid-4711 runs_on ${GPU}/gi3`,
    );
    expect([...reading.entities.values()].map((e) => e.attributes)).toContain('{"name":"a&b"}');
  });
});

describe('CSV', () => {
  test('two GPUs over time, one is lost', async () => {
    const reading = await fixture('query-gpu-two-h100.csv');
    const first = 'gpu:GPU-0a8a6ff5-4f0c-4a43-9d3e-6f3b1c8c0001';
    expect(valuesOf(reading, 'hw.power', first)).toEqual([698.41, 701.02]);
    expect(valuesOf(reading, 'hw.gpu.clocks_event_reasons', first)).toEqual([4, 4]);
    expect(valuesOf(reading, 'hw.gpu.memory.usage', first)[0]).toBe(74166 * 1048576);
    expect(valuesOf(reading, 'hw.gpu.clock.sm', first)).toEqual([1410, 1395]);
    expect(samplesOf(reading)[0]?.time_ns).toBe(1783116646109000000n);
    expect(reading.rows.event).toMatchObject([
      { entity: 'gpu:GPU-0a8a6ff5-4f0c-4a43-9d3e-6f3b1c8c0002', type: 'gpu_lost', severity: 0 },
    ]);
    expect(reading.rows.event[0]?.raw).toContain('[GPU is lost]');
  });

  test('without units in the values the header has them', async () => {
    const reading = await read(
      'timestamp, uuid, memory.used [MiB], clocks_event_reasons_counters.sw_power_cap [us]\n2026/01/01 00:00:00.000, GPU-1, 2, 1500000\n',
    );
    expect(samplesOf(reading).map((s) => [s.metric, s.value, s.unit])).toEqual([
      ['hw.gpu.memory.usage', 2097152, 'By'],
      ['hw.gpu.throttle.power', 1.5, 's'],
    ]);
  });

  test('without a header nothing is guessed', async () => {
    await expect(read('2026/07/03 22:10:46.109, 0, 67.03 W, 45\n')).rejects.toMatchObject({
      problem: { code: 'nvidia_smi.no_header' },
    });
  });

  test('no value is no sample', async () => {
    const nothing = [
      'N/A',
      '[N/A]',
      '[Not Supported]',
      '[Unknown Error]',
      'ERR!',
      '',
      '[Requested functionality has been deprecated]',
    ];
    const reading = await read(
      `timestamp, uuid, power.draw [W]\n${nothing.map((text) => `2026/01/01 00:00:00.000, GPU-1, ${text}\n`).join('')}`,
    );
    expect(countsOf(reading)).toEqual({});
  });

  test('active reasons in separate columns become the mask', async () => {
    const reading = await read(
      'timestamp, uuid, clocks_event_reasons.gpu_idle, clocks_event_reasons.hw_power_brake_slowdown\n2026/01/01 00:00:00.000, GPU-1, Not Active, Active\n',
    );
    expect(samplesOf(reading)).toMatchObject([{ metric: 'hw.gpu.clocks_event_reasons', value: 0x80 }]);
  });

  test('times of a stated zone, and of a repeated hour', async () => {
    const row = 'timestamp, uuid, temperature.gpu\n2026/07/03 22:10:46.109, GPU-1, 50\n';
    const berlin = await read(row, { assume: { zone: 'Europe/Berlin' } });
    expect(samplesOf(berlin)[0]?.time_ns).toBe(1783109446109000000n);
    expect(berlin.remarks).toEqual([]);
    expect((await read(row)).remarks).toContain('times have no zone: read as UTC');
  });

  test('a table without times is of the file time, and only its last row of each GPU', async () => {
    const reading = await read('index, temperature.gpu\n0, 40\n1, 41\n0, 50\n', { assume: { device: 'n1' } });
    expect(samplesOf(reading).map((s) => [s.entity, s.value, s.time_ns])).toEqual([
      ['gpu:n1/gpu0', 50, CAPTURED_NS],
      ['gpu:n1/gpu1', 41, CAPTURED_NS],
    ]);
    expect(reasonsOf(reading)).toHaveLength(1);
  });

  test('GPUs without UUID or host are those of the file’s machine, with a remark', async () => {
    const reading = await read('timestamp, index, temperature.gpu\n2026/01/01 00:00:00, 3, 40\n', {
      name: 'logs/n7.csv',
    });
    expect(samplesOf(reading)[0]?.entity).toBe('gpu:n7/gpu3');
    expect(reading.remarks.join()).toContain('"n7"');
    const hosted = await read('timestamp, index, temperature.gpu, hostname\n2026/01/01 00:00:00, 3, 40, n8\n');
    expect(samplesOf(hosted)[0]?.entity).toBe('gpu:n8/gpu3');
  });

  test('bad rows are rejects, the other rows are read', async () => {
    const reading = await read(
      'timestamp, uuid, temperature.gpu\nyesterday, GPU-1, 1\n2026/13/41 00:00:00, GPU-1, 2\n2026/01/01 00:00:00, GPU-1\n2026/01/01 00:00:00, GPU-1, 4\n',
    );
    expect(valuesOf(reading, 'hw.temperature')).toEqual([4]);
    expect(reasonsOf(reading)).toHaveLength(3);
  });

  test('processes of --query-compute-apps', async () => {
    const reading = await read(
      'timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n2026/01/01 00:00:00, GPU-1, 42, python3, 100 MiB\n',
    );
    expect(samplesOf(reading)).toMatchObject([{ entity: 'process:GPU-1/pid-42', metric: 'hw.gpu.memory.usage' }]);
    expect(reading.rows.edge).toHaveLength(1);
  });
});

describe('captures of nvidia_gpu_exporter agree with their scrapes', () => {
  const captures = [
    'linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01',
    'linux-x86_64__nvidia-geforce-rtx-2080-super__595.71.05',
    'linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05',
  ];
  // Their UUIDs are blanked: the capture knows the index besides, most series of the scrape do not.
  const key = (s: Sample) => `${s.entity.replace(/gpu0$/, 'gpu')} ${s.metric} ${JSON.stringify(s.attributes)}`;
  test.each(captures)('%s', async (name) => {
    const capture = sharedData(`nvml/nvidia_gpu_exporter-captures/${name}.txt`);
    const reported = samplesOf(await readSource(nvidiaSmi, readFileSync(capture))).filter(
      (s) => s.entity.startsWith('gpu:') && s.metric.startsWith('hw.'),
    );
    const [idle, load] = [...new Set(reported.map((s) => s.time_ns))].sort();
    for (const [state, time] of [
      ['idle', idle],
      ['load', load],
    ] as const) {
      const file = sharedData(`prometheus/nvidia_gpu_exporter/${name}__${state}.metrics`);
      const scraped = samplesOf(await readSource(prometheus, readFileSync(file)));
      const expected = new Map(scraped.filter((s) => s.metric.startsWith('hw.')).map((s) => [key(s), s.value]));
      const found = new Map(reported.filter((s) => s.time_ns === time).map((s) => [key(s), s.value]));
      expect(found.size).toBeGreaterThan(15);
      for (const [series, value] of expected) expect([series, found.get(series)]).toEqual([series, value]);
    }
  });
});

describe('hostile XML', () => {
  test('entities are not expanded, depth is bounded', async () => {
    const bomb =
      '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n<nvidia_smi_log><timestamp>Fri Aug  4 11:44:30 2023</timestamp><gpu id="x"><uuid>GPU-1</uuid><product_name>&b;</product_name><fan_speed>30 %</fan_speed></gpu></nvidia_smi_log>\n';
    const reading = await read(bomb);
    expect(valuesOf(reading, 'hw.fan.speed_ratio')).toEqual([30]);
    expect(reading.entities.get('gpu:GPU-1')?.attributes).toBe('{"model":"&b;"}');
    const deep = await read(log(`${UUID}${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`));
    expect(reasonsOf(deep)).toEqual(['nested too deeply']);
  });

  test('cut, crossed and foreign elements are rejects', async () => {
    expect(reasonsOf(await read('<nvidia_smi_log><gpu>'))).toEqual(['the file ends inside an XML log']);
    expect(reasonsOf(await read('<nvidia_smi_log><gpu></b></gpu></nvidia_smi_log>'))).toEqual(['</b> closes nothing']);
    expect(reasonsOf(await read('<nvidia_smi_log><gpu a=b></gpu></nvidia_smi_log>'))).toEqual(['malformed XML']);
    expect(reasonsOf(await read(log(UUID).replace('11:44:30', '99:44:30')))[0]).toContain('99:44');
  });
});
