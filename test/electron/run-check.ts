import type { Check } from './checks/check.ts';
import { type Booted, type BootOptions, boot, patience, removeRendererDirs, type Sources } from './harness.ts';

/** Rejects late: a check that waits for what never comes has failed, and must still be cleaned up after. */
async function within<T>(work: Promise<T>, name: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`"${name}" waits in vain`)), patience.ms * 1.5);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one check and stops whatever it started, also when it fails. */
export async function runCheck(check: Check, sources: Sources, defaults: BootOptions = {}): Promise<void> {
  const started: Booted[] = [];
  try {
    const run = check.run({
      sources,
      boot: async (options = {}) => {
        const booted = await boot(sources, { ...defaults, ...options });
        started.push(booted);
        return booted;
      },
    });
    await within(run, check.name);
  } finally {
    for (const booted of started.reverse()) await booted.stop();
    removeRendererDirs();
  }
}
