import {
  type Api,
  type CallContext,
  contract,
  MOST_REASONS,
  type Output,
  type Parsed,
  type ProcedureName,
} from '../../model/contract/index.ts';
import type { DemoScenario } from '../../model/demo-scenario.ts';
import { fail } from '../../model/problem.ts';
import { hostAbilities } from '../../model/storage/host-ability.ts';
import { bundledMechanisms } from '../analysis/causality/mechanisms.ts';
import { readAnnotations } from '../store/case-file/annotations.ts';
import { rowsOf } from '../store/case-file/case-file.ts';
import { createReader } from '../store/facts/reader.ts';
import { queries } from '../store/queries/index.ts';
import { captureHandlers } from './captures/capture.ts';
import { capturePlanHandlers } from './captures/capture-plans.ts';
import { liveCaptureHandlers } from './captures/live-capture-handlers.ts';
import { withBadValues } from './cases/bad-values.ts';
import { diagnosticsText } from './cases/diagnostics.ts';
import { nameHandlers } from './cases/names.ts';
import type { OpenCase } from './cases/open-case.ts';
import { openDemo } from './cases/open-demo.ts';
import { openingHandlers } from './cases/opening.ts';
import { ratesHandlers } from './cases/rates.ts';
import { repairHandlers } from './cases/repair.ts';
import { summariseCase } from './cases/summarise-case.ts';
import type { ApiDependencies } from './dependencies.ts';
import { readEvidence } from './evidence/evidence.ts';
import { search } from './evidence/search.ts';
import { bundleHandlers } from './exports/bundle.ts';
import { exportHandlers } from './exports/export.ts';
import { fleetHandlers } from './fleet/fleet-handlers.ts';
import { gpuHandlers } from './gpus/gpus.ts';
import { importHandlers } from './imports/import-handlers.ts';
import { annotationHandlers } from './incidents/annotations.ts';
import { differenceHandlers } from './incidents/differences.ts';
import { correlate, listIncidents, renderCorrelation, renderTelemetry, whatIf } from './incidents/investigation.ts';
import { lifecycleHandlers } from './incidents/lifecycle.ts';
import { noticeHandlers } from './incidents/notices.ts';
import { patternHandlers } from './incidents/patterns.ts';
import { jobHandlers } from './jobs/jobs.ts';
import { timelineHandlers } from './lanes/timeline.ts';
import { logHandlers } from './logs/logs.ts';
import { partsHandlers } from './parts/parts.ts';
import { pullHandlers } from './pulls/pull-handlers.ts';
import { reportHandlers } from './reports/report.ts';
import { sqlHandlers } from './sql/sql.ts';
import { feedsOf } from './topology/feeds.ts';
import { readTopology } from './topology/topology.ts';
import { costsHandlers } from './traces/costs.ts';
import { readTrace } from './traces/trace.ts';
import { traceAboutHandlers } from './traces/trace-about.ts';
import { readTraceGroup } from './traces/trace-group.ts';
import { tracesHandlers } from './traces/traces.ts';
import { Workspace } from './workspace.ts';

type Handlers = {
  readonly [N in ProcedureName]: (input: Parsed<N>, context: CallContext) => ReturnType<Api[N]>;
};

export interface CreatedApi {
  readonly api: Api;
  /** Ends a capture in order, too. */
  close(): Promise<void>;
  /** Whether a window's capture runs, which closing would end. */
  isRecording(): boolean;
}

/** The core behind the windows of one host, or one command: at most one case is open at a time. */
export function createApi(dependencies: ApiDependencies): CreatedApi {
  const workspace = new Workspace(dependencies);
  const handlers: Handlers = {
    ...caseHandlers(workspace, dependencies),
    ...queryHandlers(workspace, dependencies),
    ...bundleHandlers(workspace, dependencies),
    ...exportHandlers(workspace, dependencies),
  };
  const api = Object.fromEntries(
    (Object.keys(contract) as ProcedureName[]).map((name) => [
      name,
      checked(name, notifyOtherWindows(workspace, name, handlers[name])),
    ]),
  ) as unknown as Api;
  return { api, close: () => workspace.closeAll(), isRecording: () => workspace.live.isRunning };
}

/** Changes by a call are emitted to the other windows when it is done. */
function notifyOtherWindows<N extends ProcedureName>(workspace: Workspace, name: N, handler: Handlers[N]) {
  return (input: unknown, context: CallContext): unknown => {
    const answer: unknown = handler(input as never, context);
    if (answer instanceof Promise)
      answer.then(() => workspace.changes.called(name, context.window)).catch(() => undefined);
    return answer;
  };
}

/** No input reaches a handler unchecked, whichever host or window it came from. */
function checked(name: ProcedureName, handler: (input: unknown, context: CallContext) => unknown) {
  return (input: unknown, context: CallContext = {}): unknown => {
    const parsed = contract[name].input.safeParse(input ?? {});
    if (parsed.success) return withBadValues(handler(parsed.data, context));
    const issue = parsed.error.issues[0];
    return fail('request.invalid', `${name}: ${issue?.path.join('.') || 'input'}: ${issue?.message ?? 'invalid'}`);
  };
}

function caseHandlers(desk: Workspace, dependencies: ApiDependencies) {
  const { host, version, storage, bundles, reader, files } = dependencies;
  return {
    'app.diagnostics': async () => ({ text: await diagnosticsText(desk, dependencies) }),
    'app.info': async () => ({
      name: 'Faultline',
      version,
      host: host.kind,
      abilities: [...(host.abilities ?? hostAbilities)],
      formats: reader.formats.map((format) => ({ ...format, leaves_open: [...format.leaves_open] })),
    }),
    'files.pick': async ({ purpose }: Parsed<'files.pick'>) =>
      Promise.all((await host.pickFiles(purpose)).map((path) => files.register(path))),
    'files.save': async ({ suggested_name, content }: Parsed<'files.save'>) => ({
      saved: (await host.saveFile(suggested_name, content))?.name ?? null,
    }),
    'app.new_window': async () => {
      host.openWindow?.();
      return { opened: host.openWindow !== undefined };
    },
    'case.changes': (_: object, { window, signal }: CallContext) => desk.changes.follow(window, signal),
    'case.current': async () => (await desk.current()?.info()) ?? null,
    'clocks.list': async () => desk.required().clocks(),
    'case.recent': async () => [...(await storage.recent())],
    'case.forget_recent': async ({ recent }: Parsed<'case.forget_recent'>) => {
      await storage.forgetRecent?.(recent);
      return {};
    },
    ...openingHandlers(desk, { storage, files }),
    ...repairHandlers(desk, { storage, files, ...(bundles && { bundles }) }),
    'case.open_demo': ({ scenario }: { readonly scenario: DemoScenario | null }, { signal }: CallContext) =>
      openDemo(desk, scenario, signal),
    'case.close': async () => {
      await desk.close();
      return {};
    },
    ...importHandlers(desk, { reader, files }),
    ...pullHandlers(desk),
    ...fleetHandlers(desk),
    ...captureHandlers(desk),
    ...capturePlanHandlers(desk),
    ...liveCaptureHandlers(desk),
    ...nameHandlers(desk),
    ...annotationHandlers(desk, async (opened) => describeCase(opened, await listIncidents(opened), storage)),
  };
}

function queryHandlers(
  desk: Workspace,
  { now, host, storage, version, mechanismsPlace = 'mechanisms.yaml' }: ApiDependencies,
) {
  return {
    'rejects.list': async ({ source_id, offset, limit }: Parsed<'rejects.list'>) => {
      const opened = desk.required();
      const { sources } = await opened.info();
      const total = sources
        .filter((source) => source_id === null || source.source_id === source_id)
        .reduce((sum, source) => sum + source.rejects, 0);
      type Rejects = Output<'rejects.list'>;
      const [rows, reasons] = await opened.withSession(async (session) => [
        rowsOf<Rejects['rows'][number]>(
          await session.query(queries.rejects, [source_id, BigInt(limit), BigInt(offset)]),
        ),
        rowsOf<Rejects['reasons'][number]>(
          await session.query(queries.rejectReasons, [source_id, BigInt(MOST_REASONS)]),
        ),
      ]);
      return { total, reasons, rows: rows.map((row) => ({ ...row, at: Number(row.at) })) };
    },
    ...timelineHandlers(desk),
    ...sqlHandlers(desk),
    ...gpuHandlers(desk),
    ...jobHandlers(desk),
    ...lifecycleHandlers(desk),
    ...partsHandlers(desk),
    ...differenceHandlers(desk),
    ...logHandlers(desk),
    ...tracesHandlers(desk),
    ...traceAboutHandlers(desk),
    ...costsHandlers(desk),
    ...noticeHandlers(desk),
    ...patternHandlers(desk),
    ...reportHandlers(desk, { version, host }),
    ...ratesHandlers(desk),
    'trace.get': async (input: Parsed<'trace.get'>, { signal }: CallContext) =>
      desk.required().withSession((session) => readTrace(session, input, signal)),
    'trace.story': async (input: Parsed<'trace.story'>, { signal }: CallContext) => {
      const opened = desk.required();
      return opened.withSession((own) =>
        opened.withSession((second) => readTraceGroup({ own, second }, input, signal)),
      );
    },
    search: async (input: Parsed<'search'>, { signal }: CallContext) =>
      desk.required().withSession((session) => search(session, input, signal)),
    'topology.get': async (_: object, { signal }: CallContext) => readTopology(desk.required(), signal),
    'evidence.get': async ({ ref }: Parsed<'evidence.get'>) => readEvidence(desk.required(), ref),
    correlate: async (options: Parsed<'correlate'>, { signal }: CallContext) =>
      correlate(desk.required(), options, now(), signal),
    'correlate.render': async (input: Parsed<'correlate.render'>, { signal }: CallContext) => ({
      text: await renderCorrelation(desk.required(), input, { now: now(), version }, signal),
    }),
    'incidents.list': async () => {
      const opened = desk.required();
      const views = await listIncidents(opened);
      await describeCase(opened, views, storage);
      return views;
    },
    'incidents.telemetry': async () => renderTelemetry(desk.required(), version),
    'incidents.whatIf': async (input: Parsed<'incidents.whatIf'>, { signal }: CallContext) =>
      whatIf(desk.required(), input, now(), signal),
    'feeds.list': async () =>
      desk.required().withSession(async (session) => {
        const reader = createReader(session);
        return feedsOf(await reader.entities(), await reader.edges());
      }),
    ...mechanismHandlers(desk, mechanismsPlace),
  };
}

function mechanismHandlers(desk: Workspace, mechanismsPlace: string) {
  return {
    'mechanisms.status': async () => {
      const { origin, hasFile, problem, issues } = await desk.mechanisms.current();
      return { in_use: origin, has_file: hasFile, place: mechanismsPlace, problem, issues: [...issues] };
    },
    'mechanisms.bundled': async () => ({ text: bundledMechanisms }),
  };
}

/** For the list of recent cases; one that cannot be written is only a lost convenience. */
async function describeCase(
  opened: OpenCase,
  views: Output<'incidents.list'>,
  storage: ApiDependencies['storage'],
): Promise<void> {
  const annotations = await opened.withSession(readAnnotations);
  const description = storage.describe?.(opened.stored, summariseCase(await opened.info(), views, annotations));
  await description?.catch(() => undefined);
}
