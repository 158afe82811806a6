import type { LogBodyFact, Phases } from '../../store/facts/reader.ts';
import { reweighed, weighedLine } from '../evidence/kind.ts';
import { logTemplate } from '../evidence/software.ts';
import type { Complaint } from './complaints.ts';
import { software } from './parameters.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, finding } from './suspect.ts';
import { TemplateMiner } from './template-miner.ts';

interface Stretch {
  lines: number;
  /** Seconds with texts of the template, per text. */
  seconds: number;
  first_ns: bigint;
  last_ns: bigint;
}

/** Lines of one service in both phases. */
interface Counted {
  readonly before: Stretch;
  readonly window: Stretch;
  failure: boolean;
  /** That its lines state; '' for none. */
  reason: string;
  ref: string;
}

/** Of one template. */
interface Tally extends Counted {
  readonly service: number;
  readonly template: number;
}

/** Of failure, about calls of one other service. */
interface CallTally extends Counted {
  readonly service: number;
  readonly called: string;
  /** One of the lines. */
  readonly body: string;
}

export interface LogVerdict {
  readonly findings: Finding[];
  /** Lines of failure about calls of other services, likewise compared. */
  readonly complaints: readonly Complaint[];
  /** Lines read, and lines dropped because the template limit was reached. */
  readonly lines: number;
  readonly left_out: number;
  readonly templates: number;
}

const SHOWN = 160;
const shortened = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/**
 * New and surging log templates of a window, by service. Rates are compared as counts (given the total of both phases, the
 * window's count is binomial if nothing changed), lines within one second count as one, and significance is corrected for the
 * number of templates. Memory is bounded.
 */
export async function logTemplates(
  stretches: AsyncIterable<readonly LogBodyFact[]>,
  phases: Phases,
  nameOf: (service: number) => string,
): Promise<LogVerdict> {
  const miner = new TemplateMiner();
  const tallies = new Map<string, Tally>();
  const calls = new Map<string, CallTally>();
  let lines = 0;
  let left_out = 0;
  for await (const facts of stretches) {
    for (const fact of facts) {
      const count = fact.before_lines + fact.window_lines;
      lines += count;
      const template = miner.add(fact.body);
      const key = `${fact.service} ${template}`;
      if (template < 0 || (tallies.size >= software.mostTallies && !tallies.has(key))) left_out += count;
      // What a line about a call states is a reason of the service that was called.
      else
        add(
          tallyOf(tallies, key, { service: fact.service, template }),
          fact.called === '' ? fact : { ...fact, reason: '' },
        );
      const { service, called, body } = fact;
      const call = `${service} ${called}`;
      if (called === '' || (calls.size >= software.mostTallies && !calls.has(call))) continue;
      add(tallyOf(calls, call, { service, called, body: shortened(body) }), fact);
    }
  }
  const all = [...tallies.values()];
  return {
    findings: grouped(judge(all, all, phases).map(({ tally, odds }) => templateFinding(tally, odds, miner, nameOf))),
    complaints: judge([...calls.values()], all, phases).map(complaintOf),
    lines,
    left_out,
    templates: miner.count,
  };
}

const nothing = (): Stretch => ({ lines: 0, seconds: 0, first_ns: 2n ** 62n, last_ns: -(2n ** 62n) });

function tallyOf<T extends object>(tallies: Map<string, T & Counted>, key: string, about: T): T & Counted {
  const known = tallies.get(key);
  if (known) return known;
  const fresh = { ...about, before: nothing(), window: nothing(), failure: false, reason: '', ref: '' };
  tallies.set(key, fresh);
  return fresh;
}

function add(tally: Counted, fact: LogBodyFact): void {
  tally.failure ||= fact.failure;
  tally.reason ||= fact.reason;
  if (fact.ref !== null && fact.window_first_ns !== null && fact.window_first_ns < tally.window.first_ns)
    tally.ref = fact.ref;
  const { before_lines, before_seconds, before_first_ns, before_last_ns } = fact;
  if (before_first_ns !== null && before_last_ns !== null)
    extend(tally.before, {
      lines: before_lines,
      seconds: before_seconds,
      first_ns: before_first_ns,
      last_ns: before_last_ns,
    });
  const { window_lines, window_seconds, window_first_ns, window_last_ns } = fact;
  if (window_first_ns !== null && window_last_ns !== null)
    extend(tally.window, {
      lines: window_lines,
      seconds: window_seconds,
      first_ns: window_first_ns,
      last_ns: window_last_ns,
    });
}

function extend(stretch: Stretch, more: Stretch): void {
  stretch.lines += more.lines;
  stretch.seconds += more.seconds;
  if (more.first_ns < stretch.first_ns) stretch.first_ns = more.first_ns;
  if (more.last_ns > stretch.last_ns) stretch.last_ns = more.last_ns;
}

/** Upper bound of the seconds with a template: texts share seconds, and none is outside first and last. */
const busySeconds = ({ lines, seconds, first_ns, last_ns }: Stretch): number =>
  Math.min(lines, seconds, Math.max(0, Number(last_ns - first_ns)) / 1e9 + 1);

interface Odd<T extends Counted> {
  readonly tally: T;
  readonly odds: number;
}

/** @param all what their services logged */
function judge<T extends Counted & { readonly service: number }>(
  tallies: readonly T[],
  all: readonly Tally[],
  phases: Phases,
): Odd<T>[] {
  const before = Number(phases.before_to_ns - phases.before_from_ns);
  const window = Number(phases.window_to_ns - phases.window_from_ns);
  const totals = new Map<number, { before: number; window: number }>();
  for (const { service, ...tally } of all) {
    const sum = totals.get(service) ?? { before: 0, window: 0 };
    totals.set(service, { before: sum.before + tally.before.lines, window: sum.window + tally.window.lines });
  }
  return tallies.flatMap((tally) => {
    const total = totals.get(tally.service) ?? { before: 0, window: 0 };
    // All templates of a new service are new, which is no evidence.
    if (total.before === 0 || tally.window.lines < software.leastLines) return [];
    // Twice the traffic logs twice as much: the change of the other lines is expected of this one.
    const others = { before: total.before - tally.before.lines + 1, window: total.window - tally.window.lines + 1 };
    const expectedShare = Math.max(window / (window + before), others.window / (others.window + others.before));
    const expected = (tally.before.lines * expectedShare) / (1 - expectedShare);
    if (tally.window.lines < software.surgeTimes * expected) return [];
    const clump = clumping(tally);
    const after = Math.max(1, Math.round(tally.window.lines / clump));
    const past = Math.round(tally.before.lines / clump);
    const p = tallies.length * binomialTail(after, after + past, expectedShare);
    const odds = oddsAgainstChance(p, tally.failure ? software.mostFailureLogOdds : software.mostOtherLogOdds);
    return odds > 0 ? [{ tally, odds }] : [];
  });
}

/** Lines per second that count as one: as many as in the template's quieter phase, or its only one. */
function clumping({ before, window }: Counted): number {
  const now = window.lines / busySeconds(window);
  return before.lines === 0 ? now : Math.min(now, before.lines / busySeconds(before));
}

function templateFinding(
  tally: Tally,
  odds: number,
  miner: TemplateMiner,
  nameOf: (service: number) => string,
): Finding {
  const template = miner.textOf(tally.template);
  const parameters = {
    service: nameOf(tally.service),
    template: shortened(template),
    isFailure: tally.failure,
    before: tally.before.lines,
    after: tally.window.lines,
  };
  return finding({
    key: tally.service,
    type: 'log_template',
    layer: 'log',
    template,
    reason: tally.reason,
    evidence: [weighedLine(logTemplate, odds, parameters, tally.ref === '' ? [] : [tally.ref])],
  });
}

const complaintOf = ({ tally, odds }: Odd<CallTally>): Complaint => ({
  caller: tally.service,
  called: tally.called,
  odds,
  line: tally.body,
  reason: tally.reason,
  before: tally.before.lines,
  after: tally.window.lines,
  ref: tally.ref,
});

/** Per service one suspect: the strongest template, plus the next ones at a share of their weight. */
function grouped(findings: readonly Finding[]): Finding[] {
  const services = Map.groupBy(findings, ({ key }) => key);
  return [...services.values()]
    .map((list) => {
      const [first, ...rest] = list.toSorted((a, b) => b.weight - a.weight).slice(0, software.mostFindings) as [
        Finding,
        ...Finding[],
      ];
      const more = rest.flatMap(({ evidence }) =>
        evidence.map((one) => reweighed(one, software.furtherTemplateShare * one.weight)),
      );
      return finding({ ...first, evidence: [...first.evidence, ...more], weight: sum([...first.evidence, ...more]) });
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}

const sum = (evidence: readonly { readonly weight: number }[]): number =>
  evidence.reduce((total, { weight }) => total + weight, 0);
