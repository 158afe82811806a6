import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nvmlFeed } from '../../src/main/capture/nvml/index.ts';
import { captureWhile, isState, pause, reaches, remarksOf, sqlRows, type Until } from '../support/capture-run.ts';
import { faultline } from '../support/command-line.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';
import { fakeNvml, hasCompiler, healthy } from '../support/fake-nvml.ts';
import { sharedData } from '../support/shared-data.ts';

const capture = (settings: string, whileRunning: (until: Until, core: TestCore) => Promise<void>, every_s = 0.1) =>
  captureWhile(`feeds: [{kind: nvml, host: node-3, every_s: ${every_s}, ${settings}}]`, whileRunning);
const sql = sqlRows;
/** So many polls of a GPU were stored. */
const polled = (core: TestCore, least: number, metric = 'hw.power.limit') =>
  reaches(core, `select count(distinct time_ns) from metrics where metric = '${metric}'`, least);
const latest = async (core: TestCore, gpu = 0): Promise<Map<string, unknown>> =>
  new Map(
    (
      await sql(
        core,
        `select metric || coalesce(' ' || list_aggregate(map_values(from_json(attributes, '{"lifetime":"VARCHAR","memory":"VARCHAR","reading":"VARCHAR"}')::map(varchar, varchar)), 'string_agg', ' '), ''), max_by(value, time_ns)
         from metrics where entity = 'GPU-0000000${gpu}-1111-2222-3333-444444444444' group by all`,
      )
    ).map(([name, value]) => [name as string, value]),
  );

describe.skipIf(!hasCompiler)('a driver behind its library (skipped: there is no C compiler)', () => {
  test('values are those that its other recorders have, in their units', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 2', ...healthy(0), ...healthy(1));
    const { core } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up', /^2 of 2 GPUs answer, driver 550\.54\.15$/));
      await polled(core, 5);
    });
    const rows = await sql(
      core,
      `select metric, unit, max(value) from metrics where entity like 'GPU-00000000%' and metric like 'hw.%' group by all`,
    );
    const values = new Map(rows.map(([metric, unit, value]) => [metric, [value, unit]]));
    expect(values.get('hw.power.limit')).toEqual([700, 'W']);
    expect(values.get('hw.energy')).toEqual([5_000_000_123.456, 'J']);
    expect(values.get('hw.temperature')).toEqual([64, 'Cel']);
    expect(values.get('hw.temperature.margin')).toEqual([22, 'Cel']);
    expect(values.get('hw.gpu.memory.temperature')).toEqual([70, 'Cel']);
    expect(values.get('hw.gpu.clock.sm')).toEqual([1980, 'MHz']);
    expect(values.get('hw.gpu.clock.memory')).toEqual([2619, 'MHz']);
    expect(values.get('hw.gpu.utilization')).toEqual([99, '%']);
    expect(values.get('hw.gpu.memory.utilization')).toEqual([41, '%']);
    expect(values.get('hw.gpu.memory.usage')).toEqual([60_129_542_144, 'By']);
    expect(values.get('hw.gpu.memory.limit')).toEqual([85_899_345_920, 'By']);
    expect(values.get('hw.gpu.clocks_event_reasons')).toEqual([4, '1']);
    expect(values.get('hw.gpu.rows.remapped.corrected')).toEqual([4, '{row}']);
    expect(values.get('hw.gpu.rows.remap_pending')).toEqual([1, '1']);
    expect(values.get('hw.gpu.throttle.power')).toEqual([123.456789012, 's']);
    expect(values.get('hw.gpu.recovery_action')).toEqual([2, '1']);
    expect(values.get('hw.gpu.pcie.replays')).toEqual([3, '{error}']);
    expect(values.get('hw.pcie.receive')).toEqual([2_000_000, 'By/s']);
    expect(values.get('hw.nvlink.transmit')).toEqual([0, 'By/s']);
    const powers = await sql(
      core,
      `select distinct attributes->>'reading', value from metrics where metric = 'hw.power' order by 1 nulls first`,
    );
    expect(powers).toEqual([
      [null, 652.34],
      ['instant', 660],
    ]);
    const errors = await sql(
      core,
      `select distinct metric, attributes->>'lifetime', attributes->>'memory', value from metrics where metric like 'hw.gpu.ecc.%' order by 1`,
    );
    expect(errors).toEqual([
      ['hw.gpu.ecc.corrected', 'volatile', 'total', 2],
      ['hw.gpu.ecc.uncorrected', 'aggregate', 'total', 1],
    ]);
    const limits = await sql(
      core,
      `select distinct attributes->>'upper_critical', attributes->>'upper_fatal' from metrics where metric = 'hw.temperature'`,
    );
    expect(limits).toEqual([['89', '92']]);
    const links = await sql(
      core,
      `select entity, metric, max(value) from metrics where entity like '%/link%' and entity like 'GPU-00000000%' group by all order by 1, 2`,
    );
    const first = 'GPU-00000000-1111-2222-3333-444444444444';
    expect(links).toEqual([
      [`${first}/link0`, 'hw.link.state', 1],
      [`${first}/link0`, 'hw.nvlink.errors', 7],
      [`${first}/link1`, 'hw.link.state', 0],
    ]);
    const aliases = await sql(core, `select kind, name from alias where name like 'node-3/%' order by 2`);
    expect(aliases).toEqual([
      ['gpu_index', 'node-3/gpu0'],
      ['gpu_index', 'node-3/gpu1'],
      ['pci_address', 'node-3/pci-0000:9b:00'],
      ['pci_address', 'node-3/pci-0000:9c:00'],
    ]);
  });

  test('values that are not offered are left out, with one remark', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 1', 'power 0 100000', 'fan 0 30');
    const { core } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up'));
      await polled(core, 5, 'hw.power');
    });
    expect([...(await latest(core)).keys()].sort()).toEqual(['hw.fan.speed_ratio', 'hw.power']);
    const remarks = await remarksOf(core);
    expect(remarks.filter((remark) => /not offered by these GPUs.*utilization\.gpu/.test(remark))).toHaveLength(1);
    expect(remarks.join()).toMatch(/the driver offers no events/);
  });

  test('a MIG slice is an entity inside its GPU, also if created at run time', async () => {
    const driver = await fakeNvml();
    const gpus = ['count -1 2', ...healthy(0), ...healthy(1), 'mig 0 1', 'mig 1 0', 'gi 110 5', 'memory 110 1'];
    // Two compute instances share GPU instance 7.
    const first = ['gi 100 7', 'memory 100 1073741824', 'gi 101 7', 'memory 101 1073741824'];
    await driver.set(...gpus, ...first);
    const { core } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up'));
      const polledSlice = (slice: string) =>
        reaches(
          core,
          `select count(*) from metrics where metric = 'hw.gpu.memory.usage' and entity like '%/${slice}'`,
          3,
        );
      await polledSlice('gi7');
      await driver.set(...gpus, 'gi 102 9', 'memory 102 2147483648');
      await polledSlice('gi9');
    });
    const gpu = 'GPU-00000000-1111-2222-3333-444444444444';
    expect(
      await sql(
        core,
        `select entity, metric, unit, max(value) from metrics where entity like '%/gi%' group by all order by 1, 2`,
      ),
    ).toEqual([
      [`${gpu}/gi7`, 'hw.gpu.memory.limit', 'By', 10_468_982_784],
      [`${gpu}/gi7`, 'hw.gpu.memory.usage', 'By', 1_073_741_824],
      [`${gpu}/gi9`, 'hw.gpu.memory.limit', 'By', 10_468_982_784],
      [`${gpu}/gi9`, 'hw.gpu.memory.usage', 'By', 2_147_483_648],
    ]);
    expect(
      await sql(
        core,
        `select e.id, e.attributes->>'mig_profile', a.name from entity e join alias a using (entity_id)
         where e.id like '%/gi%' and a.kind = 'gpu_uuid' order by 1`,
      ),
    ).toEqual([
      [`${gpu}/gi7`, '1g.10gb', 'MIG-00000100-1111-2222-3333-444444444444'],
      [`${gpu}/gi9`, '1g.10gb', 'MIG-00000102-1111-2222-3333-444444444444'],
    ]);
    expect(
      await sql(
        core,
        `select distinct from_id, edge, to_id, standing from topology where to_id like '%/gi%' and edge = 'contains' order by 3`,
      ),
    ).toEqual([
      [gpu, 'contains', `${gpu}/gi7`, 'recorded'],
      [gpu, 'contains', `${gpu}/gi9`, 'recorded'],
    ]);
  });

  test('the driver reports Xids and memory errors; unnamed bits stay in the mask', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 2', ...healthy(0), ...healthy(1));
    const { core } = await capture(
      `library: ${driver.library}`,
      async (until, core) => {
        await until(isState('up'));
        await driver.happen(1, 8, 79);
        await driver.happen(0, 2, 0, 3);
        await reaches(core, "select count(*) from events where type in ('xid_error', 'ecc_error')", 2);
        await driver.set('count -1 2', ...healthy(0), ...healthy(1), 'reasons 0 0x10000000084');
        await driver.happen(0, 16, 0);
        const changed = "metric = 'hw.gpu.clocks_event_reasons' and value = 1099511627908";
        await reaches(core, `select count(*) from metrics where ${changed}`, 1);
      },
      30,
    );
    const driverEvents = await sql(
      core,
      `select device_id, type, severity, message, attributes->>'gpu_instance' from events order by time_ns`,
    );
    expect(driverEvents).toContainEqual([
      'GPU-00000001-1111-2222-3333-444444444444',
      'xid_error',
      'critical',
      expect.stringMatching(/^Xid 79: .*bus/),
      null,
    ]);
    expect(driverEvents).toContainEqual([
      'GPU-00000000-1111-2222-3333-444444444444',
      'ecc_error',
      'high',
      expect.stringMatching(/uncorrected/),
      '3',
    ]);
    // The clock event was answered before the next poll was due.
    expect((await latest(core)).get('hw.gpu.clocks_event_reasons')).toBe(0x10000000084);
  });

  test('an old driver is asked under the names that it has', async () => {
    const driver = await fakeNvml('-DOLD');
    await driver.set('count -1 1', ...healthy(0));
    const { core } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up', /^1 of 1 GPUs/));
      await driver.happen(0, 8, 31);
      await reaches(core, "select count(*) from events where type = 'xid_error'", 1);
      await polled(core, 5);
    });
    const values = await latest(core);
    expect(values.get('hw.gpu.clocks_event_reasons')).toBe(4);
    expect(values.get('hw.gpu.memory.usage')).toBe(60_129_542_144);
    expect(values.has('hw.gpu.memory.temperature')).toBe(false);
    expect(await sql(core, `select distinct type, attributes->>'gpu_instance' from events`)).toContainEqual([
      'xid_error',
      null,
    ]);
  });

  test('a lost GPU is an event and a gap; the others go on, and it is found again', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 2', 'quick -1 1', ...healthy(0), ...healthy(1));
    const [ofGpus, first] = ["metric = 'hw.power.limit'", "entity like 'GPU-00000000%'"];
    const { core, events } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up', /^2 of 2/));
      await driver.set('count -1 2', 'quick -1 1', ...healthy(0), ...healthy(1), 'lost 1 1');
      await until(isState('up', /^1 of 2 GPUs answer.*lost: GPU-00000001-/));
      await reaches(core, `select count_if(${first}) - count_if(not ${first}) from metrics where ${ofGpus}`, 4);
      await driver.set('count -1 2', 'quick -1 1', ...healthy(0), ...healthy(1));
      const [[before]] = (await sql(core, `select count(*) from metrics where ${ofGpus} and not ${first}`)) as [
        [number],
      ];
      await until(isState('up', /^2 of 2/));
      await reaches(core, `select count(*) from metrics where ${ofGpus} and not ${first}`, Number(before) + 3);
    });
    const lost = await sql(
      core,
      `select device_id, severity, count(*)::integer from events where type = 'gpu_lost' group by all`,
    );
    expect(lost).toEqual([['GPU-00000001-1111-2222-3333-444444444444', 'critical', 1]]);
    expect(events.filter(isState('down'))).toEqual([]);
    const counts = await sql(
      core,
      `select count(*)::integer from metrics where metric = 'hw.power.limit' group by entity order by entity`,
    );
    expect(counts[0]?.[0]).toBeGreaterThan((counts[1]?.[0] as number) + 2);
  });

  test.each([
    ['is reloaded', 'gone -1 1', /reloaded/],
    ['and its library differ in version', 'gone -1 18', /different versions/],
  ])('a driver that %s is a gap with its reason, then goes on', async (_, line, reason) => {
    const driver = await fakeNvml();
    const well = ['count -1 1', 'quick -1 1', ...healthy(0)];
    await driver.set(...well);
    const { core } = await capture(`library: ${driver.library}`, async (until, core) => {
      await until(isState('up'));
      await polled(core, 3);
      await driver.set(...well, line, 'init -1 9');
      await until(isState('down', reason));
      await driver.set(...well);
      await until(isState('up'));
      const [[before]] = (await sql(core, "select count(*) from metrics where metric = 'hw.power.limit'")) as [
        [number],
      ];
      await polled(core, Number(before) + 2);
    });
    const remarks = (await remarksOf(core)).join('\n');
    expect(remarks).toMatch(/nothing was received from .*\n.*received again/s);
  });

  test('a driver that holds its caller up holds up nobody else', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 1', 'quick -1 1', ...healthy(0), 'stuck 0 150');
    let longest = 0;
    let before = performance.now();
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
    }, 5);
    const began = Date.now();
    // Real time is the subject: how long others wait meanwhile. The first poll does not end within this.
    await capture(`library: ${driver.library}`, () => pause(1000));
    clearInterval(watch);
    // One poll takes many times 150 ms: neither the capture nor its end waits for it.
    expect(Date.now() - began).toBeLessThan(8000);
    expect(longest).toBeLessThan(1000);
  });

  test('a driver that does not return keeps no process alive', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 1', 'quick -1 1', ...healthy(0), 'stuck 0 60000');
    const folder = await temporaryFolder();
    const plan = join(folder, 'plan.yaml');
    await writeFile(plan, `feeds: [{kind: nvml, library: ${driver.library}}]`);
    const began = Date.now();
    const ran = await faultline('capture', plan, '--case', join(folder, 'live.faultline'), '--duration', '3s');
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/NVML: 0 rows\n$/);
    expect((await faultline('info', join(folder, 'live.faultline'))).code).toBe(0);
  });

  test('it can be tried before a capture', async () => {
    const driver = await fakeNvml();
    await driver.set('count -1 2', ...healthy(0), ...healthy(1));
    const tried = async (settings: object) => {
      const checks = [];
      const plan = nvmlFeed.plan.parse({ kind: 'nvml', ...settings });
      for await (const check of nvmlFeed.test?.(plan, AbortSignal.timeout(20_000)) ?? []) checks.push(check);
      return checks.map(({ step, passed, detail }) => `${step} ${passed} ${detail}`);
    };
    expect(await tried({ library: driver.library })).toEqual([
      expect.stringMatching(/^route true .*libfake-nvml\.so can be used$/),
      'view true 2 of 2 GPUs answer, driver 550.54.15',
      expect.stringMatching(/^values true \d{2} values are read at each poll, in \d+ ms$/),
    ]);
    await driver.set('init -1 9');
    expect(await tried({ library: driver.library })).toEqual([
      expect.stringMatching(/^route true/),
      'view false the driver is not loaded',
    ]);
    expect(await tried({ library: '/nowhere/libnvidia-ml.so.1', nvidia_smi: '/nowhere/nvidia-smi' })).toEqual([
      expect.stringMatching(/^route false .*nowhere/),
    ]);
  });
});

describe('without the library', () => {
  const smi = async (body: string): Promise<string> => {
    const program = join(await temporaryFolder(), 'nvidia-smi');
    await writeFile(program, `#!/bin/sh\n${body}\n`);
    await chmod(program, 0o755);
    return program;
  };

  test('nvidia-smi is used, and Sources shows what it cannot record', async () => {
    const log = join(await temporaryFolder(), 'log.xml');
    const recorded = sharedData('nvml/telegraf-nvidia_smi-xml/a100-sxm4-v12.xml');
    await copyFile(recorded, log);
    const program = await smi(`[ "$1 $2" = "-q -x" ] && cat ${log}`);
    const { core, events } = await capture(
      `library: /nowhere/libnvidia-ml.so.1, nvidia_smi: ${program}`,
      async (until, core) => {
        await until(isState('up', /^1 GPUs by .*nvidia-smi/));
        await polled(core, 4);
      },
    );
    const rows = await sql(
      core,
      `select count(*)::integer, count(distinct time_ns)::integer from metrics where metric = 'hw.power.limit'`,
    );
    expect(rows[0]?.[1]).toBeGreaterThan(2);
    const remarks = (await remarksOf(core)).join('\n');
    expect(remarks).toMatch(/shows no Xids and no short clock changes: .*nowhere/);
    expect(events.filter(isState('down'))).toEqual([]);
  });

  test('a failing program is a gap with its message', async () => {
    const program = await smi('echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18');
    await capture(`library: /nowhere/libnvidia-ml.so.1, nvidia_smi: ${program}`, (until) =>
      until(isState('down', /failed: Failed to initialize NVML: Driver\/library version mismatch$/)),
    );
  });

  test('with neither, the feed reports it and ends', async () => {
    const { events } = await capture('library: /nowhere/libnvidia-ml.so.1, nvidia_smi: /nowhere/nvidia-smi', (until) =>
      until(({ kind }) => kind === 'ended'),
    );
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds[0]?.problem?.code).toBe('feed.no_nvml');
  });
});
