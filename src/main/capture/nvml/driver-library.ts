import koffi, { type LibraryHandle } from 'koffi';

/** nvmlReturn_t (nvml.h), as far as a decision hangs on it. */
export const SUCCESS = 0;
export const UNINITIALIZED = 1;
export const TIMEOUT = 10;
export const FUNCTION_NOT_FOUND = 13;
export const GPU_IS_LOST = 15;
const returns: Readonly<Record<number, string>> = {
  [UNINITIALIZED]: 'the driver was reloaded',
  2: 'the driver does not know what it was asked',
  3: 'not supported',
  4: 'this user may not ask the driver',
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
/** What a return code says, for people. */
export const returnText = (code: number): string => returns[code] ?? `the driver failed with code ${code}`;
/** Nothing can be asked any more until the library is initialised anew. */
export const isDriverGone = (code: number): boolean => [UNINITIALIZED, 9, 12, 18].includes(code);
/** It will not answer this as long as the driver stays: the GPU, its set-up or the driver lacks it. */
export const isNotOffered = (code: number): boolean => [2, 3, 4, 6, FUNCTION_NOT_FOUND].includes(code);
/** The GPU answers nothing until it was reset or the machine restarted. */
export const isGpuGone = (code: number): boolean => code === GPU_IS_LOST || code === 16;

/** C types of arguments by letter. Handles are opaque pointers, which travel in the same registers as integers. */
const types = { h: 'uintptr_t', u: 'uint32_t', i: 'int32_t', q: 'uint64_t', p: 'void *' } as const;
type Native = (...values: readonly (bigint | number | Uint8Array)[]) => number;

/**
 * Ends the process without waiting for its threads, which an orderly end does: one that sleeps in the driver would hold it
 * for as long as a GPU hangs. To be called when everything else has been done.
 */
export function exitAtOnce(code: number): void {
  if (process.platform !== 'win32') koffi.load(null).func('_exit', 'void', ['int'])(code);
}

/** The functions of NVML (https://docs.nvidia.com/deploy/nvml-api/) by name, each looked up when it is first called. */
export class DriverLibrary {
  private readonly library: LibraryHandle;
  private readonly known = new Map<string, Native | undefined>();

  /** @throws Error when there is no such library, or it is none for this machine */
  constructor(path: string) {
    this.library = koffi.load(path);
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.find(name, '') !== undefined);
  }

  /**
   * The return code of the first of these names that the driver has: a newer driver has a newer form under a name with
   * `_v2`. FUNCTION_NOT_FOUND when it has none.
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

  /** A text that a function writes, ended by a zero; '' when it fails. */
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
      // A driver without the function: koffi says no more than that.
    }
    this.known.set(key, found);
    return found;
  }
}
