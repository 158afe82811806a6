import type { Family } from '../label.ts';
import type { Teller } from '../scenario.ts';
import type { Needs } from '../site.ts';
import * as climate from './climate.ts';
import * as gpu from './gpu.ts';
import * as jobs from './jobs.ts';
import * as network from './network.ts';
import * as orchestration from './orchestration.ts';
import * as power from './power.ts';
import * as software from './software.ts';

interface FamilyPlan {
  readonly build: Teller;
  readonly needs: Needs;
  /** May happen to rented machines as well. */
  readonly cloudToo?: boolean;
  /** Several machines fail at once, by the word of others than the root: it may stay silent and still be found. */
  readonly manyFail?: boolean;
  /** Whether a training job must be among what it harms. */
  readonly harmsJob?: boolean;
}

const ofJob = (build: Teller, needs: Needs = {}): FamilyPlan => ({
  build,
  needs: { training: true, ...needs },
  harmsJob: true,
});

const plans: Readonly<Record<Exclude<Family, 'healthy'>, FamilyPlan>> = {
  ups_transfer: { build: power.upsTransfer, needs: {}, manyFail: true },
  pdu_sag: { build: power.pduSag, needs: {}, manyFail: true },
  breaker_trip: { build: power.breakerTrip, needs: { breakers: true }, manyFail: true },
  psu_failure: { build: power.psuFailure, needs: {} },
  bmc_cap: { build: power.bmcCap, needs: {} },
  power_brake: { build: power.powerBrake, needs: {} },
  poe_overload: { build: power.poeOverload, needs: { edge: true } },
  xid_79: { build: gpu.xid79, needs: {}, cloudToo: true },
  xid_48: { build: gpu.xid48, needs: {}, cloudToo: true },
  xid_63: { build: gpu.xid63, needs: {}, cloudToo: true },
  xid_94: { build: gpu.xid94, needs: {}, cloudToo: true },
  xid_95: { build: gpu.xid95, needs: {}, cloudToo: true },
  xid_119: { build: gpu.xid119, needs: {}, cloudToo: true },
  nvlink_down: { build: gpu.nvlinkDown, needs: {}, cloudToo: true },
  cooling_failure: { build: climate.coolingFailure, needs: {}, manyFail: true },
  gpu_thermal: { build: climate.gpuThermal, needs: {}, cloudToo: true },
  infiniband_flap: { build: network.infinibandFlap, needs: { training: true, leaves: true }, manyFail: true },
  switch_reboot: { build: network.switchReboot, needs: {}, manyFail: true },
  host_degradation: { build: network.hostDegradation, needs: { cloud: true } },
  noisy_neighbour: { build: orchestration.noisyNeighbour, needs: {}, cloudToo: true },
  dataloader_stall: { build: orchestration.dataloaderStall, needs: { training: true } },
  checkpoint_stall: { build: orchestration.checkpointStall, needs: { training: true } },
  pod_eviction: { build: orchestration.podEviction, needs: {}, cloudToo: true },
  bad_deploy: { build: software.badDeploy, needs: {}, cloudToo: true },
  job_gpu_off_bus: ofJob(gpu.xid79),
  job_ecc: ofJob(gpu.xid48),
  job_nvlink: ofJob(gpu.nvlinkDown),
  job_nic_flap: ofJob(network.infinibandFlap, { leaves: true }),
  job_switch_congestion: ofJob(jobs.switchCongestion, { leaves: true }),
  job_storage_stall: ofJob(jobs.storageStall),
  job_dataloader: ofJob(orchestration.dataloaderStall),
  job_eviction: ofJob(jobs.eviction),
  job_preemption: ofJob(jobs.preemption),
  job_oom: ofJob(jobs.outOfMemory),
  job_heat: ofJob(climate.gpuThermal),
  job_cap: ofJob(power.bmcCap),
  job_host_loss: ofJob(network.hostLoss),
  job_checkpoint: ofJob(orchestration.checkpointStall),
  job_desync: ofJob(jobs.desync),
  job_done: ofJob(jobs.completion),
  traffic_surge: { build: software.trafficSurge, needs: {}, cloudToo: true },
};

/** Generator of a family; healthy nights have none. */
export const planOf = (family: Family): FamilyPlan | undefined => (family === 'healthy' ? undefined : plans[family]);
