import koffi, { type LibraryHandle } from 'koffi';

/** Return codes that change what we do (nvmlReturn_t, nvml.h). */
export const SUCCESS = 0;
export const UNINITIALIZED = 1;
export const TIMEOUT = 10;
export const FUNCTION_NOT_FOUND = 13;
export const GPU_IS_LOST = 15;
const returns: Readonly<Record<number, string>> = {
  [UNINITIALIZED]: 'the driver was reloaded',
  2: 'the driver does not know this query',
  3: 'not supported',
  4: 'this user may not access the driver',
  6: 'not found',
  8: "a GPU's external power cables are not attached",
  9: 'the driver is not loaded',
  [TIMEOUT]: 'no answer in time',
  12: 'a library that the driver needs is missing',
  [FUNCTION_NOT_FOUND]: 'the driver is older than the function',
  [GPU_IS_LOST]: 'the GPU is lost: it fell off the bus or cannot be reached',
  16: 'the GPU has to be reset',
  17: 'the operating system keeps the driver from it',
  18: "the driver's library and its kernel module are of different versions: one was updated, the other not yet reloaded",
  20: 'the driver has no memory left',
};
/** Text of a return code, for people. */
export const returnText = (code: number): string => returns[code] ?? `the driver failed with code ${code}`;
/** Nothing works until the library is initialised again. */
export const isDriverGone = (code: number): boolean => [UNINITIALIZED, 9, 12, 18].includes(code);
/** Permanent for this driver: the GPU, its set-up or the driver does not offer the value. */
export const isNotOffered = (code: number): boolean => [2, 3, 4, 6, FUNCTION_NOT_FOUND].includes(code);
/** The GPU gives no values until it is reset or the machine restarts. */
export const isGpuGone = (code: number): boolean => code === GPU_IS_LOST || code === 16;

/** C types of arguments by letter. Handles are opaque pointers, which travel in the same registers as integers. */
const types = { h: 'uintptr_t', u: 'uint32_t', i: 'int32_t', q: 'uint64_t', p: 'void *' } as const;
type Native = (...values: readonly (bigint | number | Uint8Array)[]) => number;

/**
 * Ends the process without waiting for its threads: a thread that is blocked in the driver would delay the end for as
 * long as a GPU hangs. Call it after everything else is done.
 */
export function exitAtOnce(code: number): void {
  if (process.platform !== 'win32') koffi.load(null).func('_exit', 'void', ['int'])(code);
}

/** The functions of NVML (https://docs.nvidia.com/deploy/nvml-api/) by name, each resolved at its first call. */
export class DriverLibrary {
  private readonly library: LibraryHandle;
  private readonly known = new Map<string, Native | undefined>();

  /** @throws Error if the library does not exist, or is for another platform */
  constructor(path: string) {
    this.library = koffi.load(path);
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.find(name, '') !== undefined);
  }

  /**
   * Calls the first of these names that the driver has (newer forms have the suffix `_v2`) and returns its code;
   * FUNCTION_NOT_FOUND if it has none.
   *
   * @param form a letter of `types` for each value
   */
  call(names: readonly string[], form: string, ...values: readonly (bigint | number | Uint8Array)[]): number {
    for (const name of names) {
      const found = this.find(name, form);
      if (found) return found(...values);
    }
    return FUNCTION_NOT_FOUND;
  }

  /** A zero-terminated text that a function writes; '' if it fails. */
  text(size: number, write: (bytes: Buffer) => number): string {
    const bytes = Buffer.alloc(size);
    if (write(bytes) !== SUCCESS) return '';
    const end = bytes.indexOf(0);
    return bytes.toString('utf8', 0, end < 0 ? size : end).trim();
  }

  private find(name: string, form: string): Native | undefined {
    const key = `${name} ${form}`;
    if (this.known.has(key)) return this.known.get(key);
    let found: Native | undefined;
    try {
      found = this.library.func(
        name,
        'int',
        [...form].map((letter) => types[letter as keyof typeof types]),
      );
    } catch {
      // The driver lacks the function; koffi gives no error code.
    }
    this.known.set(key, found);
    return found;
  }
}
