import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, FeedTest, Parsed, PullEvent } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Archives } from '../../../model/storage/archive.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { Progress, type SourceRun } from '../imports/import.ts';
import { MostlyRejected } from '../imports/import-prompts.ts';
import type { Workspace } from '../workspace.ts';
import { pull } from './pull.ts';

/** @throws ProblemError archive.unavailable where the host has no archives */
export const archivesOf = async ({ dependencies }: Workspace): Promise<Archives> =>
  dependencies.archives?.() ?? fail('archive.unavailable', 'this host pulls from no archives');

/** Archives: options, connection tests, pulls. */
export function pullHandlers(workspace: Workspace) {
  return {
    'archive.kinds': async () =>
      (await archivesOf(workspace)).kinds.map((kind) => ({
        ...kind,
        fields: kind.fields.map((field) => ({ ...field, choices: [...field.choices] })),
      })),
    'archive.read': async ({ plan }: Parsed<'archive.read'>) => {
      const { fields, problems } = (await archivesOf(workspace)).read(plan);
      return { fields: fields === null ? null : { ...fields }, problems: [...problems] };
    },
    'archive.schema': async ({ kind, ...options }: Parsed<'archive.schema'>) => {
      const { statements, collector, dashboard } = (await archivesOf(workspace)).schema(kind, options);
      return { statements: [...statements], collector, dashboard };
    },
    'archive.test': async function* (
      { plan }: Parsed<'archive.test'>,
      { signal }: CallContext,
    ): AsyncGenerator<FeedTest> {
      const stop = new AbortController();
      onAbort(signal, () => stop.abort(new Error('stopped')));
      let passed = true;
      try {
        const archive = await (await archivesOf(workspace)).open(plan);
        const name = archive.address;
        for await (const check of archive.test(stop.signal)) {
          passed &&= check.passed;
          yield { kind: 'check', feed: 0, name, check };
        }
        yield { kind: 'tested', feed: 0, name, passed };
      } finally {
        stop.abort(new Error('stopped'));
      }
    },
    'archive.pull': async function* (input: Parsed<'archive.pull'>, context: CallContext): AsyncGenerator<PullEvent> {
      const cancel = new AbortController();
      onAbort(context.signal, () => cancel.abort(new Error('cancelled')));
      const done = await workspace.beginImport(cancel.signal);
      try {
        for await (const event of runPull(workspace, input, cancel.signal)) {
          if (event.kind === 'source') workspace.changes.notify('rows', context.window);
          yield event;
        }
      } finally {
        cancel.abort(new Error('cancelled'));
        done();
        workspace.changes.notify('rows', context.window);
      }
    },
  };
}

/** Pulls into the open case or a new one; an empty new case is removed. */
async function* runPull(
  workspace: Workspace,
  input: Parsed<'archive.pull'>,
  signal: AbortSignal,
): AsyncGenerator<PullEvent, void, void> {
  const { reader, storage, now } = workspace.dependencies;
  const { services, where, from_ns, until_ns } = input;
  const archive = await (await archivesOf(workspace)).open(input.plan);
  const before = input.new_case ? undefined : workspace.current();
  let opened = before;
  let isEmpty = before === undefined;
  const openCase = async (): Promise<OpenCase> => {
    const name = `${archive.kind}-${formatUtc(nanos(from_ns)).slice(0, 10)}`;
    opened ??= await workspace.replace(() => storage.create(name), signal);
    return opened;
  };
  const rejected = new MostlyRejected(input.keep, workspace.importPrompts, signal);
  const run: SourceRun = { openCase, reader, signal, rejected, force: false, now };
  const state = { progress: new Progress(0), identities: undefined, onCommitted: () => undefined };
  const window = { from_ns, until_ns };
  const job = {
    archive,
    selection: { services, where },
    window,
    isOnlyPlan: input.only_plan,
    opened: before,
    run,
    state,
  };
  for await (const event of pull(job)) {
    if (event.kind === 'source') isEmpty = false;
    yield event;
  }
  if (isEmpty && opened) await workspace.discard(opened);
}
