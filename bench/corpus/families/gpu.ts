import { gpuWorkLost, workersFail } from '../consequences.ts';
import type { Happening, Scenario, Teller } from '../scenario.ts';
import { type Machine, machineRef, ref } from '../site.ts';

const busy = (scenario: Scenario): Machine[] =>
  scenario.world.machines.filter((one) => scenario.servicesOn(one).length > 0);

function xid(code: number, meaning: string, severity: Happening['severity']) {
  return (gpu: string, at_s: number) => ({
    at_s,
    source: 'kernel' as const,
    entity: ref('gpu', gpu),
    type: 'xid_error' as const,
    severity,
    message: `NVRM: Xid (PCI:0000:${(gpu.length * 7).toString(16).padStart(2, '0')}:00): ${code}, ${meaning}`,
  });
}

/** Node health checks and device plugins look every 5 to 60 s (DCGM background health: 10 s by default in NVSentinel). */
function healthCheckFails(scenario: Scenario, machine: Machine, cause: Happening): void {
  scenario.effect(cause, {
    at_s: cause.at_s + scenario.chance.around(18, 0.6),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'health_check_failed',
    severity: 'medium',
    message: 'GpuHealth: a device is unhealthy',
  });
}

/** The GPU falls off the bus: an AER error on its port often comes first, by milliseconds to seconds. */
export const xid79: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root(xid(79, 'GPU has fallen off the bus.', 'critical')(gpu, at_s));
  if (chance.chance(0.5))
    scenario.effect(root, {
      at_s: at_s + chance.between(0, 1.5),
      source: 'kernel',
      entity: machineRef(machine),
      type: 'pcie_error',
      severity: 'high',
      message: 'pcieport: AER: Uncorrectable (Fatal) error, Surprise Link Down',
    });
  const lost = scenario.effect(root, {
    at_s: at_s + chance.around(4, 0.8),
    source: 'nvml',
    entity: ref('gpu', gpu),
    type: 'gpu_lost',
    severity: 'critical',
    message: 'nvmlDeviceGetHandleByIndex: GPU is lost',
  });
  healthCheckFails(scenario, machine, lost);
  gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  return { root: ref('gpu', gpu), equivalents: [], event: root };
};

/** An uncorrectable ECC error: Xid 48, then 63 or 64 for the row, then 45 for what ran there (NVIDIA GPU memory error guide). */
export const xid48: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root(xid(48, 'DBE (Double Bit Error) ECC Error', 'critical')(gpu, at_s));
  scenario.effect(
    root,
    xid(63, 'Row Remapper: New row marked for remapping', 'medium')(gpu, at_s + chance.around(0.3, 0.8)),
  );
  scenario.effect(root, xid(45, 'Preemptive Channel Removal', 'low')(gpu, at_s + chance.around(0.5, 0.8)));
  scenario.effect(root, {
    at_s: at_s + chance.around(6, 0.7),
    source: 'nvml',
    entity: ref('gpu', gpu),
    type: 'ecc_error',
    severity: 'high',
    message: 'Uncorrected ECC errors: 0 to 2',
  });
  gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  return { root: ref('gpu', gpu), event: root };
};

/** A row is to be remapped: harmless until the reset that it needs; operators drain the machine for it, now and then at once. */
export const xid63: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root(
    xid(63, 'Row Remapper: New row marked for remapping, reset gpu to activate', 'high')(gpu, at_s),
  );
  const remap = scenario.effect(root, {
    at_s: at_s + chance.around(3, 0.8),
    source: 'nvml',
    entity: ref('gpu', gpu),
    type: 'row_remap',
    severity: 'medium',
    message: 'Remapped rows pending: yes',
  });
  const drained = scenario.effect(remap, {
    at_s: remap.at_s + chance.around(12, 0.6),
    source: 'kubernetes',
    entity: ref('node', machine.node),
    type: 'node_drained',
    severity: 'medium',
    message: 'Drained for a GPU reset',
  });
  workersFail(scenario, machine, drained, drained.at_s);
  scenario.fail(machine, { from_s: drained.at_s + 1, to_s: at_s + lasts_s });
  return { root: ref('gpu', gpu), event: root };
};

/** A contained error: only the process that touched the page dies (A100 and later, NVIDIA GPU memory error guide). */
export const xid94: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root(xid(94, 'Contained memory error', 'high')(gpu, at_s));
  scenario.effect(root, {
    at_s: at_s + chance.around(5, 0.7),
    source: 'nvml',
    entity: ref('gpu', gpu),
    type: 'ecc_error',
    severity: 'medium',
    message: 'Uncorrected ECC errors grew',
  });
  gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  return { root: ref('gpu', gpu), event: root };
};

/** An uncontained error: everything on the GPU dies, and it must be reset. */
export const xid95: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const root = scenario.root(xid(95, 'Uncontained memory error', 'critical')(gpu, at_s));
  const after = scenario.effect(
    root,
    xid(45, 'Preemptive Channel Removal', 'low')(gpu, at_s + chance.around(0.4, 0.8)),
  );
  healthCheckFails(scenario, machine, after);
  gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  return { root: ref('gpu', gpu), event: root };
};

/** The GPU's system processor does not answer: the driver reports it after 6 s, by its own message, and tools hang. */
export const xid119: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario));
  const gpu = chance.pick(machine.gpus);
  const hung_s = at_s - chance.between(0, 6);
  const root = scenario.root(
    xid(119, 'Timeout after 6s of waiting for RPC response from GPU0 GSP!', 'high')(gpu, at_s),
  );
  healthCheckFails(scenario, machine, root);
  if (chance.chance(0.5))
    scenario.effect(root, xid(119, 'Timeout after 6s of waiting for RPC response', 'high')(gpu, at_s + 6));
  gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  // The hang begins before the driver gives up waiting.
  scenario.slow(machine, { from_s: hung_s, to_s: at_s + 2, slow: chance.between(2, 5) });
  return { root: ref('gpu', gpu), event: root };
};

/** An NVLink goes: Xid 74; traffic between its GPUs fails over to PCIe, or the communicator dies. */
export const nvlinkDown: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const machine = chance.pick(busy(scenario).filter(({ gpus }) => gpus.length > 1));
  const [gpu = '', peer = ''] = chance.some(machine.gpus, 2);
  const byXid = chance.chance(0.5);
  const nvlinkXid = xid(74, 'NVLink: fatal error detected on link 5', 'high')(gpu, at_s);
  const down = {
    ...nvlinkXid,
    source: 'nvml' as const,
    type: 'nvlink_error' as const,
    message: 'NVLink 5: down, replay limit',
  };
  const root = scenario.root(byXid ? nvlinkXid : down);
  scenario.effect(root, {
    at_s: at_s + chance.around(0.8, 0.8),
    source: byXid ? 'nvml' : 'kernel',
    entity: ref('gpu', peer),
    type: 'nvlink_error',
    severity: 'medium',
    message: 'NVLink 5: remote side down',
  });
  if (chance.chance(0.5)) gpuWorkLost(scenario, machine, root, at_s + lasts_s);
  else scenario.slow(machine, { from_s: at_s + 0.2, to_s: at_s + lasts_s, slow: chance.between(2.2, 5) });
  return { root: ref('gpu', gpu), equivalents: [ref('gpu', peer)], event: root };
};
