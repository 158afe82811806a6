import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { Constant, Fields, Limits } from './profile.ts';

/** A measurement: `scale` metric units are one unit of the raw number. */
export interface Reading {
  readonly metric: MetricName | { readonly name: string; readonly unit: string };
  readonly scale: number;
  readonly signed: boolean;
  readonly fahrenheit: boolean;
  readonly missing: readonly number[];
  readonly limits: Limits;
  readonly attributes: Attributes;
}
export interface Code {
  readonly codes: Readonly<Record<string, string>>;
  readonly as?: Fields['as'];
  readonly attributes: Attributes;
}
type Attributes = Readonly<Record<string, Constant>>;
/** A text states why the value cannot be decoded; undefined: it is no reading. */
export type Meaning = Reading | Code | string | undefined;
