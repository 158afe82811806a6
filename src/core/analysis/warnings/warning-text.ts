import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import type { Warning } from './warning.ts';

type Texts = { readonly [K in Warning['kind']]: (warning: Extract<Warning, { readonly kind: K }>) => string };

const MOST_NAMES = 4;

const texts: Texts = {
  onset_not_measured: ({ service, onset }) => `onset not measured: ${unseenOnsetText(service, onset) ?? service}`,
  only_service_was_specified: ({ service }) =>
    `no anomaly of ${service}: analysed where it did worst, because the service was specified`,
  time_was_specified: ({ service }) => `no anomaly of ${service} at that time: analysed because the time was specified`,
  no_events: ({ service }) =>
    `no device events recorded: a physical cause of ${service} can be neither found nor ruled out`,
  no_topology: ({ service, byCompany }) =>
    `no topology of ${service}: ${byCompany ? 'only services that degraded at the same time link devices to it' : 'no device can be linked to it'}`,
  no_physical_cause: ({ service, lag_s }) =>
    `no physical cause found for ${service}: no recorded event leads to it within ${lag_s} s before the first anomaly`,
  layers_not_recorded: ({ layers }) =>
    `partial: no events recorded of: ${layers.join(', ')}; a cause there can be neither found nor cleared`,
  chain_is_a_lead: ({ favoured }) =>
    `the chain is a lead, not a finding: ${favoured ? favouredText(favoured) : 'the verdict is undecided'}`,
  no_device_first: ({ device, others }) =>
    `no device is listed first: the most probable one (${device.toFixed(2)}) is less probable than the answers without a device together (${others.toFixed(2)})`,
  not_in_topology: ({ devices }) =>
    `no path in the topology to the service, so less probable as a cause: ${namesOf(devices)}`,
  short_baseline: ({ service, measurements }) =>
    `the baseline of ${service} rests on ${measurements} measurement${measurements === 1 ? '' : 's'} only`,
  overlaps: ({ services }) =>
    `overlaps ${services.length === 1 ? 'an incident' : 'incidents'} of ${namesOf(services)}; each is measured by itself`,
  no_measured_service: () => 'no measured service: neither service metrics nor spans',
  rank_lost_gpu: ({ rank, gpu, at }) =>
    `${rank} ran on ${gpu}, which was lost at ${at}: no recorded steps or end show what became of its job; faultline patterns lists what led to the loss`,
  ended: ({ service, at }) => `${service} ended at ${at}: nothing recorded shows whether it was done or failed`,
  few_measurements: ({ service, measurements }) =>
    `${service} has ${measurements === 1 ? 'only one measurement' : 'partial measurements only'}: skipped`,
  usual_hour: ({ service, times, last }) =>
    `${service} was slow or had few requests ${times === 1 ? 'once' : `${times} times`}, the last time from ${last} on, as at that hour of most days: not listed as an incident; specify service and time to investigate it`,
  clock: ({ source, remark }) => `clock of ${source}: ${remark}`,
  clocks_not_compared: () => 'clocks not corrected: too many events to compare the data sources',
  mechanisms_invalid: ({ problem }) => `${problem}; the last valid mechanisms remain in use`,
};

const namesOf = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES - 1).join(', ')} and ${names.length - MOST_NAMES + 1} more`
    : names.join(', ');

/** One line without a full stop. */
export const warningText = (warning: Warning): string => (texts[warning.kind] as (of: Warning) => string)(warning);

const favouredText = ({
  type,
  on,
  probability,
}: {
  readonly type: string;
  readonly on: string | null;
  readonly probability: number;
}): string =>
  `the evidence favours "${type.replaceAll('_', ' ')}${on === null ? '' : ` on ${on}`}" (${probability.toFixed(2)})`;
