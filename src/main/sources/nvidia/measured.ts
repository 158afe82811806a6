import { convertUnit } from '../../../base/convert-unit.ts';
import type { NewSample } from '../../../model/rows/records.ts';
import { isMetricName, metrics } from '../../../model/telemetry/metric.ts';
import type { Reading } from './reading.ts';

/** A value in the unit of the agreed metric, or as it was printed under its own name. */
export function measured(
  { metric, counter }: Reading,
  value: number,
  unit: string,
): Pick<NewSample, 'metric' | 'value'> {
  const written = unit === 'C' ? 'Cel' : unit;
  const converted = isMetricName(metric) ? convertUnit(value, written, metrics[metric].unit) : undefined;
  if (isMetricName(metric) && converted !== undefined) return { metric, value: converted };
  return { metric: { name: metric, unit: written, ...(counter ? { counter } : {}) }, value };
}
