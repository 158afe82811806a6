import type { Output, Parsed } from '../../../model/contract/index.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import type { Engine } from '../../../model/storage/engine.ts';
import { withReadable } from '../../store/case-file/readable-annotations.ts';
import {
  markLost,
  type Readable,
  readableConditions,
  readableSources,
} from '../../store/case-file/readable-sources.ts';
import { bundleSelects } from '../../store/copies/bundle-tables.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Workspace } from '../workspace.ts';

/** Saves the readable part of a damaged case as a new one. */
export function repairHandlers(
  workspace: Workspace,
  { storage, bundles, files }: Pick<ApiDependencies, 'storage' | 'bundles' | 'files'>,
) {
  /** The tables of what is readable, as those of a bundle that is opened. */
  const tablesOf = async (engine: Engine, readable: Readable, into: Engine) => {
    if (!bundles) return fail('case.no_repair', 'cases are not repaired here', { hint: 'use the command line' });
    const work = { signal: new AbortController().signal, onProgress: () => undefined };
    const session = await engine.session();
    try {
      const selects = (await bundleSelects(session, readableConditions(readable))).map((select) =>
        withReadable(select, readable.annotations),
      );
      return await bundles.moveTables(into, await bundles.writeTables(engine, selects, work));
    } finally {
      session.close();
    }
  };
  return {
    'case.repair': async ({ handle }: Parsed<'case.repair'>): Promise<Output<'case.repair'>> => {
      const path = files.path(handle);
      const salvaged = await storage.salvage?.(path);
      if (!salvaged) return fail('case.no_repair', 'cases are not repaired here', { hint: 'use the command line' });
      let { engine } = salvaged;
      const reopen = async () => {
        engine = await salvaged.reopen();
        return engine;
      };
      try {
        const { readable } = await readableSources(engine, reopen);
        const made = workspace.open(async () => {
          const aside = await storage.create(`${nameOf(path)}-repaired`, { aside: true });
          const tables = await tablesOf(engine, readable, aside.engine);
          return { ...aside, bundle: { schema_version: readable.schema_version, tables } };
        });
        const opened = await made.catch(ofCase);
        await opened.withSession((session) => markLost(session, readable));
        await opened.derive();
        const lost = readable.lost.map(({ name, digest, bytes }) => ({ name, digest, bytes: Number(bytes) }));
        const { log_lost } = salvaged;
        return { info: await opened.info(), lost, log_lost, annotations_lost: readable.annotations.lost };
      } finally {
        await engine.close().catch(() => undefined);
        await salvaged.remove();
      }
    },
  };
}

/** Its tables are loaded like a bundle's; errors in them are errors of the case. */
function ofCase(error: unknown): never {
  if (!(error instanceof ProblemError && error.problem.code === 'bundle.damaged')) throw error;
  const why = error.problem.message.replace(/^[^:]*: /, '');
  return fail('case.beyond_repair', `no part of this case can be recovered: ${why}`, {
    hint: 'open its bundle if you have one, or import its files again',
  });
}

const nameOf = (path: string): string =>
  (
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? ''
  ).replace(/\.faultline$/, '') || 'case';
