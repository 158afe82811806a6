import { amd } from './amd.ts';
import type { Exporter } from './exporter.ts';
import { facility } from './facility.ts';
import { habana } from './habana.ts';
import { hardware } from './hardware.ts';
import { hosts } from './hosts.ts';
import { ingero } from './ingero.ts';
import { intel } from './intel.ts';
import { interfaces } from './interfaces.ts';
import { knative, kubernetes } from './kubernetes.ts';
import { dcgmExporter, dcgmReceiver, smiExporter, tritonGpus } from './nvidia.ts';
import { requests } from './requests.ts';
import { serving } from './serving.ts';
import { snmpObjects } from './snmp.ts';
import { telegraf } from './telegraf.ts';

/** The first that owns a series knows it; the narrow ones come first. */
export const exporters: readonly Exporter[] = [
  dcgmExporter,
  dcgmReceiver,
  smiExporter,
  tritonGpus,
  telegraf,
  interfaces,
  intel,
  habana,
  hosts,
  kubernetes,
  knative,
  serving,
  amd,
  ingero,
  hardware,
  facility,
  snmpObjects,
  requests,
];
