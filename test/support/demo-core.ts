import { join } from 'node:path';
import { type CoreOptions, openTestCore, type TestCore, temporaryFolder } from './core.ts';
import { demoCase } from './demo-case.ts';

/** The core on a copy of the demo's case. */
export async function demoCore(options?: CoreOptions): Promise<TestCore> {
  const folder = await temporaryFolder();
  await demoCase(folder);
  return openTestCore(join(folder, 'demo.faultline'), options);
}
