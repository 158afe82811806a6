import { coolantLeak } from './facility/coolant-leak.ts';
import { coolingFailure } from './facility/cooling-failure.ts';
import { feedFailover } from './facility/feed-failover.ts';
import { lostRedundancy } from './facility/lost-redundancy.ts';
import { machineCooling } from './facility/machine-cooling.ts';
import { mainsOutage } from './facility/mains-outage.ts';
import { psuFailure } from './facility/psu-failure.ts';
import { gpuOffBus } from './gpu/gpu-off-bus.ts';
import { gpuOutOfMemory } from './gpu/gpu-out-of-memory.ts';
import { gpuPowerBrake } from './gpu/gpu-power-brake.ts';
import { gpuThermal } from './gpu/gpu-thermal.ts';
import { gspTimeout } from './gpu/gsp-timeout.ts';
import { memoryFault } from './gpu/memory-fault.ts';
import { nvlinkFault } from './gpu/nvlink-fault.ts';
import { pcieDegraded } from './gpu/pcie-degraded.ts';
import { powerCap } from './gpu/power-cap.ts';
import { linkDown } from './network/link-down.ts';
import { linkFlap } from './network/link-flap.ts';
import { switchReboot } from './network/switch-reboot.ts';
import type { Pattern } from './pattern.ts';
import { cloudHost } from './platform/cloud-host.ts';
import { crashLoop } from './platform/crash-loop.ts';
import { diskFull } from './platform/disk-full.ts';
import { hostCrash } from './platform/host-crash.ts';
import { imagePull } from './platform/image-pull.ts';
import { nodeNotReady } from './platform/node-not-ready.ts';
import { outOfMemory } from './platform/out-of-memory.ts';
import { podEviction } from './platform/pod-eviction.ts';
import { podUnschedulable } from './platform/pod-unschedulable.ts';
import { applicationFault } from './serving/application-fault.ts';
import { badDeploy } from './serving/bad-deploy.ts';
import { latencyTail } from './serving/latency-tail.ts';
import { overload } from './serving/overload.ts';
import { retryStorm } from './serving/retry-storm.ts';
import { modelServing } from './serving/serving-patterns.ts';
import { slowPart } from './serving/slow-part.ts';
import { checkpointStall } from './training/checkpoint-stall.ts';
import { clockStraggler } from './training/clock-straggler.ts';
import { collectiveHang } from './training/collective-hang.ts';
import { collectiveMismatch } from './training/collective-mismatch.ts';
import { collectiveStraggler } from './training/collective-straggler.ts';
import { cudaStraggler } from './training/cuda-straggler.ts';
import { dataloaderStall } from './training/dataloader-stall.ts';

/** Every pattern, by layer: power, cooling, machines, GPUs, network, orchestrator, software. */
export const patterns: readonly Pattern[] = [
  mainsOutage,
  feedFailover,
  lostRedundancy,
  psuFailure,
  overload,
  coolingFailure,
  machineCooling,
  coolantLeak,
  powerCap,
  hostCrash,
  cloudHost,
  memoryFault,
  gpuOffBus,
  gspTimeout,
  nvlinkFault,
  pcieDegraded,
  gpuThermal,
  gpuPowerBrake,
  applicationFault,
  gpuOutOfMemory,
  clockStraggler,
  linkFlap,
  linkDown,
  switchReboot,
  nodeNotReady,
  podEviction,
  podUnschedulable,
  imagePull,
  crashLoop,
  outOfMemory,
  diskFull,
  collectiveHang,
  collectiveMismatch,
  collectiveStraggler,
  cudaStraggler,
  dataloaderStall,
  checkpointStall,
  badDeploy,
  retryStorm,
  ...modelServing,
  latencyTail,
  slowPart,
];
