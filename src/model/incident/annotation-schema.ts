import { z } from 'zod';
import { severities } from '../entity.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { edgeKinds } from '../topology.ts';
import { LONGEST_SEARCH } from '../traceql/syntax.ts';
import { MOST_SHIFT_S } from './clock-shift.ts';

const LONGEST_TEXT = 20_000;
export const LONGEST_SQL = 100_000;
const stamps = ['suspect', 'cleared'] as const;
export type Stamp = (typeof stamps)[number];
const judgements = ['accepted', 'rejected', 'noted'] as const;
export type Judgement = (typeof judgements)[number];
const name = z.string().min(1).max(20_000);
const short = z.string().max(200);
/** Assigned by its creator, so that undo and redo restore the same annotation. */
const id = z.string().regex(/^[0-9A-Za-z-]{1,64}$/);

const common = {
  id,
  text: z.string().max(LONGEST_TEXT),
  /** On the case's clock. A moment, or the time that it is about; null: always, or open at that end. */
  at_ns: anyNanos.nullable(),
  until_ns: anyNanos.nullable(),
  /** Wall clock. */
  made_at_ns: anyNanos,
};

/** Annotations of a case. Entities are named `kind:id`, because their numbers change. */
export const annotationSchema = z.discriminatedUnion('kind', [
  /** About the record of an evidence id; about a time alone where `target` is null. */
  z.object({
    kind: z.literal('note'),
    ...common,
    target: name.nullable(),
    /** Absent: none was stated. */
    severity: z.enum(severities).optional(),
  }),
  z.object({ kind: z.literal('arrow'), ...common, from: name, to: name }),
  z.object({ kind: z.literal('group'), ...common, members: z.array(name).min(1).max(2000) }),
  z.object({ kind: z.literal('stamp'), ...common, target: name, stamp: z.enum(stamps) }),
  /** A free region of a map, in that map's own units. */
  z.object({
    kind: z.literal('region'),
    ...common,
    map: z.enum(['power', 'racks']),
    x: z.number(),
    y: z.number(),
    width: z.number().positive(),
    height: z.number().positive(),
  }),
  /** A link of the topology that is missing in what was recorded, or wrong in it, from `at_ns` until `until_ns`. */
  z.object({
    kind: z.literal('edge'),
    ...common,
    change: z.enum(['add', 'remove']),
    from: name,
    edge: z.enum(edgeKinds),
    to: name,
  }),
  /** How far the clock of a source is off; the last word on a source counts. What was recorded stays as it is. */
  z.object({
    kind: z.literal('clock'),
    ...common,
    /** Number and name of the source. */
    source: z.number().int(),
    name: z.string().max(20_000),
    /** To add to its recorded times, and half of the interval in which that may lie. */
    seconds: z.number().min(-MOST_SHIFT_S).max(MOST_SHIFT_S),
    uncertainty_s: z.number().nonnegative().max(MOST_SHIFT_S),
  }),
  /** A question worth asking again, under the name `text`; with `lane` it is drawn in the timeline as well. */
  z.object({
    kind: z.literal('query'),
    ...common,
    sql: z.string().min(1).max(LONGEST_SQL),
    lane: z
      .object({
        /** Column of instants: a timestamp, or nanoseconds since 1970. */
        time: z.string().min(1).max(1000),
        /** Column of numbers; null: how many rows a second. */
        value: z.string().min(1).max(1000).nullable(),
        unit: z.string().max(40),
      })
      .nullable(),
  }),
  /** A series of a TraceQL metric, drawn as a lane under the name `text`. */
  z.object({
    kind: z.literal('search'),
    ...common,
    query: z.string().min(1).max(LONGEST_SEARCH),
    /** Which of its series; none: the metric has no groups. */
    labels: z.array(z.object({ name: short, value: z.string().max(LONGEST_TEXT) })).max(100),
    unit: z.string().max(40),
  }),
  /** Words of the investigator in a section of the report; `text` is Markdown. */
  z.object({
    kind: z.literal('prose'),
    ...common,
    /** `inc_1a2b3c4d/summary`, or the section alone where it is about the whole case. */
    section: name,
    /** What the section stated when this was written, a line each. */
    facts: z.array(z.string().max(LONGEST_TEXT)).max(2000),
  }),
  /** The investigator's word on a hypothesis; what was computed stays as it is. */
  z.object({
    kind: z.literal('judgement'),
    ...common,
    incident: name,
    /** `kind:id type`, or the type alone without an entity. */
    hypothesis: name,
    judgement: z.enum(judgements),
  }),
  /** What people state about an incident in front of its report; '' is not set. `text` is its title. */
  z.object({
    kind: z.literal('heading'),
    ...common,
    incident: name,
    severity: short,
    owner: short,
    /** Name of the service for customers: the only one that a summary for them states. */
    public_name: short.default(''),
  }),
  /** An action item of an incident, stated by `text`; '' is not set. */
  z.object({
    kind: z.literal('action'),
    ...common,
    incident: name,
    owner: short,
    priority: short,
    due: z.union([z.literal(''), z.iso.date()]),
    ticket: short,
    done: z.boolean(),
  }),
]);
export type Annotation = z.infer<typeof annotationSchema>;
/** Puts and takes away at once, so that one step of the investigator is one step to undo. */
export const annotationChangeSchema = z.object({
  put: z.array(annotationSchema).max(5000).default([]),
  remove: z.array(id).max(5000).default([]),
});
export type AnnotationChange = z.infer<typeof annotationChangeSchema>;
