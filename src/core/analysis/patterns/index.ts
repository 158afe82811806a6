import { applicationFault } from './application-fault.ts';
import { badDeploy } from './bad-deploy.ts';
import { checkpointStall } from './checkpoint-stall.ts';
import { clockStraggler } from './clock-straggler.ts';
import { cloudHost } from './cloud-host.ts';
import { collectiveHang } from './collective-hang.ts';
import { collectiveMismatch } from './collective-mismatch.ts';
import { collectiveStraggler } from './collective-straggler.ts';
import { coolantLeak } from './coolant-leak.ts';
import { coolingFailure } from './cooling-failure.ts';
import { crashLoop } from './crash-loop.ts';
import { dataloaderStall } from './dataloader-stall.ts';
import { diskFull } from './disk-full.ts';
import { feedFailover } from './feed-failover.ts';
import { gpuOffBus } from './gpu-off-bus.ts';
import { gpuOutOfMemory } from './gpu-out-of-memory.ts';
import { gpuPowerBrake } from './gpu-power-brake.ts';
import { gpuThermal } from './gpu-thermal.ts';
import { gspTimeout } from './gsp-timeout.ts';
import { hostCrash } from './host-crash.ts';
import { imagePull } from './image-pull.ts';
import { linkDown } from './link-down.ts';
import { linkFlap } from './link-flap.ts';
import { lostRedundancy } from './lost-redundancy.ts';
import { machineCooling } from './machine-cooling.ts';
import { mainsOutage } from './mains-outage.ts';
import { memoryFault } from './memory-fault.ts';
import { nodeNotReady } from './node-not-ready.ts';
import { nvlinkFault } from './nvlink-fault.ts';
import { outOfMemory } from './out-of-memory.ts';
import { overload } from './overload.ts';
import type { Pattern } from './pattern.ts';
import { pcieDegraded } from './pcie-degraded.ts';
import { podEviction } from './pod-eviction.ts';
import { podUnschedulable } from './pod-unschedulable.ts';
import { powerCap } from './power-cap.ts';
import { psuFailure } from './psu-failure.ts';
import { retryStorm } from './retry-storm.ts';
import { switchReboot } from './switch-reboot.ts';

/** Every pattern, from the ground up: power, cooling, machines, GPUs, network, orchestrator, software. */
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
  dataloaderStall,
  checkpointStall,
  badDeploy,
  retryStorm,
];
