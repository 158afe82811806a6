/**
 * Responses of `/api/v1/query`, `/api/v1/query_exemplars` and `/api/v1/query_range` (https://prometheus.io/docs/prometheus/latest/querying/api/),
 * the bare list that `promtool query … -o json` prints, and the lines of VictoriaMetrics' `/api/v1/export`: one element
 * of `data.result`; every member must be checked before use.
 */
export interface Result {
  readonly metric: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
  readonly values?: unknown;
  /** VictoriaMetrics: milliseconds, one for each of `values`. */
  readonly timestamps?: unknown;
  readonly histogram?: unknown;
  readonly histograms?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isResult = (value: unknown): value is Result & Record<string, unknown> =>
  isObject(value) && isObject(value['metric']);

const isPair = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'number';

/** A result with a time for each value; a result behind the end of the file's head counts too. */
function looksLikeResult(value: unknown): boolean {
  if (!isResult(value)) return false;
  if ('timestamps' in value) return Array.isArray(value.values);
  const { value: one, values } = value;
  const isList = Array.isArray(values) && (values.length === 0 || isPair(values[0]) || Array.isArray(values[0]));
  return 'histogram' in value || 'histograms' in value || isPair(one) || isList;
}

/** One element of `data` that `/api/v1/query_exemplars` answers; every member must be checked before use. */
export interface SeriesExemplars {
  readonly seriesLabels: Readonly<Record<string, unknown>>;
  readonly exemplars: readonly unknown[];
}

export const isExemplars = (value: unknown): value is SeriesExemplars =>
  isObject(value) && isObject(value['seriesLabels']) && Array.isArray(value['exemplars']);

const resultTypes = new Set<unknown>(['vector', 'matrix', 'scalar', 'string']);

export function looksLikeAnswer(json: unknown): boolean {
  if (Array.isArray(json)) return looksLikeResult(json[0]);
  if (!isObject(json)) return false;
  const { status, data } = json;
  if (status === 'error') return typeof json['errorType'] === 'string' && typeof json['error'] === 'string';
  if (Array.isArray(data)) return status === 'success' && isExemplars(data[0]);
  if (!isObject(data)) return looksLikeResult(json);
  return status === 'success' && resultTypes.has(data['resultType']);
}
