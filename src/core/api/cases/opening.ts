import type { CallContext, OpeningEvent, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Opening } from '../../../model/storage/case-storage.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { streamEvents } from '../stream-events.ts';
import type { Workspace } from '../workspace.ts';

/** Opening a case that is there, or came as a bundle. */
export function openingHandlers(workspace: Workspace, { storage, files }: Pick<ApiDependencies, 'storage' | 'files'>) {
  const open = async ({ handle, recent }: Parsed<'case.open'>, opening?: Opening) => {
    if (handle !== undefined)
      return (await workspace.open(() => storage.open(files.path(handle), opening), opening)).info();
    if (recent !== undefined) return (await workspace.open(() => storage.openRecent(recent), opening)).info();
    return fail('request.invalid', 'case.open needs a handle or a recent case');
  };
  return {
    'case.open': (input: Parsed<'case.open'>) => open(input),
    'case.load': (input: Parsed<'case.load'>, context: CallContext) =>
      streamEvents<OpeningEvent>(context, async (emit, signal) => {
        const opening: Opening = {
          signal,
          onProgress: (stage, done, total) => emit({ kind: 'progress', stage, done, total }),
          onPreview: (preview) => emit({ kind: 'preview', ...preview }),
        };
        const info = await open(input, opening);
        workspace.changes.called('case.open', context.window);
        emit({ kind: 'opened', info });
      }),
  };
}
