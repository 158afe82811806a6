import type { CallContext, OpeningEvent, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Opening } from '../../../model/storage/case-storage.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Desk } from '../desk.ts';
import { told } from '../told.ts';

/** Opening a case that is there, or came as a bundle. */
export function openingHandlers(desk: Desk, { storage, files }: Pick<ApiDependencies, 'storage' | 'files'>) {
  const open = async ({ handle, recent }: Parsed<'case.open'>, opening?: Opening) => {
    if (handle !== undefined) return (await desk.open(() => storage.open(files.path(handle), opening), opening)).info();
    if (recent !== undefined) return (await desk.open(() => storage.openRecent(recent), opening)).info();
    return fail('request.invalid', 'case.open needs a handle or a recent case');
  };
  return {
    'case.open': (input: Parsed<'case.open'>) => open(input),
    'case.load': (input: Parsed<'case.load'>, context: CallContext) =>
      told<OpeningEvent>(context, async (tell, signal) => {
        const opening: Opening = {
          signal,
          onProgress: (stage, done, total) => tell({ kind: 'progress', stage, done, total }),
          onPreview: (preview) => tell({ kind: 'preview', ...preview }),
        };
        const info = await open(input, opening);
        desk.changes.called('case.open', context.window);
        tell({ kind: 'opened', info });
      }),
  };
}
