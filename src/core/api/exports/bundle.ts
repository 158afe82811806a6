import type {
  BundleEvent,
  BundleOrder,
  CallContext,
  IncidentView,
  Output,
  Parsed,
} from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { BundleExcerpt, TableFile } from '../../../model/storage/bundle.ts';
import type { BundleFiles, BundleHead, BundleWork, Redacted } from '../../../model/storage/bundle-files.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import { readExcerpt, writeExcerpt } from '../../store/case-file/excerpt.ts';
import { bundleSelects } from '../../store/copies/bundle-tables.ts';
import { cutConditions, finishCut } from '../../store/copies/cut-case.ts';
import { SCHEMA_VERSION } from '../../store/tables/index.ts';
import { OpenCase } from '../cases/open-case.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { listIncidents } from '../incidents/investigation.ts';
import { reportOfCase } from '../reports/report.ts';
import { streamEvents } from '../stream-events.ts';
import type { Workspace } from '../workspace.ts';
import { changedVerdicts, keyOf, widenCut } from './bundle-cut.ts';

/** Names of a preview. */
const MOST_SHOWN = 2000;

/** Bundles of the open case. */
export function bundleHandlers(workspace: Workspace, { bundles, host, files, version }: ApiDependencies) {
  const required = (): BundleFiles =>
    bundles ??
    fail('bundle.no_files', 'bundles are not written here', { hint: 'use the desktop app or the command line' });
  return {
    'bundle.preview': async (
      { cut, redact }: Parsed<'bundle.preview'>,
      { signal }: CallContext,
    ): Promise<Output<'bundle.preview'>> => {
      const opened = workspace.required();
      const whole = await countRows(opened, {});
      const rows = cut === null ? whole : await countRows(opened, cutConditions(await widened(opened, cut)));
      if (redact === null) return { rows, rows_of_case: whole, redaction: null };
      const work = { signal: signal ?? new AbortController().signal, onProgress: () => undefined };
      const { pairs, samples } = await required().redact(opened.stored.engine, redact, true, work);
      const names = pairs.slice(0, MOST_SHOWN).map((pair) => ({ ...pair }));
      const redaction = { names, names_total: pairs.length, samples: samples.map((sample) => ({ ...sample })) };
      return { rows, rows_of_case: whole, redaction };
    },
    'bundle.write': (input: Parsed<'bundle.write'>, context: CallContext): AsyncGenerator<BundleEvent> =>
      streamEvents(context, async (emit, signal) => {
        const own = required();
        const opened = workspace.required();
        const target = await host.bundleTarget?.(`${opened.stored.name}.flb`);
        if (!target) return fail('bundle.no_files', 'this host has no place for a bundle');
        const work: BundleWork = {
          signal,
          onProgress: (stage, done, total) => emit({ kind: 'progress', stage, done, total }),
        };
        const write = async (): Promise<void> => {
          const made = await makeBundle(opened, workspace, { order: input, bundles: own, work });
          const key = target.key ?? input.sign;
          const head: BundleHead = { ...made.head, app_version: version };
          const sealed = await own.seal({ path: target.path, key }, { ...made, head }, work);
          await made.end();
          const rows = made.tables.reduce((sum, table) => sum + table.rows, 0);
          const { handle, name } = await files.register(target.path);
          emit({
            kind: 'done',
            name,
            rows,
            ...sealed,
            changed: made.changed,
            download: target.download ? handle : null,
          });
        };
        await opened.exports.take(() => write().finally(() => own.clear(opened.stored.engine)), signal);
      }),
  };
}

const widened = async (opened: OpenCase, cut: NonNullable<BundleOrder['cut']>) =>
  widenCut(opened, cut, await listIncidents(opened));

async function countRows(
  opened: OpenCase,
  conditions: Readonly<Record<string, string>>,
): Promise<Record<string, number>> {
  return opened.withSession(async (session) => {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(cutConditions({ from_ns: null, to_ns: null, entities: null }))) {
      const where = conditions[table] ?? 'true';
      const found = await session.query(`select count(*)::double from ${table} t where ${where}`);
      counts[table] = firstNumber(found);
    }
    return counts;
  });
}

interface MadeBundle {
  readonly tables: readonly TableFile[];
  readonly report: string;
  readonly head: Omit<BundleHead, 'app_version'>;
  readonly changed: string[];
  /** Called when the tables have been read. */
  end(): Promise<void>;
}

interface Making {
  readonly order: BundleOrder;
  readonly bundles: BundleFiles;
  readonly work: BundleWork;
}

/** A whole case is written directly; a cut goes through a temporary case, which is analysed as the recipient will. */
async function makeBundle(opened: OpenCase, desk: Workspace, making: Making): Promise<MadeBundle> {
  const { order, bundles, work } = making;
  const { version } = desk.dependencies;
  if (order.cut === null && order.redact === null) {
    const selects = await opened.withSession((session) => bundleSelects(session));
    const text = await reportOfCase(opened, version);
    const tables = await bundles.writeTables(opened.stored.engine, selects, work);
    return { tables, report: text, head: await headOf(opened), changed: [], end: async () => undefined };
  }
  const { staged, redacted } = await stagePart(opened, desk, making);
  try {
    work.onProgress('judging', 0, 1);
    const selects = await staged.withSession((session) => bundleSelects(session));
    const before = await concerned(opened, order.cut);
    if (redacted) await renumber(staged, before, redacted);
    const text = await reportOfCase(staged, version);
    const changed = changedVerdicts(before, await listIncidents(staged), redacted?.replace);
    const tables = await bundles.writeTables(staged.stored.engine, selects, work);
    const head = await headOf(staged);
    await redacted?.assertGone(tables, { 'report.md': text, 'manifest.json': JSON.stringify(head, null, 2) });
    return { tables, report: text, head, changed, end: () => staged.close() };
  } catch (error) {
    await staged.close();
    throw error;
  }
}

/** Incidents within the cut, which should have equal results. */
async function concerned(opened: OpenCase, cut: BundleOrder['cut']) {
  const names = cut?.entities && new Set(cut.entities);
  return (await listIncidents(opened)).filter(
    ({ start_ns, end_ns, service, steps }) =>
      (cut?.from_ns == null || end_ns >= cut.from_ns) &&
      (cut?.to_ns == null || start_ns <= cut.to_ns) &&
      (!names || [service, `service:${service}`, ...steps.map(({ device }) => device)].some((one) => names.has(one))),
  );
}

async function stagePart(opened: OpenCase, desk: Workspace, { order: { cut, redact }, bundles, work }: Making) {
  const part = cut === null ? null : await widened(opened, cut);
  const selects = await opened.withSession((session) => bundleSelects(session, part ? cutConditions(part) : {}));
  const tables = await bundles.writeTables(opened.stored.engine, selects, work);
  const stored = await bundles.stage(opened.stored.name, SCHEMA_VERSION, tables);
  const staged = await OpenCase.from(stored, desk);
  try {
    if (part !== null) await staged.withSession((session) => finishCut(session, part));
    const redacted = redact === null ? null : await bundles.redact(stored.engine, redact, false, work);
    await staged.withSession(async (session) => {
      await writeExcerpt(session, await excerptOf(opened, cut, redacted));
      if (redacted) await session.query("update meta set value = $1 where key = 'name'", [redacted.case]);
    });
    staged.changed();
    return { staged: redacted ? staged.named(redacted.case) : staged, redacted };
  } catch (error) {
    await staged.close();
    throw error;
  }
}

/** Judgements refer to incidents by ids that contain names. */
async function renumber(staged: OpenCase, before: readonly IncidentView[], { replace }: Redacted): Promise<void> {
  const now = new Map((await listIncidents(staged)).map((view) => [keyOf(view), view.incident.id]));
  await staged.withSession(async (session) => {
    for (const { incident, service, onset_ns } of before) {
      const id = now.get(keyOf({ service: replace(service), onset_ns })) ?? 'unknown';
      await session.query('update annotation set body = replace(body, $1, $2), text = replace(text, $1, $2)', [
        incident.id,
        id,
      ]);
    }
  });
}

/** Including earlier cuts. */
async function excerptOf(opened: OpenCase, cut: BundleOrder['cut'], redacted: Redacted | null): Promise<BundleExcerpt> {
  const before = await opened.withSession(readExcerpt);
  const text = (time: bigint | null | undefined, otherwise: string | null | undefined): string | null =>
    time == null ? (otherwise ?? null) : String(time);
  const entities = cut?.entities ?? before?.entities ?? null;
  return {
    from_ns: text(cut?.from_ns, before?.from_ns),
    to_ns: text(cut?.to_ns, before?.to_ns),
    entities: entities?.map((name) => redacted?.replace(name) ?? name) ?? null,
    redacted: redacted !== null || (before?.redacted ?? false),
  };
}

async function headOf(opened: OpenCase): Promise<Omit<BundleHead, 'app_version'>> {
  const text = (time: bigint | null): string | null => (time === null ? null : String(time));
  return {
    schema_version: SCHEMA_VERSION,
    case: opened.stored.name,
    excerpt: await opened.withSession(readExcerpt),
    sources: (await opened.sources()).map((source) => ({
      source_id: source.source_id,
      name: source.name,
      format: source.format,
      digest: source.digest,
      bytes: source.bytes,
      rejects: source.rejects,
      first_ns: text(source.first_ns),
      last_ns: text(source.last_ns),
      clock_offset_ns: String(source.clock_offset_ns),
      clock_uncertainty_ns: String(source.clock_uncertainty_ns),
    })),
  };
}
