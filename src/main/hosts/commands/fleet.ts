import type { LogTemplates, Output } from '../../../model/contract/index.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { type ArchiveWindow, archiveSelection, archiveWindow, archiveWindowOptions } from '../archive-window.ts';
import { eventsText, gpusText } from '../fleet-texts.ts';
import { foundTracesTable, isMetric, METRIC_BUCKETS, metricTable, pointed } from '../found-traces.ts';
import { lengthOf } from '../length-of-time.ts';
import { readPlan } from '../plan-tests.ts';
import { timeOption } from '../time-option.ts';
import {
  type Command,
  type Core,
  type Invocation,
  number,
  oneOf,
  positional,
  shown,
  text,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/fleet.ts';
import { messages as traces } from './messages/traces.ts';

export const fleetCommand: Command = {
  name: 'fleet',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    ...archiveWindowOptions,
    at: { type: 'string' },
    around: { type: 'string' },
    buckets: { type: 'string' },
    parts: { type: 'boolean' },
    before: { type: 'string' },
    incident: { type: 'string' },
    order: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const plan = await readPlan(positional(invocation, 0, 'ARCHIVE.yaml'));
    const name = positional(invocation, 1, 'a question');
    if (name === 'similar') return similar(plan, invocation);
    if (name === 'events') return events(plan, invocation);
    const ask = questions[name];
    if (!ask) throw new UsageError(messages.unknownQuestion(name));
    const asked = { plan, ...archiveWindow(invocation, { isAnyTime: name === 'trace' }) };
    await withCore(invocation, undefined, (core) => ask(core, asked, invocation));
  },
};

interface Asked extends ArchiveWindow {
  readonly plan: string;
}

type Ask = (core: Core, asked: Asked, invocation: Invocation) => Promise<void>;

const questions: Readonly<Record<string, Ask>> = {
  impacts: async ({ api }, asked, invocation) => {
    const parts = invocation.values['parts'] === true;
    const found = await api['fleet.impacts']({ ...asked, parts }, { signal: invocation.terminal.signal });
    print(invocation, found, impactsText);
  },
  traces: async ({ api }, asked, invocation) => {
    const query = positional(invocation, 2, 'TRACEQL');
    const order = oneOf(invocation, 'order', ['slowest', 'earliest', 'most_matched'], 'slowest');
    const { signal } = invocation.terminal;
    if (isMetric(query)) {
      const buckets = number(invocation, 'buckets') ?? METRIC_BUCKETS;
      const metric = await pointed(query, () => api['fleet.metric']({ ...asked, query, buckets }, { signal }));
      return print(invocation, { query, ...metric }, metricTable);
    }
    const input = { ...asked, query, order, limit: number(invocation, 'limit') ?? 100 };
    const found = await pointed(query, () => api['fleet.traces'](input, { signal }));
    print(invocation, { query, ...found }, foundTracesTable);
    if (found.truncated)
      invocation.terminal.err(`faultline: ${traces.truncated(found.traces.length, found.trace_count, order)}\n`);
  },
  trace: async ({ api }, asked, invocation) => {
    const trace_id = positional(invocation, 2, 'TRACE_ID');
    const { signal } = invocation.terminal;
    print(invocation, await api['fleet.trace']({ ...asked, trace_id }, { signal }), traceText);
  },
  gpus: async ({ api }, asked, invocation) => {
    const buckets = number(invocation, 'buckets');
    const input = { ...asked, ...(buckets !== null && { buckets }) };
    print(invocation, await api['fleet.gpus'](input, { signal: invocation.terminal.signal }), gpusText);
  },
  logs: async ({ api }, asked, invocation) => {
    const before_s = lengthOption(invocation, 'before');
    const input = { ...asked, ...(before_s !== undefined && { before_s }) };
    print(invocation, await api['fleet.logs'](input, { signal: invocation.terminal.signal }), logsText);
  },
};

/** Whole seconds; undefined: it is left out. */
function lengthOption(invocation: Invocation, name: string): number | undefined {
  const given = text(invocation, name);
  const length_s = given === null ? undefined : lengthOf(given);
  if (length_s === null) throw new UsageError(messages.invalidLength(name, given ?? ''));
  return length_s === undefined ? undefined : Math.round(length_s);
}

async function events(plan: string, invocation: Invocation): Promise<void> {
  const at_ns = timeOption(invocation, 'at');
  if (at_ns === null) throw new UsageError(common.missing('--at'));
  const [around_s, limit] = [lengthOption(invocation, 'around'), number(invocation, 'limit')];
  const input = {
    plan,
    at_ns,
    ...archiveSelection(invocation),
    ...(around_s !== undefined && { around_s }),
    ...(limit !== null && { limit }),
  };
  await withCore(invocation, undefined, async (core) => {
    const found = await core.api['fleet.events'](input, { signal: invocation.terminal.signal });
    print(invocation, found, (answer) => eventsText(answer, at_ns));
  });
}

function print<T>({ values, terminal }: Invocation, found: T, asText: (found: T) => string): void {
  terminal.out(values['json'] ? toJson(found) : asText(found));
}

async function similar(plan: string, invocation: Invocation): Promise<void> {
  const path = positional(invocation, 2, 'CASE');
  const incident = text(invocation, 'incident');
  await withCore(invocation, undefined, async (core) => {
    await core.openCase(path);
    const { signal } = invocation.terminal;
    print(invocation, await core.api['fleet.similar']({ plan, incident }, { signal }), similarText);
  });
}

function similarText({ incidents }: Output<'fleet.similar'>): string {
  const texts = messages.similar;
  if (incidents.length === 0) return `${texts.noIncidents}\n`;
  const causeText = (cause: string): string => (cause === '' ? texts.unknownCause : shown(cause));
  const lines = incidents.flatMap(({ start_ns, impacted, cause, past }) => [
    texts.incident(formatUtc(nanos(start_ns)), shown(impacted), causeText(cause)),
    ...(past.length === 0 ? [texts.none] : []),
    ...past.flatMap((one) => [
      texts.past(
        common.percent(Math.round(100 * one.likeness)),
        formatUtc(nanos(one.start_ns)),
        shown(one.impacted),
        causeText(one.cause),
        shown(one.verdict),
      ),
      texts.from(shown(one.title), shown(one.case), shown(one.incident)),
      texts.alike(one.alike.join(', ')),
      ...one.actions.map(({ text: action, done }) => texts.action(done, shown(action))),
    ]),
  ]);
  return `${lines.join('\n')}\n`;
}

type FleetImpact = Output<'fleet.impacts'>['impacts'][number];

const figure = (value: number | null): string => (value === null ? messages.impacts.unknown : String(value));
const change = (before: number | null, worst: number | null): string =>
  before === null && worst === null ? '' : messages.impacts.change(figure(before), figure(worst));

const titles = messages.impacts.columns;
const impactColumns: readonly Column<FleetImpact>[] = [
  [titles.times, ({ times_worse }) => String(times_worse), 'right'],
  [titles.start, ({ start_ns }) => formatUtc(nanos(start_ns)), 'left'],
  [titles.end, ({ end_ns }) => formatUtc(nanos(end_ns)), 'left'],
  [titles.p99, ({ impact }) => change(impact.p99_baseline_ms, impact.p99_peak_ms), 'left'],
  [titles.errors, ({ impact }) => change(impact.error_rate_baseline_percent, impact.error_rate_peak_percent), 'left'],
  [titles.rate, ({ impact }) => change(impact.throughput_baseline_rps, impact.throughput_peak_rps), 'left'],
  [
    messages.impacts.what,
    ({ service, parts }) => shown(impactedText({ affected_services: [service], affected_parts: parts })),
    'left',
  ],
];

function impactsText({ impacts, services, requests }: Output<'fleet.impacts'>): string {
  const lines = impacts.length === 0 ? [messages.impacts.none] : alignedTable(impactColumns, impacts);
  return `${[...lines, messages.impacts.counted(services, requests)].join('\n')}\n`;
}

function traceText({ spans, truncated }: Output<'fleet.trace'>): string {
  const texts = messages.trace;
  const [first] = spans;
  const lines = spans.map(({ start_ns, duration_ns, service, name, status, status_message }) => {
    const at = (Number(start_ns - (first?.start_ns ?? 0n)) / 1e6).toFixed(3).padStart(12);
    const took = (Number(duration_ns) / 1e6).toFixed(3).padStart(12);
    const failed = /error/i.test(status) ? texts.failed(shown(status_message)) : '';
    return `${texts.span(at, took, shown(texts.what(service, name)))}${failed}`;
  });
  return `${[...lines, ...(truncated ? [texts.truncated(spans.length)] : [])].join('\n')}\n`;
}

type LogTemplate = LogTemplates['templates'][number];

const logColumns: readonly Column<LogTemplate>[] = [
  [messages.logs.columns.novelty, ({ novelty }) => novelty, 'left'],
  [messages.logs.columns.lines, ({ count }) => String(count), 'right'],
  [messages.logs.columns.times, ({ times_more }) => (times_more === null ? '' : times_more.toFixed(1)), 'right'],
  [messages.logs.columns.text, (template) => shown(template.text), 'left'],
];

function logsText({ templates, lines, share }: LogTemplates): string {
  const sampled = share > 1 ? [messages.logs.share(share)] : [];
  return `${[...alignedTable(logColumns, templates), messages.logs.counted(lines), ...sampled].join('\n')}\n`;
}
