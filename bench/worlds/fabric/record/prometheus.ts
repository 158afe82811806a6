import { randomOf } from '../chance.ts';
import { gpuId, nicName, pciOf } from '../fault.ts';
import { gpuKey, gpuTemperature, nicKey, spread } from '../plant.ts';
import type { Machine } from '../site.ts';
import type { Scene } from './scene.ts';
import { type Series, writeSeries } from './series.ts';

/** What a Prometheus scrapes of machines, GPUs, models and the building; each exporter is there or not. */
export function recordPrometheus(scene: Scene): void {
  const parts: readonly (readonly [
    name: string,
    layer: string,
    probability: number,
    make: (scene: Scene) => Series[],
  ])[] = [
    ['dcgm', 'gpus', 0.75, gpus],
    ['node', 'servers', 0.7, nodes],
    ['links', 'network', 0.5, links],
    ['vllm', 'gpus', 0.6, models],
    ['building', 'facility', 0.5, building],
    ['blackbox', 'probes', 0.4, probes],
    ['lustre', 'servers', 0.5, jobStatistics],
  ];
  for (const [name, layer, probability, make] of parts) {
    if (!scene.has(`exporter ${name}`, layer, probability)) continue;
    const series = make(scene);
    if (series.length === 0) continue;
    scene.recorders.add('prometheus');
    writeSeries(scene, `prometheus/${name}`, `exporter ${name}`, series);
  }
}

/** At large sites a Prometheus sees some of the rows. */
function scraped(scene: Scene, most: number): readonly Machine[] {
  const { site } = scene;
  if (site.machines.length <= most) return site.machines;
  const rows = scene.chance('rows').some(site.rows, site.rows.length);
  return rows.flatMap(({ racks }) => racks.flatMap(({ machines }) => machines)).slice(0, most);
}

const jitter = (at_s: number, salt: number, size: number): number =>
  size * (randomOf(Math.round(at_s * 10), salt, 31) - 0.5);
const isUp = (scene: Scene, machine: Machine, at_s: number): boolean =>
  scene.value(`up:${machine.name}`, at_s, 1) === 1;

function gpus(scene: Scene): Series[] {
  const { site, run } = scene;
  // Slurm's prolog can tell the exporter which job has which GPU.
  const namesJobs = site.scheduler === 'slurm' && scene.chance('hpc_job').is(0.5);
  return scraped(scene, 40).flatMap((machine) =>
    Array.from({ length: machine.gpus }, (_, gpu) => gpu).flatMap((gpu): Series[] => {
      const key = gpuKey(machine, gpu);
      scene.measurements.add(`gpu:${key}`);
      scene.link(key, `server:${machine.name}`);
      const job = run.site.jobs.find(({ machines }) => machines.includes(machine));
      if (job && namesJobs) scene.link(key, `job:${job.name}`);
      const isModel = site.services.some(({ kind, hosts }) => kind === 'inference' && hosts.includes(machine));
      const labels = {
        gpu: String(gpu),
        UUID: gpuId(machine, gpu),
        pci_bus_id: `0000${pciOf(gpu)}.0`,
        device: `nvidia${gpu}`,
        modelName: 'NVIDIA H100 80GB HBM3',
        Hostname: machine.name,
        ...(job && namesJobs ? { hpc_job: job.name } : {}),
      };
      const salt = machine.index * 16 + gpu;
      const load = (at_s: number): number => (job ? scene.value(`busy:${job.name}`, at_s) : isModel ? 0.75 : 0.02);
      const clock = (at_s: number): number => scene.value(`clock:${key}`, at_s, 1);
      const live =
        (value: (at_s: number) => number) =>
        (at_s: number): number | undefined =>
          isUp(scene, machine, at_s) && scene.value(`gone:${key}`, at_s) === 0 ? value(at_s) : undefined;
      const loop = `loop:${machine.rack.row.name}`;
      const make = (name: string, value: (at_s: number) => number): Series => ({
        name,
        type: 'gauge',
        labels,
        at: live(value),
      });
      return [
        make('DCGM_FI_DEV_GPU_TEMP', (at_s) =>
          Math.round(
            gpuTemperature(
              scene.value(loop, at_s, 33),
              load(at_s) * clock(at_s) ** 0.7,
              scene.value(`hot:${key}`, at_s) + spread(machine, gpu, site.seed),
            ) + jitter(at_s, salt, 2),
          ),
        ),
        make('DCGM_FI_DEV_XID_ERRORS', (at_s) => scene.value(`xid:${key}`, at_s)),
        // Bit 5: slowed by the driver for its temperature.
        make('DCGM_FI_DEV_CLOCKS_EVENT_REASONS', (at_s) => (clock(at_s) < 1 ? 0x20 : 0)),
        make('DCGM_FI_DEV_SM_CLOCK', (at_s) => Math.round((1980 * clock(at_s)) / 15) * 15),
        make('DCGM_FI_DEV_GPU_UTIL', (at_s) =>
          Math.round(Math.min(100, Math.max(0, 97 * load(at_s) + jitter(at_s, salt, 6)))),
        ),
        make(
          'DCGM_FI_DEV_POWER_USAGE',
          (at_s) => 75 + 560 * load(at_s) * clock(at_s) ** 2 + jitter(at_s, salt + 1, 20),
        ),
      ];
    }),
  );
}

function nodes(scene: Scene): Series[] {
  return scraped(scene, 80).flatMap((machine): Series[] => {
    const labels = { instance: `${machine.name}:9100`, job: 'node' };
    scene.measurements.add(`cpu:server:${machine.name}`);
    scene.measurements.add(`memory:server:${machine.name}`);
    const live =
      (value: (at_s: number) => number) =>
      (at_s: number): number | undefined =>
        isUp(scene, machine, at_s) ? value(at_s) : undefined;
    const cpu = (at_s: number): number => scene.value(`cpu:${machine.name}`, at_s, machine.role === 'gpu' ? 0.2 : 0.35);
    let waited = 1000;
    let before_s = 0;
    return [
      { name: 'up', type: 'gauge', labels, at: (at_s) => (isUp(scene, machine, at_s) ? 1 : 0) },
      {
        name: 'node_load1',
        type: 'gauge',
        labels,
        at: live((at_s) => 96 * cpu(at_s) ** 0.9 + jitter(at_s, machine.index, 4) + (cpu(at_s) > 0.9 ? 60 : 0)),
      },
      {
        name: 'node_memory_MemAvailable_bytes',
        type: 'gauge',
        labels,
        at: live((at_s) =>
          Math.round(
            5.4e11 * (1 - scene.value(`memory:${machine.name}`, at_s, 0.5)) + jitter(at_s, machine.index + 7, 4e9),
          ),
        ),
      },
      {
        name: 'node_pressure_cpu_waiting_seconds_total',
        type: 'counter',
        labels,
        at: (at_s) => {
          waited += (at_s - before_s) * (cpu(at_s) > 0.9 ? 0.7 : 0.01);
          before_s = at_s;
          return isUp(scene, machine, at_s) ? waited : undefined;
        },
      },
    ];
  });
}

function links(scene: Scene): Series[] {
  const { site } = scene;
  return scraped(scene, 60).flatMap((machine) =>
    Array.from({ length: machine.gpus > 0 && site.jobs.length > 0 ? site.rails + 1 : 1 }, (_, rail): Series => {
      const key = nicKey(machine, rail);
      scene.measurements.add(`carrier:${key}`);
      scene.link(key, `server:${machine.name}`);
      return {
        name: 'node_network_carrier',
        type: 'gauge',
        labels: { instance: `${machine.name}:9100`, job: 'node', device: rail === 0 ? nicName(0) : `ibs${rail - 1}` },
        at: (at_s) => (isUp(scene, machine, at_s) ? scene.value(`carrier:${key}`, at_s, 1) : undefined),
      };
    }),
  );
}

function models(scene: Scene): Series[] {
  const { site, run } = scene;
  return site.services
    .filter(({ kind }) => kind === 'inference')
    .flatMap(({ name }) =>
      run.rpc.replicas.get(name)!.flatMap((replica): Series[] => {
        const labels = { model_name: name, instance: `${replica.machine?.name ?? name}:8000`, job: name, engine: '0' };
        const value =
          (track: string) =>
          (at_s: number): number =>
            run.engine.tracks.get(`${track}:${replica.name}`)?.at(at_s) ?? 0;
        if (replica.machine) scene.link(`server:${replica.machine.name}`, `service:${name}`);
        return [
          { name: 'vllm:num_requests_waiting', type: 'gauge', labels, at: value('waiting') },
          { name: 'vllm:num_requests_running', type: 'gauge', labels, at: value('running') },
          { name: 'vllm:kv_cache_usage_perc', type: 'gauge', labels, at: value('cache') },
        ];
      }),
    );
}

function building(scene: Scene): Series[] {
  const { site } = scene;
  const list: Series[] = [];
  const add = (name: string, labels: Readonly<Record<string, string>>, at: Series['at']): void => {
    list.push({ name, type: 'gauge', labels, at });
  };
  for (const { name, cdu } of site.rows) {
    scene.measurements.add(`loop:cooling:${cdu}`);
    add(
      'cdu_supply_temperature_celsius',
      { cdu },
      (at_s) => scene.value(`loop:${name}`, at_s, 33) + jitter(at_s, 3, 0.4),
    );
    add('cdu_coolant_flow_lpm', { cdu }, (at_s) => 4.1 * scene.value(`flow:${name}`, at_s, 100) + jitter(at_s, 4, 4));
  }
  for (const ups of site.upses) {
    scene.measurements.add(`battery:ups:${ups}`);
    add('ups_on_battery', { ups }, (at_s) => scene.value(`battery:${ups}`, at_s));
  }
  for (const { pdus } of site.rows)
    for (const pdu of Object.values(pdus)) {
      scene.measurements.add(`current:pdu:${pdu}`);
      for (const phase of ['L1', 'L2', 'L3'] as const) {
        const out_s = openedAt(scene, pdu, phase);
        const lost = (at_s: number) => at_s >= out_s;
        add('pdu_phase_current_amperes', { pdu, phase }, (at_s) =>
          lost(at_s)
            ? 0
            : 140 * Math.max(0.5, scene.value(`load:${pdu}/${phase}`, at_s, 0.5)) + jitter(at_s, phase.length, 3),
        );
      }
    }
  return list;
}

/** When the breaker of a phase opened. */
function openedAt({ run }: Scene, pdu: string, phase: string): number {
  const opened = run.engine.journal.find(
    (one) => one.type === 'breaker_open' && one.subject === `pdu:${pdu}` && one.data.phase === phase,
  );
  return opened?.at_s ?? Number.POSITIVE_INFINITY;
}

/** Operations of the metadata server by job, as lustre_exporter counts them. */
function jobStatistics(scene: Scene): Series[] {
  const { site } = scene;
  const [server] = site.metadata;
  if (!server || site.jobs.length === 0) return [];
  scene.measurements.add('job statistics');
  return site.jobs.map(({ name, id }): Series => {
    let opened = 40_000;
    let before_s = 0;
    return {
      name: 'lustre_job_stats_total',
      type: 'counter',
      labels: {
        instance: `${server.name}:9169`,
        component: 'mdt',
        target: 'fs1-MDT0000',
        jobid: `${name}.${id}`,
        operation: 'open',
      },
      at: (at_s) => {
        opened += (at_s - before_s) * 120 * scene.value(`opens:${name}`, at_s, 1);
        before_s = at_s;
        return Math.round(opened);
      },
    };
  });
}

function probes({ site, run }: Scene): Series[] {
  return site.services
    .filter(({ rate }) => rate > 0)
    .flatMap(({ name }): Series[] => {
      const labels = { instance: `https://${name}.example.org/healthz`, job: 'blackbox' };
      const calls = run.calls.filter(({ service }) => service === name);
      const last = (at_s: number) => calls.findLast(({ from_s, took_s }) => from_s + took_s <= at_s);
      return [
        { name: 'probe_success', type: 'gauge', labels, at: (at_s) => (last(at_s)?.ok === false ? 0 : 1) },
        { name: 'probe_duration_seconds', type: 'gauge', labels, at: (at_s) => last(at_s)?.took_s },
      ];
    });
}
