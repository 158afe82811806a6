import type { GpuNames } from '../../../model/telemetry/gpu-identity.ts';

/** One property as nvidia-smi prints it. */
export interface Property {
  /** First name of the `--query-gpu` property. */
  readonly name: string;
  readonly text: string;
  /** From a CSV header; '' if the value or the property defines it. */
  readonly unit: string;
}

/** Content of one response about one GPU at one time, from any output format. */
export interface GpuRecord {
  readonly names: GpuNames;
  /** Model, driver, serial number. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly time_ns: bigint;
  readonly properties: readonly Property[];
  /** Names of the active reasons where they are elements or columns of their own; undefined when none are listed. */
  readonly reasons: readonly string[] | undefined;
  /** Temperatures and margins at which the GPU slows down or shuts down, for the attributes of a property. */
  readonly limits: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** A MIG slice or process on a GPU. */
export interface SliceRecord {
  readonly instance: string;
  readonly uuid: string | undefined;
  readonly properties: readonly Property[];
}
export interface ProcessRecord {
  readonly pid: string;
  readonly name: string;
  /** Of the GPU instance that it runs on; '' for a whole GPU. */
  readonly instance: string;
  readonly used: string;
  readonly unit: string;
}

const LOST = /GPU is lost/i;
/** Placeholders instead of a value: `N/A`, `[Not Supported]`, `[Unknown Error]`, `ERR!`. */
const NO_VALUE = /^\[.*\]$|^(N\/A|ERR!|None|Unknown( Error)?|Not Supported|GPU is lost|Requested functionality .*|)$/i;
const words: Readonly<Record<string, number>> = { yes: 1, no: 0 };
/** nvmlDeviceGpuRecoveryAction_t */
const recoveryActions: readonly (readonly [RegExp, number])[] = [
  [/^none$/i, 0],
  [/drain and reset/i, 4],
  [/drain p2p/i, 3],
  [/reboot/i, 2],
  [/imex/i, 5],
  [/reset/i, 1],
];

export const isLost = (text: string): boolean => LOST.test(text);

/** The number and unit of a printed value: `67.03 W`, `0x1FF`, `P8`, `16x`, `Yes`; undefined when there is none. */
export function printedValue(
  name: string,
  text: string,
): { readonly value: number; readonly unit: string } | undefined {
  if (name === 'gpu_recovery_action') {
    const action = recoveryActions.find(([pattern]) => pattern.test(text));
    return action && { value: action[1], unit: '1' };
  }
  if (NO_VALUE.test(text)) return undefined;
  const word = words[text.toLowerCase()];
  if (word !== undefined) return { value: word, unit: '' };
  if (name === 'pstate')
    return /^P?\d{1,2}$/.test(text) ? { value: Number(text.replace('P', '')), unit: '' } : undefined;
  if (/^0x[0-9a-f]{1,16}$/i.test(text)) return { value: Number(text), unit: '' };
  const match = /^(-?\d{1,20}(?:\.\d+)?)(?:x|\s*(%|[A-Za-z]+(?:\/s)?)|\s*bank\(s\))?$/.exec(text);
  return match ? { value: Number(match[1]), unit: match[2] ?? '' } : undefined;
}
