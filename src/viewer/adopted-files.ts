import type { FileHandle } from '../model/contract/index.ts';
import { fail } from '../model/problem.ts';

/** What the page handed over, and what was made for it: in memory, or where the browser keeps a file that was dropped. */
export class AdoptedFiles {
  private readonly files = new Map<string, { readonly name: string; readonly file: Blob }>();

  adopt(name: string, file: Blob): FileHandle {
    const handle = crypto.randomUUID();
    this.files.set(handle, { name, file });
    return { handle, name, bytes: file.size };
  }

  /** @throws ProblemError file.unknown_handle */
  get(handle: string): { readonly name: string; readonly file: Blob } {
    return (
      this.files.get(handle) ?? fail('file.unknown_handle', 'this file is no longer at hand', { hint: 'drop it again' })
    );
  }
}
