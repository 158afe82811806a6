import type { Chance } from './chance.ts';
import { gpuNames, type Maker, machineNames, nicNames, portOf } from './fault.ts';
import { gpuKey, nicKey, serverKey } from './plant.ts';
import type { Stage } from './simulate.ts';
import type { Machine, Site } from './site.ts';

const OFF = Number.POSITIVE_INFINITY;

/** Machines that some service or job works on. */
function busy(site: Site, filter: (machine: Machine) => boolean = () => true): readonly Machine[] {
  const used = new Set([
    ...site.services.flatMap(({ hosts }) => hosts),
    ...site.jobs.flatMap(({ machines }) => machines),
  ]);
  return site.machines.filter((machine) => used.has(machine) && filter(machine));
}
const one = <T>(list: readonly T[], chance: Chance): T | undefined => (list.length > 0 ? chance.pick(list) : undefined);
const withGpu = (site: Site, chance: Chance): { machine: Machine; gpu: number } | undefined => {
  const machine = one(
    busy(site, ({ gpus }) => gpus > 0),
    chance,
  );
  return machine && { machine, gpu: chance.whole(0, machine.gpus - 1) };
};

/** Ends the processes that use a GPU: models on the machine, and jobs. */
function crash(stage: Stage, machine: Machine, by: number, back_s: number): void {
  for (const { service, replica } of stage.control.replicasOn(machine))
    if (service.kind === 'inference') stage.control.kill(replica, by, back_s, 'process_crashed');
  for (const job of stage.jobs) if (job.machines.includes(machine)) job.end('crashed', by);
}

const gpuHot: Maker = ({ site, chance, at_s }) => {
  const found = site.isCloud ? undefined : withGpu(site, chance);
  if (!found) return undefined;
  const { machine, gpu } = found;
  const kelvin = chance.between(16, 30);
  return {
    family: 'gpu_hot',
    subject: gpuKey(machine, gpu),
    at_s,
    story: `cold plate of GPU ${gpu} of ${machine.name} is clogged: ${kelvin.toFixed(0)} K more`,
    truth: { roots: gpuNames(machine, gpu), measured: [`gpu:gpu:${machine.name}/${gpu}`] },
    begin: ({ plant }, id) => plant.heatGpu(machine, gpu, kelvin, id),
  };
};

const XIDS = [
  { code: 48, text: 'pid=28411, name=python3, DBE (double bit error)' },
  { code: 95, text: 'pid=28411, name=python3, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No' },
  {
    code: 119,
    text: 'pid=1, name=nv-hostengine, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL)',
  },
  { code: 74, text: 'NVLink: fatal error detected on link 6(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)' },
] as const;

function gpuError(family: 'gpu_xid' | 'gpu_lost' | 'gpu_memory'): Maker {
  return ({ site, chance, at_s }) => {
    const found = withGpu(site, chance);
    if (!found) return undefined;
    const { machine, gpu } = found;
    const picked =
      family === 'gpu_lost'
        ? { code: 79, text: 'pid=28411, name=python3, GPU has fallen off the bus.' }
        : family === 'gpu_memory'
          ? { code: 94, text: 'pid=28411, name=python3, Contained: FB (0x4,0x0). RST: No, D-RST: No' }
          : chance.pick(XIDS);
    const back_s = family === 'gpu_memory' ? chance.between(30, 90) : chance.between(200, 700);
    return {
      family,
      subject: gpuKey(machine, gpu),
      at_s,
      story: `Xid ${picked.code} on GPU ${gpu} of ${machine.name}`,
      truth: { roots: gpuNames(machine, gpu), measured: [`gpu:gpu:${machine.name}/${gpu}`] },
      begin: (stage, id) => {
        const key = gpuKey(machine, gpu);
        const by = stage.engine.note('xid', key, [id], { code: picked.code, text: picked.text });
        stage.engine.measure(`xid:${key}`, picked.code);
        if (family === 'gpu_lost') {
          stage.engine.hinder(key, 'lost', OFF, by);
          stage.engine.measure(`gone:${key}`, 1);
          // A machine is restarted for it, by hand, after a while.
          stage.engine.after(back_s, () => {
            stage.engine.relieve(key, 'lost');
            stage.engine.measure(`gone:${key}`, 0);
          });
        }
        crash(stage, machine, by, back_s);
      },
    };
  };
}

const cableFlap: Maker = ({ site, chance, at_s }) => {
  const machine = one(busy(site), chance);
  if (!machine || site.isCloud) return undefined;
  const isTrained = site.jobs.some(({ machines }) => machines.includes(machine) && machines.length > 1);
  const rail = isTrained ? chance.whole(1, site.rails) : 0;
  const times = chance.whole(4, 14);
  const down_s = Array.from({ length: times }, () => chance.between(4, 25));
  const gap_s = Array.from({ length: times }, () => chance.between(8, 50));
  return {
    family: 'cable_flap',
    subject: nicKey(machine, rail),
    at_s,
    story: `cable of ${machine.name} in ${portOf(site, machine, rail).device} flaps ${times} times`,
    truth: { roots: nicNames(site, machine, rail), measured: [`carrier:nic:${machine.name}/${rail}`] },
    begin: ({ engine }, id) => {
      const key = nicKey(machine, rail);
      const flap = (i: number): void => {
        if (i >= times) return;
        const by = engine.note('link_down', key, [id]);
        engine.hinder(key, 'link', OFF, by);
        engine.measure(`carrier:${key}`, 0);
        engine.after(down_s[i]!, () => {
          engine.relieve(key, 'link');
          engine.measure(`carrier:${key}`, 1);
          engine.note('link_up', key, [by]);
          engine.after(gap_s[i]!, () => flap(i + 1));
        });
      };
      flap(0);
    },
  };
};

const storeSlow: Maker = ({ site, chance, at_s }) => {
  const machine = one(site.stores, chance);
  if (!machine) return undefined;
  const factor = chance.between(4, 25);
  const seconds = chance.between(300, 1500);
  const stops = chance.is(0.3);
  return {
    family: 'store_slow',
    subject: serverKey(machine),
    at_s,
    story: `storage server ${machine.name} ${stops ? 'stops answering' : `answers ${factor.toFixed(0)} times slower`}`,
    truth: { roots: machineNames(machine, site) },
    begin: ({ engine }, id) => {
      const by = engine.note(stops ? 'store_stopped' : 'store_slow', serverKey(machine), [id]);
      engine.hinder('storage:data', machine.name, stops ? 150 : factor, by);
      engine.measure(`busy-disk:${machine.name}`, 1);
      engine.after(seconds, () => {
        engine.relieve('storage:data', machine.name);
        engine.measure(`busy-disk:${machine.name}`, 0);
        engine.note('store_back', serverKey(machine), [by]);
      });
    },
  };
};

const diskFailed: Maker = ({ site, chance, at_s }) => {
  const hosts = site.services.find(({ kind }) => kind === 'database')?.hosts ?? [];
  const machine = one([...site.stores, ...hosts], chance);
  if (!machine) return undefined;
  const factor = chance.between(5, 20);
  const device = chance.pick(['nvme1n1', 'nvme0n1', 'sdc']);
  return {
    family: 'disk_failed',
    subject: serverKey(machine),
    at_s,
    story: `drive ${device} of ${machine.name} fails`,
    truth: { roots: machineNames(machine, site) },
    begin: ({ engine }, id) => {
      const by = engine.note('disk_errors', serverKey(machine), [id], { device });
      if (machine.role === 'storage') engine.hinder('storage:data', machine.name, factor, by);
      else engine.hinder(serverKey(machine), 'disk', factor, by);
      engine.measure(`busy-disk:${machine.name}`, 1);
      for (let k = 1; k < 6; k++)
        engine.after(k * 70, () => engine.note('disk_errors', serverKey(machine), [by], { device }));
    },
  };
};

const nodeOom: Maker = ({ site, chance, at_s }) => {
  const machine = one(
    busy(site, (at) => site.services.some(({ hosts, kind }) => kind !== 'inference' && hosts.includes(at))),
    chance,
  );
  if (!machine) return undefined;
  const times = chance.whole(2, 5);
  const process = chance.pick(['python3', 'java', 'node', 'rsync']);
  const gap_s = chance.between(60, 200);
  return {
    family: 'node_oom',
    subject: serverKey(machine),
    at_s,
    story: `memory of ${machine.name} runs out ${times} times (${process} leaks)`,
    truth: { roots: machineNames(machine, site), measured: [`memory:server:${machine.name}`] },
    begin: (stage, id) => {
      const { engine, control } = stage;
      const again = (left: number): void => {
        engine.measure(`memory:${machine.name}`, 0.99);
        // The kernel takes the largest processes; the one that leaks is not always among them.
        for (const { service, replica } of control
          .replicasOn(machine)
          .filter((one) => one.service.kind !== 'inference'))
          control.kill(
            replica,
            engine.note('out_of_memory', serverKey(machine), [id], { process: service.name.slice(0, 15) }),
            35,
          );
        engine.after(5, () => engine.measure(`memory:${machine.name}`, 0.5));
        if (left > 1) engine.after(gap_s, () => again(left - 1));
      };
      again(times);
    },
  };
};

const kernelPanic: Maker = ({ site, chance, at_s }) => {
  const machine = one(busy(site), chance);
  if (!machine) return undefined;
  const reason = chance.pick(['Fatal exception in interrupt', 'Fatal machine check', 'softlockup: hung tasks']);
  return {
    family: 'kernel_panic',
    subject: serverKey(machine),
    at_s,
    story: `kernel of ${machine.name} panics: ${reason}`,
    truth: { roots: machineNames(machine, site) },
    begin: ({ engine, plant }, id) => {
      const by = engine.note('kernel_panic', serverKey(machine), [id], { reason });
      engine.hinder(serverKey(machine), 'panic', OFF, by);
      engine.measure(`up:${machine.name}`, 0);
      plant.boot(machine, 'panic', by);
    },
  };
};

const eviction: Maker = ({ site, chance, at_s }) => {
  if (site.scheduler !== 'kubernetes') return undefined;
  const machine = one(busy(site), chance);
  if (!machine) return undefined;
  const seconds = chance.between(90, 400);
  return {
    family: 'eviction',
    subject: `node:${machine.name}`,
    at_s,
    story: `the disk of ${machine.name} is full, its pods are evicted`,
    truth: { roots: [{ kind: 'node', id: machine.name }, ...machineNames(machine, site)] },
    begin: ({ engine, control }, id) => {
      const by = engine.note('disk_pressure', `node:${machine.name}`, [id]);
      for (const { replica } of control.replicasOn(machine)) control.kill(replica, by, seconds, 'pod_evicted');
    },
  };
};

const preemption: Maker = ({ site, chance, at_s }) => {
  if (site.scheduler !== 'kubernetes') return undefined;
  const machine = one(busy(site), chance);
  if (!machine) return undefined;
  const seconds = chance.between(120, 500);
  const winner = `batch-priority-${chance.hex(5)}`;
  return {
    family: 'preemption',
    subject: `pod:${winner}`,
    at_s,
    story: `pod ${winner} of higher priority takes the place of the pods of ${machine.name}`,
    // Which pods they are is known when they have names; `truth.ts` adds them.
    truth: {
      roots: [
        { kind: 'pod', id: `prod/${winner}` },
        { kind: 'pod', id: winner },
      ],
    },
    begin: (stage, id) => {
      const by = stage.engine.note('preemptor_placed', `pod:${winner}`, [id], { machine: machine.name });
      for (const { replica } of stage.control.replicasOn(machine).slice(0, 2))
        stage.control.kill(replica, by, seconds, 'pod_preempted');
      for (const job of stage.jobs) if (job.machines.includes(machine)) job.end('preempted', by, true);
    },
  };
};

const noisyNeighbour: Maker = ({ site, chance, at_s }) => {
  const machine = one(
    busy(site, (at) => site.services.some(({ hosts }) => hosts.includes(at))),
    chance,
  );
  if (!machine) return undefined;
  const factor = chance.between(3, 9);
  const seconds = chance.between(300, 1200);
  return {
    family: 'noisy_neighbour',
    subject: serverKey(machine),
    at_s,
    story: `a batch process takes the CPUs of ${machine.name}`,
    truth: { roots: machineNames(machine, site), measured: [`cpu:server:${machine.name}`] },
    begin: ({ engine }, id) => {
      engine.hinder(serverKey(machine), 'neighbour', factor, engine.note('cpu_busy', serverKey(machine), [id]));
      engine.measure(`cpu:${machine.name}`, 0.99);
      engine.after(seconds, () => {
        engine.relieve(serverKey(machine), 'neighbour');
        engine.measure(`cpu:${machine.name}`, 0.35);
      });
    },
  };
};

export const machineFaults: readonly Maker[] = [
  gpuHot,
  gpuError('gpu_xid'),
  gpuError('gpu_lost'),
  gpuError('gpu_memory'),
  cableFlap,
  storeSlow,
  diskFailed,
  nodeOom,
  kernelPanic,
  eviction,
  preemption,
  noisyNeighbour,
];
