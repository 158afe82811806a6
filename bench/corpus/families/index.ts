import type { Family } from '../label.ts';
import type { Needs } from '../site.ts';
import type { Teller } from '../story.ts';
import * as climate from './climate.ts';
import * as gpu from './gpu.ts';
import * as network from './network.ts';
import * as orchestration from './orchestration.ts';
import * as power from './power.ts';
import * as software from './software.ts';

interface FamilyPlan {
  readonly tell: Teller;
  readonly needs: Needs;
  /** May happen to rented machines as well. */
  readonly cloudToo?: boolean;
  /** Several machines fail at once, by the word of others than the root: it may stay silent and still be found. */
  readonly manyFail?: boolean;
}

const plans: Readonly<Record<Exclude<Family, 'healthy'>, FamilyPlan>> = {
  ups_transfer: { tell: power.upsTransfer, needs: {}, manyFail: true },
  pdu_sag: { tell: power.pduSag, needs: {}, manyFail: true },
  breaker_trip: { tell: power.breakerTrip, needs: { breakers: true }, manyFail: true },
  psu_failure: { tell: power.psuFailure, needs: {} },
  bmc_cap: { tell: power.bmcCap, needs: {} },
  power_brake: { tell: power.powerBrake, needs: {} },
  poe_overload: { tell: power.poeOverload, needs: { edge: true } },
  xid_79: { tell: gpu.xid79, needs: {}, cloudToo: true },
  xid_48: { tell: gpu.xid48, needs: {}, cloudToo: true },
  xid_63: { tell: gpu.xid63, needs: {}, cloudToo: true },
  xid_94: { tell: gpu.xid94, needs: {}, cloudToo: true },
  xid_95: { tell: gpu.xid95, needs: {}, cloudToo: true },
  xid_119: { tell: gpu.xid119, needs: {}, cloudToo: true },
  nvlink_down: { tell: gpu.nvlinkDown, needs: {}, cloudToo: true },
  cooling_failure: { tell: climate.coolingFailure, needs: {}, manyFail: true },
  gpu_thermal: { tell: climate.gpuThermal, needs: {}, cloudToo: true },
  infiniband_flap: { tell: network.infinibandFlap, needs: { training: true, leaves: true }, manyFail: true },
  switch_reboot: { tell: network.switchReboot, needs: {}, manyFail: true },
  host_degradation: { tell: network.hostDegradation, needs: { cloud: true } },
  noisy_neighbour: { tell: orchestration.noisyNeighbour, needs: {}, cloudToo: true },
  dataloader_stall: { tell: orchestration.dataloaderStall, needs: { training: true } },
  checkpoint_stall: { tell: orchestration.checkpointStall, needs: { training: true } },
  pod_eviction: { tell: orchestration.podEviction, needs: {}, cloudToo: true },
  bad_deploy: { tell: software.badDeploy, needs: {}, cloudToo: true },
  traffic_surge: { tell: software.trafficSurge, needs: {}, cloudToo: true },
};

/** How a family's story is told; healthy nights have none. */
export const planOf = (family: Family): FamilyPlan | undefined => (family === 'healthy' ? undefined : plans[family]);
