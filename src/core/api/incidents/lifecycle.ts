import type { CallContext, LifeView, Output, Parsed } from '../../../model/contract/index.ts';
import { eventLives, type RepairEvent, untreatedOf, withEvents } from '../../analysis/lifecycle/event-lives.ts';
import { type Life, waitsOf } from '../../analysis/lifecycle/life.ts';
import type { RepairSpan } from '../../analysis/lifecycle/repair-span.ts';
import { programNames, stageEvents } from '../../analysis/lifecycle/stages.ts';
import { tracedLife } from '../../analysis/lifecycle/traced-life.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';

/** A thousand repairs of a hundred spans. */
const MOST_SPANS = 100_000;
const MOST_EVENTS = 100_000;
const MOST_UNTREATED = 200;

/** Lifecycles of health events. */
export function lifecycleHandlers(workspace: Workspace) {
  return {
    'lifecycle.list': (
      { start_ns, end_ns }: Parsed<'lifecycle.list'>,
      { signal }: CallContext,
    ): Promise<Output<'lifecycle.list'>> =>
      workspace.required().withSession(async (session) => {
        const window = [start_ns, end_ns] as const;
        const runQuery = async <T>(sql: string, names: readonly string[], most: number): Promise<T[]> =>
          rowsOf<T>(await session.query(sql, [...window, listText(names), BigInt(most)], signal));
        const spans = await runQuery<SpanRow>(queries.repairSpans, programNames, MOST_SPANS);
        const events = await runQuery<RepairEvent>(queries.repairEvents, stageEvents, MOST_EVENTS);
        const traces = Map.groupBy(spans.slice(0, MOST_SPANS).map(toSpan), ({ trace_id }) => trace_id);
        const traced = [...traces.values()].flatMap((own) => tracedLife(own) ?? []);
        const { lives, left } = withEvents(traced, events.slice(0, MOST_EVENTS));
        const all = [...lives, ...eventLives(left)].sort((a, b) => (a.start_ns < b.start_ns ? -1 : 1));
        const untreated = untreatedOf(left).sort((a, b) => (a.start_ns < b.start_ns ? -1 : 1));
        return {
          lives: all.map(toView),
          untreated: untreated.slice(0, MOST_UNTREATED),
          untreated_count: untreated.length,
          truncated: spans.length > MOST_SPANS || events.length > MOST_EVENTS,
        };
      }),
  };
}

type SpanRow = Omit<RepairSpan, 'attributes'> & { readonly attributes: string };

function toSpan({ attributes, ...span }: SpanRow): RepairSpan {
  const read: unknown = JSON.parse(attributes);
  return { ...span, attributes: typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {} };
}

const toView = (life: Life): LifeView => ({
  ...life,
  steps: life.steps.map((step) => ({ ...step })),
  waits: waitsOf(life.steps).map((wait) => ({ ...wait })),
});
