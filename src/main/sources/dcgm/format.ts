/**
 * What `dcgmi` prints (https://docs.nvidia.com/datacenter/dcgm/): the tables of `dmon`, and the JSON of `diag -j` and
 * `health -c -j`, whose shape changed with DCGM 4 (results name one entity each instead of a list of GPUs).
 */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
/** Lists may hold nulls where a test was left out. */
export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
/** Texts that are alone or in a list. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(textOf).filter((text) => text !== '');

/** The answer of `diag -j`; undefined when this is none. */
export function diagnosticOf(document: unknown): Json | undefined {
  const { 'DCGM Diagnostic': current, 'DCGM GPU Diagnostic': before4 } = objectOf(document);
  const root = current ?? before4;
  return isObject(root) ? root : undefined;
}

/** The boxes of `health -c -j`; undefined when this is none. */
export function healthOf(document: unknown): Json | undefined {
  const { body } = objectOf(document);
  return isObject(body) && isObject(body['Overall Health']) ? body : undefined;
}

/** `#Entity   GPUTL   POWER`, possibly behind the time that a logger put before every line. */
export const DMON_HEADER = /^(?:\S.{0,60}?\s)?#\s?Entity\s{2,}[A-Z][A-Z0-9_#]{2,9}(?:\s|$)/;
