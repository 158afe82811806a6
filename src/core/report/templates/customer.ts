import { latencyOf } from '../../../model/incident/impact-latency.ts';
import { harmText, isMeasuredHarm } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock, ReportDocument, ReportSection } from '../../../model/incident/report-document.ts';
import { fact, list, sentences, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { durationText, momentText } from '../report-text.ts';
import { sectionsOf, type TemplateInput } from './review.ts';

/**
 * For customers: impact, times and what was done. A computed sentence names nothing of the site but what the investigator released (the name
 * of a service for customers), and cites no record. Cause and measures are asked of people.
 */
export function customerSections(given: TemplateInput): ReportSection[] {
  const { members } = given;
  const { own, ask } = sectionsOf(given);
  return [
    own('customer_summary', 'Summary', [
      sentences(...members.map((one, at) => whatCustomersSaw(one, nameOf(members, at)))),
    ]),
    own('customer_impact', 'Impact', impactBlocks(members)),
    own('customer_times', 'Times', [timesTable(members)]),
    ...ask('customer_cause', 'customer_done', 'customer_next'),
  ];
}

/** `Incident of 2026-03-14: Inference API`. */
export function customerTitle([facts]: TemplateInput['members']): string {
  const day = momentText(facts.view.onset_ns).slice(0, 10);
  const name = facts.heading?.public_name ?? '';
  return name === '' ? `Incident of ${day}` : `Incident of ${day}: ${name}`;
}

/** A service without a released name has a number among the others. */
const nameOf = (members: readonly IncidentFacts[], at: number): string =>
  members[at]?.heading?.public_name || (members.length === 1 ? 'One of our services' : `Service ${at + 1}`);

function whatCustomersSaw(facts: IncidentFacts, name: string): Fact {
  const { harm, work, went_on } = facts.view.incident;
  const what = isMeasuredHarm(harm) ? 'was impaired' : harmText({ harm, work, went_on }).split(/[:,]/)[0]!;
  return fact(`${name} ${what} ${whenText(facts)}.`, []);
}

/** Minutes are what customers compare with their own records. */
function whenText({ view, recovered }: IncidentFacts): string {
  const from = minuteText(view.onset_ns);
  if (!recovered) return `from ${from}; the end is not recorded`;
  const length = durationText(Number(recovered.time_ns - view.onset_ns) / 1e9);
  const until = minuteText(recovered.time_ns);
  const isSameDay = from.slice(0, 10) === until.slice(0, 10);
  return `from ${isSameDay ? `${from.slice(0, -4)} to ${until.slice(11)}` : `${from} to ${until}`} (${length})`;
}

const minuteText = (time: bigint): string => `${momentText(time).slice(0, 16)} UTC`;

function impactBlocks(members: readonly IncidentFacts[]): ReportBlock[] {
  const lines = members.flatMap((facts, at) =>
    harmLines(facts).map((text) => fact(text, [], { lead: `${nameOf(members, at)}: ` })),
  );
  return lines.length > 0 ? [list(lines)] : [sentences(fact('Neither failed nor slow requests were measured.', []))];
}

function harmLines({ view: { incident }, requests }: IncidentFacts): string[] {
  const { baseline: usual, peak: worst } = latencyOf(incident.impact);
  const share =
    requests?.failed == null || requests.failed === 0
      ? []
      : [`about ${Number(((100 * requests.failed) / requests.total).toPrecision(2))} % of the requests failed.`];
  const slow =
    usual !== null && worst !== null && worst > 1.1 * usual
      ? [
          `${incident.impact.mean ? 'requests' : 'the slowest requests'} took ${Number((worst / usual).toPrecision(2))} times as long as usual.`,
        ]
      : [];
  return [...share, ...slow];
}

function timesTable(members: readonly IncidentFacts[]): ReportBlock {
  const [first] = members as [IncidentFacts];
  const least = (values: readonly bigint[]): bigint | null =>
    values.reduce<bigint | null>((all, one) => (all === null || one < all ? one : all), null);
  const known = (of: (facts: IncidentFacts) => { time_ns: bigint } | null): readonly bigint[] =>
    members.flatMap((one) => of(one)?.time_ns ?? []);
  const ends = known(({ recovered }) => recovered);
  const last =
    ends.length < members.length ? null : ends.reduce((all, one) => (one > all ? one : all), first.view.onset_ns);
  const row = (name: string, time: bigint | null) => ({
    cells: [name, time === null ? 'not recorded' : minuteText(time)],
    refs: [],
  });
  return table(
    ['Phase', 'Time'],
    [
      row('Impact began', least(members.map(({ view }) => view.onset_ns))),
      row('Detected', least(known(({ detected }) => detected))),
      row('Cause repaired', least(known(({ repaired }) => repaired))),
      row('Back to normal', last),
    ],
  );
}

/** Of a service and its members: what text for customers should not hold. */
export interface Names {
  readonly internal: readonly string[];
  readonly released: readonly string[];
}

/** A name shorter than that is as likely a word. */
const LEAST_LETTERS = 4;

/** Internal names that people wrote into a text for customers, without those that they released. */
export function internalNames(document: Pick<ReportDocument, 'sections'>, { internal, released }: Names): string[] {
  const texts = document.sections.flatMap(({ prose, id }) => (prose && id.startsWith('customer_') ? [prose.text] : []));
  const text = texts.join('\n').toLowerCase();
  const open = new Set(released.map((one) => one.toLowerCase()));
  const found = internal.filter((name) => {
    const sought = name.toLowerCase();
    return sought.length >= LEAST_LETTERS && !open.has(sought) && hasWord(text, sought);
  });
  return [...new Set(found)].toSorted();
}

/** Not within a longer name. */
function hasWord(text: string, word: string): boolean {
  const isPart = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_-]/u.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  return false;
}

/** Without citations and records: customers can open none, and ids hold names. */
export const publicDocument = (document: ReportDocument): ReportDocument => ({
  ...document,
  sections: document.sections.map((one) => ({
    ...one,
    prose: one.prose && { ...one.prose, text: one.prose.text.replaceAll(/\[([^\]]*)\]\(#[^)]*\)/g, '$1') },
  })),
  evidence: [],
});
