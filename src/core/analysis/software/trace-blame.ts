import type { SpanShiftFact } from '../../store/facts/reader.ts';
import { weighedLine } from '../evidence/kind.ts';
import { failingSpan, noAnswer, oneInstance, slowService, slowSpan } from '../evidence/software.ts';
import type { OwnShare } from './service-suspects.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, finding } from './suspect.ts';

/** What the spans of a baseline and a window say. */
export interface TraceBlame {
  readonly findings: Finding[];
  /** Which part of a service's trouble is its own. */
  readonly own: ReadonlyMap<number, OwnShare>;
  /** Services that do not answer any more although they are called. */
  readonly unreachable: ReadonlySet<number>;
}

const MOST = 5;
/** Spans of a baseline below which its 95th percentile is hearsay. */
const LEAST_SPANS = 5;
/** A shift of self time must also be felt: by this ratio of the mean and this much time. */
const LEAST_RATIO = 1.3;
const LEAST_MS = 1;
/** The share of all time that spans took longer from which a suspect counts whole; below, in proportion. */
const FULL_SHARE = 0.33;
const NOTABLE_SHARE = 0.02;
const ERRORS_RISE = 0.005;
/** Of the calls that used to be answered, how many must go without an answer for the callee to count as gone. */
const UNANSWERED = 0.5;
const ANSWERED_BEFORE = 0.5;
const CLIENT = 3;
const PRODUCER = 4;

/** One span name of a service in both phases; `before` is missing where it is new. */
interface Pair {
  readonly before: SpanShiftFact | undefined;
  readonly after: SpanShiftFact;
}

/**
 * Where time is spent and where errors begin, from spans: self time per service and span name beside its baseline, and
 * errors that no child has. Names the pod or instance when only one of several moved.
 */
export function traceBlame(facts: readonly SpanShiftFact[], nameOf: (service: number) => string): TraceBlame {
  const whole = pairs(facts.filter(({ of_instance }) => !of_instance));
  const instances = Map.groupBy(pairs(facts.filter(({ of_instance }) => of_instance)), ({ after }) => spanKey(after));
  const excess = whole.reduce((sum, pair) => sum + Math.max(0, excessMs(pair)), 0);
  const tests = Math.max(1, whole.length);
  const findings = whole.flatMap((pair) => {
    const siblings = instances.get(spanKey(pair.after)) ?? [];
    const about = { pair, siblings, tests, excess, nameOf };
    // What a call that nobody answers costs its caller is no fault of the caller's.
    const gone = unanswered(about);
    return gone ? [gone] : [slower(about), failing(about)].filter((found) => found !== null);
  });
  const unansweredCalls = new Set(
    whole
      .filter((pair) => unanswered({ pair, siblings: [], tests, excess, nameOf }))
      .map(({ after }) => spanKey(after)),
  );
  const own = ownShares(whole, unansweredCalls);
  findings.push(...slowServices(whole, own, nameOf));
  return {
    findings: findings.sort((a, b) => b.weight - a.weight || a.key - b.key),
    own,
    unreachable: new Set(findings.filter(({ type }) => type === 'service_unreachable').map(({ key }) => key)),
  };
}

const spanKey = ({ service, kind, name }: SpanShiftFact): string => `${service} ${kind} ${name}`;

function pairs(facts: readonly SpanShiftFact[]): Pair[] {
  const groups = Map.groupBy(facts, (fact) => `${spanKey(fact)} ${fact.instance}`);
  return [...groups.values()].flatMap((group) => {
    const after = group.find(({ phase }) => phase === 1);
    return after ? [{ before: group.find(({ phase }) => phase === 0), after }] : [];
  });
}

/** Self time that the window's spans took beyond what they used to, all together. */
const excessMs = ({ before, after }: Pair): number =>
  before ? (after.self_mean_ms - before.self_mean_ms) * after.spans : 0;

interface About {
  readonly pair: Pair;
  /** The same span name, per instance. */
  readonly siblings: readonly Pair[];
  /** Span names that were looked at: the more, the surer one of them moves by chance. */
  readonly tests: number;
  /** Self time beyond the usual over all span names, ms. */
  readonly excess: number;
  nameOf(service: number): string;
}

/** Log-odds against chance that so many spans are slower than 95 % of the baseline's; 0 when the shift is not felt. */
function slownessOdds({ before, after }: Pair, tests: number): number {
  if (!before || before.spans < LEAST_SPANS) return 0;
  const rise = after.self_mean_ms - before.self_mean_ms;
  if (!(after.self_mean_ms > LEAST_RATIO * before.self_mean_ms && rise > LEAST_MS)) return 0;
  return oddsAgainstChance(tests * binomialTail(after.above, after.spans, normalAbove(before.spans)), MOST);
}

function slower({ pair, siblings, tests, excess, nameOf }: About): Finding | null {
  const { before, after } = pair;
  const odds = slownessOdds(pair, tests);
  const share = excess > 0 ? excessMs(pair) / excess : 0;
  if (!before || odds <= 0 || share < NOTABLE_SHARE) return null;
  const instance = confinedTo(siblings, (one) => slownessOdds(one, tests) > 0);
  const isLeaf = (after.kind === CLIENT || after.kind === PRODUCER) && before.answered === 0;
  const quantile: 'p50' | 'p95' = after.self_p95_ms > LEAST_RATIO * before.self_p95_ms ? 'p95' : 'p50';
  const [before_ms, after_ms] =
    quantile === 'p95' ? [before.self_p95_ms, after.self_p95_ms] : [before.self_p50_ms, after.self_p50_ms];
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    quantile,
    before_ms,
    after_ms,
    spans: after.spans,
    share,
    isLeaf,
  };
  const evidence = [weighedLine(slowSpan, odds * Math.min(1, share / FULL_SHARE), parameters, [after.ref])];
  if (instance !== null) evidence.push(weighedLine(oneInstance, 0, { instance, others: 'move' }, [after.ref]));
  return finding({ key: after.service, type: 'service_latency', layer: 'trace', span: after.name, instance, evidence });
}

/** Of the time that a service's requests took longer, what it must hold itself to be told as slow all over. */
const LEAST_OWN = 0.5;
const LEAST_NAMES = 3;

/**
 * Services of which every span name got slower, each perhaps with a handful of spans: a starved processor, a long
 * collection of garbage, a slow disk. Judged over all names together, by how much of the slowness is the service's own.
 */
function slowServices(
  whole: readonly Pair[],
  own: ReadonlyMap<number, OwnShare>,
  nameOf: (service: number) => string,
): Finding[] {
  const services = Map.groupBy(
    whole.filter(({ before }) => before !== undefined),
    ({ after }) => after.service,
  );
  return [...services].flatMap(([service, list]) => {
    const part = own.get(service)?.latency ?? 0;
    const slow = list.filter(({ before, after }) => before && after.self_p50_ms > LEAST_RATIO * before.self_p50_ms);
    if (!(part >= LEAST_OWN) || list.length < LEAST_NAMES || slow.length < list.length / 2) return [];
    const count = (of: (pair: Pair) => number): number => list.reduce((total, pair) => total + of(pair), 0);
    const spans = count(({ after }) => after.spans);
    const above = count(({ after }) => after.above);
    const chance = count(({ before, after }) => after.spans * normalAbove(before?.spans ?? 0)) / spans;
    const odds = oddsAgainstChance(services.size * binomialTail(above, spans, chance), MOST);
    const [{ after: example }] = slow.toSorted((a, b) => excessMs(b) - excessMs(a)) as [Pair];
    if (odds <= 0 || count(excessMs) < LEAST_MS * spans) return [];
    const parameters = { service: nameOf(service), above, spans, names: list.length, share: part };
    return [
      finding({
        key: service,
        type: 'service_latency',
        layer: 'trace',
        evidence: [weighedLine(slowService, odds * part, parameters, [example.ref])],
      }),
    ];
  });
}

/** The quantile of few spans lies lower than it claims: one more span than was seen may have been above it. */
const normalAbove = (spans: number): number => (0.05 * spans + 1) / (spans + 1);

function errorOdds({ before, after }: Pair, tests: number): number {
  const chance = ((before?.originating ?? 0) + 1) / ((before?.spans ?? 0) + 2);
  const normalShare = before ? before.originating / before.spans : 0;
  if (after.originating / after.spans < normalShare + ERRORS_RISE) return 0;
  // A span name without a past is granted one failure in two by the rule of succession: only certainty speaks then.
  return oddsAgainstChance(tests * binomialTail(after.originating, after.spans, chance), MOST);
}

function failing({ pair, siblings, tests, nameOf }: About): Finding | null {
  const { before, after } = pair;
  const odds = errorOdds(pair, tests);
  if (odds <= 0) return null;
  const instance = confinedTo(siblings, (one) => errorOdds(one, tests) > 0);
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    failed: after.originating,
    spans: after.spans,
    before_percent: before ? (100 * before.originating) / before.spans : null,
  };
  const evidence = [weighedLine(failingSpan, odds, parameters, [after.ref])];
  if (instance !== null) evidence.push(weighedLine(oneInstance, 0, { instance, others: 'fail' }, [after.ref]));
  return finding({ key: after.service, type: 'service_errors', layer: 'trace', span: after.name, instance, evidence });
}

/** Calls that another service used to answer and that fail or hang without a span of it: the callee is gone. */
function unanswered({ pair, tests, nameOf }: About): Finding | null {
  const { before, after } = pair;
  if (!before || before.callee < 0 || before.answered < LEAST_SPANS) return null;
  const [was, is] = [before.answered / before.spans, after.answered / after.spans];
  // Calls that are merely fewer, or that the caller does not make any more, do not fail and do not hang.
  const suffers = errorOdds(pair, tests) > 0 || slownessOdds(pair, tests) > 0;
  if (was < ANSWERED_BEFORE || is > (1 - UNANSWERED) * was || !suffers) return null;
  const missing = after.spans - after.answered;
  const p = binomialTail(missing, after.spans, Math.min(1, (before.spans - before.answered + 1) / (before.spans + 1)));
  const odds = oddsAgainstChance(tests * p, MOST);
  if (odds <= 0) return null;
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    callee: nameOf(before.callee),
    missing,
    spans: after.spans,
    before_share: was,
  };
  return finding({
    key: before.callee,
    type: 'service_unreachable',
    layer: 'trace',
    span: after.name,
    evidence: [weighedLine(noAnswer, odds, parameters, [after.ref])],
  });
}

/** The one instance of several that moved; null when there is but one, or when others moved too. */
function confinedTo(siblings: readonly Pair[], moved: (pair: Pair) => boolean): string | null {
  const reliableSiblings = siblings.filter(({ after }) => after.instance !== '' && after.spans >= LEAST_SPANS);
  const those = reliableSiblings.filter(moved);
  return reliableSiblings.length > 1 && those.length === 1 ? (those[0]?.after.instance ?? null) : null;
}

/** Time and errors that came on top in a service, and which part of them it does not share with what it calls. */
function ownShares(whole: readonly Pair[], unansweredCalls: ReadonlySet<string>): Map<number, OwnShare> {
  const services = Map.groupBy(whole, ({ after }) => after.service);
  return new Map(
    [...services].map(([service, list]) => {
      const sum = (of: (pair: Pair) => number): number => list.reduce((total, pair) => total + of(pair), 0);
      const total = sum(({ before, after }) =>
        before && after.entries > 0 && before.entries > 0
          ? (after.entry_mean_ms - before.entry_mean_ms) * after.entries
          : 0,
      );
      const mine = (pair: Pair): boolean => !unansweredCalls.has(spanKey(pair.after));
      const self = sum((pair) => (mine(pair) ? excessMs(pair) : 0));
      const errors = sum(({ before, after }) => after.errors - expected(before?.errors, before, after));
      const began = sum((pair) => {
        const { before, after } = pair;
        return mine(pair) ? after.originating - expected(before?.originating, before, after) : 0;
      });
      return [service, { latency: share(self, total), errors: share(began, errors) }];
    }),
  );
}

/** How many there would be among the window's spans at the baseline's rate. */
const expected = (count: number | undefined, before: SpanShiftFact | undefined, after: SpanShiftFact): number =>
  before ? ((count ?? 0) * after.spans) / before.spans : 0;

const share = (part: number, whole: number): number =>
  whole > 0 ? Math.min(1, Math.max(0, part / whole)) : Number.NaN;
