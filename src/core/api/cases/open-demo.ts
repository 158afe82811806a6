import type { CaseInfo } from '../../../model/contract/index.ts';
import type { DemoScenario } from '../../../model/demo-scenario.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { StoredCase } from '../../../model/storage/case-storage.ts';
import { importSources } from '../imports/import.ts';
import { MostlyRejected } from '../imports/import-prompts.ts';
import { ordered } from '../imports/inspections.ts';
import type { Workspace } from '../workspace.ts';
import { OpenCase } from './open-case.ts';

const DEMO_CASE = 'demo-incident';

const caseOf = (scenario: DemoScenario | null): string => (scenario ? `demo-${scenario}` : DEMO_CASE);

/**
 * Opens a scenario, null: the demo incident; the first time it is generated in a temporary place, so that it is always
 * complete.
 */
export async function openDemo(
  workspace: Workspace,
  scenario: DemoScenario | null,
  signal: AbortSignal = new AbortController().signal,
): Promise<CaseInfo> {
  const { storage } = workspace.dependencies;
  const opened = await workspace.open(async () => {
    const existing = (await storage.recent()).find(({ name }) => name === caseOf(scenario));
    return existing ? storage.openRecent(existing.id) : makeDemo(workspace, scenario, signal);
  });
  // Left by an older version that was killed while generating the demo.
  if ((await opened.sources()).length === 0) await fill(workspace, { into: opened, scenario, signal });
  return opened.info();
}

async function makeDemo(desk: Workspace, scenario: DemoScenario | null, signal: AbortSignal): Promise<StoredCase> {
  const made = await OpenCase.from(await desk.dependencies.storage.create(caseOf(scenario), { aside: true }), desk);
  try {
    await fill(desk, { into: made, scenario, signal });
    return await made.settled();
  } catch (error) {
    await made.discard();
    throw error;
  }
}

/** Imports the files of the demo, by the importers of any file. */
async function fill(
  desk: Workspace,
  {
    into,
    scenario,
    signal,
  }: { readonly into: OpenCase; readonly scenario: DemoScenario | null; readonly signal: AbortSignal },
): Promise<void> {
  const { demoFiles, reader, now } = desk.dependencies;
  const dropped = (await demoFiles(scenario)).map((path) => ({ path, name: path.split(/[/\\]/).at(-1)! }));
  const inspection = await reader.inspect(dropped, () => undefined, signal);
  const general = { format: null, zone: null, device: null, mapping: null, clocks: {} };
  const sources = ordered(inspection.sources, [], general);
  const rejected = new MostlyRejected(true, desk.importPrompts, signal);
  const run = { openCase: async () => into, reader, sources, signal, rejected, force: false, now };
  try {
    for await (const event of importSources(run)) {
      if (event.kind !== 'problem') continue;
      const { code, message, hint, place } = event.problem;
      throw new ProblemError({ code, message, ...(hint && { hint }), ...(place && { place }) });
    }
  } finally {
    await inspection.close();
  }
}
