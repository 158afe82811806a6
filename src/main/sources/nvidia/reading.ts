import type { MetricName } from '../../../model/telemetry/metric.ts';

/** How one foreign quantity is written in Faultline's words. */
export interface Reading {
  /** One of the agreed metrics, or the recording's own name. */
  readonly metric: MetricName | (string & {});
  /** Unit of the recorded number if the recording does not state it. */
  readonly unit: string;
  /** For own names: only ever grows. */
  readonly counter?: boolean;
  /** Attributes that distinguish this series from others of the same metric on the same GPU. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Labels that are in the metric now, with underscores for dots. */
  readonly dropped?: readonly string[];
  /** The number in the metric's own unit where this is no conversion; undefined: another series states it. */
  readonly value?: (recorded: number) => number | undefined;
}

export const reading = (
  metric: Reading['metric'],
  unit: string,
  attributes?: Readonly<Record<string, string>>,
): Reading => ({ metric, unit, ...(attributes ? { attributes } : {}) });
