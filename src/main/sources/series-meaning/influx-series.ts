import { parseValue } from './parse-value.ts';
import type { ScrapedSeries, ScrapedType } from './scraped.ts';
import { described } from './series-rows.ts';

/** What fields of InfluxDB belong to. */
export interface InfluxHead {
  readonly measurement: string;
  readonly tags: ReadonlyMap<string, string>;
}

/** Fields by which metrics of Prometheus keep their type (Telegraf's input and format `prometheus`, version 1). */
const types: ReadonlyMap<string, ScrapedType> = new Map([
  ['gauge', 'gauge'],
  ['counter', 'counter'],
  ['untyped', 'unknown'],
]);

/** What the fields `sum` and `count` of a line belong to, with the others that are numbers: bounds or quantiles. */
export type Whole = 'histogram' | 'summary' | undefined;

/** Of Telegraf's version 1 of metrics of Prometheus: only a histogram has a bound `+Inf`. */
export function wholeOf(fields: readonly (readonly [name: string, value: unknown])[]): Whole {
  const has = (wanted: string): boolean => fields.some(([name]) => name === wanted);
  if (!has('sum') || !has('count')) return undefined;
  return has('+Inf') ? 'histogram' : 'summary';
}

/**
 * A field under the name that Telegraf gives it towards Prometheus: `measurement_field`. What came from Prometheus gets its own name
 * back: version 1 of Telegraf has it as the measurement, with the parts of a histogram as fields; version 2 as the field of a
 * measurement `prometheus` (https://github.com/influxdata/telegraf/tree/master/plugins/parsers/prometheus).
 */
export function seriesOf({ measurement, tags }: InfluxHead, field: string, whole: Whole): ScrapedSeries {
  const labels = labelsOf(tags);
  if (measurement === 'prometheus') return described(field, labels);
  const type = types.get(field);
  if (type !== undefined) return described(measurement, labels, type);
  if (whole !== undefined && parseValue(field) !== undefined)
    return whole === 'summary'
      ? described(measurement, new Map([...labels, ['quantile', field]]))
      : described(`${measurement}_bucket`, new Map([...labels, ['le', field]]));
  return described(field === 'value' ? measurement : `${measurement}_${field}`, labels);
}

/** The tag `host` is the machine that Telegraf runs on, unless another one names whom it asked. */
function labelsOf(tags: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const machine = tags.get('agent_host') ?? tags.get('host');
  if (machine === undefined || tags.has('hostname') || tags.has('Hostname')) return tags;
  const labels = new Map([...tags].filter(([name]) => name !== 'host' && name !== 'agent_host'));
  return labels.set('hostname', machine);
}
