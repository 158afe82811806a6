import type { Layer } from '../../../model/entity.ts';
import type { ServicePart } from '../../../model/incident/incident.ts';
import type { ServingFigures } from '../serving/condition.ts';
import { conditionText } from '../serving/condition-text.ts';
import { listed, type Names } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Of "no physical cause" and "not enough evidence". */

/** Machines that carry the affected services, and of how many of them anything was recorded that would show a fault. */
export interface RecordedMachines {
  readonly recorded: number;
  readonly of: number;
}

export const quiet = defineKind<{ readonly service: string; readonly machines: RecordedMachines }>({
  id: 'quiet',
  sign: 1,
  judgement: 1.5,
  text: ({ service, machines: { recorded, of } }) => {
    const text = `no event recorded on the infrastructure of ${service} up to the first anomaly`;
    return recorded < of ? `${text} (${recorded} of its ${of} machines were recorded)` : text;
  },
});

export const lowOnly = defineKind<{ readonly service: string }>({
  id: 'low_only',
  sign: 1,
  judgement: 1,
  text: ({ service }) => `only low-severity events on the infrastructure of ${service}`,
});

export const surge = defineKind<{
  readonly times: number;
  /** The callee with more requests; null: the service itself. */
  readonly callee: string | null;
}>({
  id: 'surge',
  sign: 1,
  judgement: 3,
  text: ({ times, callee }) =>
    `successful requests${callee === null ? '' : ` of ${callee}, which it calls,`} rose to ${times.toFixed(1)} times the baseline`,
});

export const rollout = defineKind<{
  readonly on: string;
  readonly message: string;
  /** All of it was recorded after the onset, within what clocks and measurements leave open. */
  readonly isAfter: boolean;
}>({
  id: 'rollout',
  sign: 1,
  judgement: 3,
  text: ({ on, message, isAfter }) => `software rollout on ${on} shortly ${isAfter ? 'after' : 'before'}: ${message}`,
});

export const cancelled = defineKind<{ readonly job: string; readonly message: string }>({
  id: 'cancelled',
  sign: 1,
  judgement: 5,
  isJudged: true,
  text: ({ job, message }) => `${job} was cancelled as its work ended: ${message}`,
});

export const memoryLimit = defineKind<{ readonly service: string; readonly on: Names }>({
  id: 'memory_limit',
  sign: 1,
  judgement: 3,
  text: ({ service, on }) => `${service} reached the memory limit of its own containers on ${listed(on)}`,
});

export const modelServing = defineKind<{ readonly service: string; readonly figures: ServingFigures }>({
  id: 'model_serving',
  sign: 1,
  judgement: 3,
  isJudged: true,
  text: ({ service, figures }) => `${service} ${conditionText(figures)}`,
});

export const onePart = defineKind<{ readonly service: string; readonly part: ServicePart }>({
  id: 'one_part',
  sign: 1,
  judgement: 3,
  isJudged: true,
  text: ({ service, part }) =>
    `most other requests of ${service} than those for ${part.kind} ${part.name} did as before`,
});

/** Software is the same on all of them; what one of them runs on is not. */
export const oneProcess = defineKind<{ readonly service: string; readonly part: ServicePart }>({
  id: 'one_process',
  sign: 1,
  judgement: 2,
  isJudged: true,
  text: ({ service, part }) =>
    `only ${part.name} of ${service} did worse, which software that all of it runs does not explain; no event of what it runs on was recorded`,
});

export const layersMissing = defineKind<{ readonly layers: readonly Layer[] }>({
  id: 'layers_missing',
  sign: 1,
  judgement: 0.5,
  text: ({ layers }) => `no events recorded of: ${layers.join(', ')}`,
});

export const machinesMissing = defineKind<{ readonly service: string; readonly machines: RecordedMachines }>({
  id: 'machines_missing',
  sign: 1,
  judgement: 0.5,
  isJudged: true,
  text: ({ service, machines: { recorded, of } }) =>
    `nothing recorded of ${of === 1 ? 'the machine that carries' : recorded === 0 ? `the ${of} machines that carry` : `${of - recorded} of ${of} machines that carry`} ${service}`,
});

/** Per unit of log-odds: how probable such a cause is, is known from the mechanisms. */
export const unrecordedCause = defineKind<{ readonly devices: Names; readonly layers: readonly Layer[] }>({
  id: 'unrecorded_cause',
  sign: 1,
  judgement: 1,
  isJudged: true,
  text: ({ devices, layers }) =>
    `typical causes of the events on ${listed(devices)} are in layers without recorded events: ${layers.join(', ')}`,
});

export const unplaced = defineKind<{
  readonly service: string;
  /** Other services degraded at the same time, and have a place. */
  readonly byCompany: boolean;
  /** Devices with a harmful event near the onset that may carry it. */
  readonly mayCarry: Names;
}>({
  id: 'unplaced',
  sign: 1,
  judgement: 3,
  text: ({ service, byCompany, mayCarry }) => {
    if (byCompany) return `no topology of ${service}: only services that degraded at the same time link devices to it`;
    const example = mayCarry.first.length === 0 ? '' : `, for example ${listed(mayCarry)}, with events near the onset`;
    return `no topology of ${service}: no device can be linked to it or ruled out${example}`;
  },
});

export const noEvents = defineKind({
  id: 'no_events',
  sign: 1,
  judgement: 1.5,
  isJudged: true,
  text: () => 'the case contains no device events',
});
