import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, ImportEvent, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Inspection, InspectProgress } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { removeSources } from '../../store/writer/remove-sources.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { streamEvents } from '../stream-events.ts';
import type { Workspace } from '../workspace.ts';
import { importSources, settleImport } from './import.ts';
import { MostlyRejected } from './import-prompts.ts';
import { describe, ordered } from './inspections.ts';

type InspectEvent = Output<'import.inspect'>;

/** Inspection and import of files. */
export function importHandlers(workspace: Workspace, { reader, files }: Pick<ApiDependencies, 'reader' | 'files'>) {
  const inspect = async (
    handles: readonly string[],
    onProgress: (progress: InspectProgress) => void,
    signal: AbortSignal,
  ): Promise<Inspection> => {
    const dropped = await Promise.all(
      handles.map(async (handle) => ({
        path: files.path(handle),
        name: (await files.register(files.path(handle))).name,
      })),
    );
    return reader.inspect(dropped, onProgress, signal);
  };
  return {
    'import.inspect': ({ handles }: Parsed<'import.inspect'>, context: CallContext): AsyncGenerator<InspectEvent> =>
      streamEvents(context, async (emit, signal) => {
        const inspection = await inspect(handles, (progress) => emit({ kind: 'progress', ...progress }), signal);
        const id = await workspace.inspections.add(inspection);
        emit({ kind: 'found', inspection: id, sources: inspection.sources.map(describe) });
      }),
    'import.columns': (input: Parsed<'import.columns'>, { signal }: CallContext) =>
      readColumns(workspace, reader, input, signal ?? new AbortController().signal),
    'import.discard': async ({ inspection }: Parsed<'import.discard'>) => {
      await workspace.inspections.discard(inspection);
      return {};
    },
    'sources.remove': (input: Parsed<'sources.remove'>, { signal }: CallContext) =>
      removeFromCase(workspace, input, signal ?? new AbortController().signal),
    'import.answer': async ({ question: prompt, keep: keepRejected, rest }: Parsed<'import.answer'>) => {
      workspace.importPrompts.answer(prompt, { keep: keepRejected, rest });
      return {};
    },
    'import.run': async function* (input: Parsed<'import.run'>, context: CallContext): AsyncGenerator<ImportEvent> {
      if (input.inspection === null && input.handles.length === 0)
        fail('request.invalid', 'import.run needs handles or an inspection');
      const cancel = new AbortController();
      onAbort(context.signal, () => cancel.abort(new Error('cancelled')));
      const take = async () =>
        input.inspection === null
          ? inspect(input.handles, () => undefined, cancel.signal)
          : workspace.inspections.take(input.inspection);
      const done = await workspace.beginImport(cancel.signal);
      try {
        for await (const event of runImport(workspace, input, take, cancel.signal)) {
          if (event.kind === 'source') workspace.changes.notify('rows', context.window);
          yield event;
        }
      } finally {
        cancel.abort(new Error('cancelled'));
        done();
        // Derived events, and an empty new case, are known only now.
        workspace.changes.notify('rows', context.window);
      }
    },
  };
}

async function readColumns(
  workspace: Workspace,
  reader: ApiDependencies['reader'],
  { inspection, item, format }: Parsed<'import.columns'>,
  signal: AbortSignal,
): Promise<Output<'import.columns'>> {
  const source = workspace.inspections.get(inspection).sources[item];
  if (!source) return fail('request.invalid', `there is no found source ${item}`);
  const assume = { zone: null, device: null, mapping: null };
  const { columns, mapping, targets } = await reader.columns(
    { name: source.name, files: source.files, format, assume },
    signal,
  );
  return {
    columns: [...columns],
    mapping,
    targets: Object.fromEntries(Object.entries(targets).map(([table, names]) => [table, [...names]])),
  };
}

/** @throws ProblemError source.unknown, capture.running */
async function removeFromCase(
  workspace: Workspace,
  { sources }: Parsed<'sources.remove'>,
  signal: AbortSignal,
): Promise<Record<string, never>> {
  const opened = workspace.required();
  const known = new Set((await opened.sources()).map(({ source_id }) => source_id));
  const unknown = sources.find((id) => !known.has(id));
  if (unknown !== undefined) fail('source.unknown', `this case has no data source ${unknown}`);
  const done = await workspace.beginImport(signal);
  try {
    await opened.withSession((session) => removeSources(session, sources));
    await settleImport(opened);
  } finally {
    done();
  }
  return {};
}

/** Imports what was found, into the open case or a new one; an empty new case is removed. */
async function* runImport(
  desk: Workspace,
  input: Parsed<'import.run'>,
  inspect: () => Promise<Inspection>,
  signal: AbortSignal,
): AsyncGenerator<ImportEvent> {
  const { reader, storage, now } = desk.dependencies;
  let opened = input.new_case ? undefined : desk.current();
  let isNew = false;
  let inspection: Inspection | undefined;
  try {
    inspection = await inspect();
    const sources = ordered(inspection.sources, input.choices, input);
    const openCase = async () => {
      if (opened) return opened;
      opened = await desk.replace(() => storage.create(caseName(sources, now())), signal);
      isNew = true;
      return opened;
    };
    const rejected = new MostlyRejected(input.keep || undefined, desk.importPrompts, signal);
    for await (const event of importSources({ openCase, reader, sources, signal, rejected, force: input.force, now })) {
      if (event.kind === 'source') isNew = false;
      yield event;
    }
    // Not if the caller abandoned it: a window may already show the case.
    if (isNew && opened) await desk.discard(opened);
  } finally {
    await inspection?.close();
  }
}

/**
 * `bundle/node-3/dmesg.txt` -> `bundle`, `events.json` -> `events`; with several origins the case is named by date,
 * `case-2026-11-21`.
 */
function caseName(sources: readonly { readonly name: string }[], now: bigint): string {
  const places = new Set(sources.map(({ name }) => name.split('/')[0]!));
  const [only] = places;
  const name = places.size === 1 ? only?.replace(/(?:\.tar)?\.[^.]*$/, '') : '';
  return name || `case-${formatUtc(nanos(now)).slice(0, 10)}`;
}
