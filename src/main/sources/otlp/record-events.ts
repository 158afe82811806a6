import { objectMarks, objectOfRecord } from '../kubernetes-objects/log-record.ts';
import { KubernetesObjects } from '../kubernetes-objects/read-objects.ts';
import { kernelMarks, readLogBody } from '../log-events/log-body.ts';
import { LogEvents } from '../log-events/log-events.ts';
import { needles } from '../log-events/read-log-text.ts';
import { rankOfRecord } from '../workload/rank-in-text.ts';
import type { Output } from './output.ts';
import type { Attributes } from './resources.ts';

/** A log record whose resource has been entered. */
export interface StatedRecord {
  readonly time_ns: bigint;
  readonly body: string;
  readonly attributes: Attributes;
  /** Severity number of OpenTelemetry. */
  readonly severity: number;
  /** Where it lies in the file, for rejects. */
  readonly at: number;
  /** As it was found. */
  readonly raw: string;
}

/** Texts of which one is in each body that states an event. */
export const eventMarks: readonly string[] = [...needles, ...kernelMarks, ...objectMarks];

/** WARN of the log data model. */
const WARNING = 13;
const GPU_UUID = /^(?:GPU|MIG)-/;

/** The events that log records state, whatever kept them in the form of OpenTelemetry. */
export class RecordEvents {
  private readonly out: Output;
  private readonly events: LogEvents;
  private readonly objects = new KubernetesObjects();

  constructor(out: Output) {
    this.out = out;
    this.events = new LogEvents(out.batch);
  }

  /** Adds the event that the body states, or the Kubernetes object that the record carries, where there is one. */
  read({ time_ns, body, attributes, severity, at, raw }: StatedRecord): void {
    const { out } = this;
    const isWarning = severity >= WARNING;
    const object = objectOfRecord({
      time_ns,
      body,
      isWarning,
      attributes: { ...out.resourceAttributes, ...attributes },
    });
    if (object) {
      const problem = this.objects.append({ builder: out.batch, file: out.file, captured_ns: time_ns }, object);
      if (problem !== '') out.reject(at, problem, body.slice(0, 500));
      return;
    }
    const { host, number } = out.machine;
    const stated = { ...out.resourceAttributes, ...attributes };
    const rank = rankOfRecord(out.batch, body, { attributes: stated, machine: number });
    const uuids = [attributes['gpu.uuid'], attributes['gpu.id']].map((value) =>
      typeof value === 'string' ? value : '',
    );
    this.events.append({
      time_ns,
      ...readLogBody(body),
      raw,
      host,
      machine: number,
      sender: rank >= 0 ? rank : out.entityOf(attributes),
      gpu_uuid: uuids.find((name) => GPU_UUID.test(name)) ?? '',
      origin: 'otlp',
    });
  }
}
