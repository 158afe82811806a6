import type { Fleet, FleetDifference, FleetGpu } from '../../../model/contract/index.ts';
import { shortMetric } from '../timeline/lane-text.ts';
import { formatValue } from './format-value.ts';

/** `412.3 W, 71 W below the median of 31 peers, 41 % of the time`. */
export function differenceText({ value, typical, unit, share, others, against }: FleetDifference): string {
  const by = `${formatValue(Math.abs(value - typical), unit)} ${value < typical ? 'below' : 'above'}`;
  const whom =
    against === 'peers'
      ? `the median of ${others} GPUs with the same work`
      : `its own values at other times, corrected for the change of ${others} peers`;
  return `${formatValue(value, unit)}, ${by} ${whom}, ${Math.round(100 * share)} % of the time`;
}

/** One GPU by name, several by machine. */
export function gpusText(gpus: readonly FleetGpu[]): string {
  const [one] = gpus;
  if (!one) return '';
  if (gpus.length === 1) return `${machineOf(one)} ${shortGpu(one)}`.trim();
  const machines = [...new Set(gpus.map(machineOf))].filter((name) => name !== '');
  const where = machines.length > 3 ? `${machines[0]} … ${machines.at(-1)}` : machines.join(', ');
  return `${gpus.length} GPUs${where === '' ? '' : ` on ${where}`}`;
}

/** The id of an entity key, without the kind. */
export const entityName = (entityKey: string): string => entityKey.slice(entityKey.indexOf(':') + 1);

/** `node-3`, the container of a GPU; '' if no link names it. */
export const machineOf = ({ within }: FleetGpu): string => entityName(within.at(-1) ?? '');

const UUID = /^GPU-[0-9a-f-]{36}$/i;

/** `GPU-c4529c8d…6005`: of the UUID of a card, its start and its end; any other name as it is. */
export const shortUuid = (name: string): string => (UUID.test(name) ? `${name.slice(0, 12)}…${name.slice(-4)}` : name);

/** Name of a GPU next to its machine. */
export function shortGpu(gpu: FleetGpu): string {
  const machine = machineOf(gpu);
  const rest = gpu.id.slice(machine.length);
  if (machine !== '' && gpu.id.startsWith(machine) && /^[/:._-]./.test(rest)) return rest.slice(1);
  // Ids of cards differ in their last digits only.
  return gpu.slot !== null && UUID.test(gpu.id) ? `GPU ${gpu.slot}` : gpu.id;
}

export const metricTitle = (metric: string): string => shortMetric(metric, 'gpu');

/** Which sample a cell shows if it contains several. */
export const pickLabels: Readonly<Record<Fleet['pick'], string>> = {
  lowest: 'the lowest sample of each cell',
  highest: 'the highest sample of each cell',
};
