import type { FileHandle } from '../model/contract/index.ts';

/** What the page asks of its worker beside the calls of the contract; each brings the port that is answered on, or spoken over. */
export type WorkerMessage =
  | { readonly kind: 'connect' }
  | { readonly kind: 'adopt'; readonly name: string; readonly file: Blob }
  | { readonly kind: 'fetch'; readonly handle: string };

export type WorkerAnswer =
  | { readonly kind: 'handle'; readonly handle: FileHandle }
  | { readonly kind: 'file'; readonly file: Blob }
  | { readonly kind: 'problem'; readonly message: string };
