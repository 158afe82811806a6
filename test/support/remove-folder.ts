import { rm } from 'node:fs/promises';

/** With all that is in it; a process that has just ended may still be writing there what it keeps for its next start. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
