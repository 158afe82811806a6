import { z } from 'zod';
import { entityKinds } from '../../../model/entity.ts';
import { isMetricName, type MetricName } from '../../../model/telemetry/metric.ts';

/*
 * A profile describes a vendor's MIB: a YAML file in profiles/ and a line in profiles.ts.
 *
 *     vendor: Example               # '' for a standard
 *     mib: EXAMPLE-MIB              # the module of most of its names: MIB::object
 *     kind: pdu                     # of a device that answers these tables
 *     object_ids: ['99999.1']       # prefixes of sysObjectID below 1.3.6.1.4.1
 *     base: 1.3.6.1.4.1.99999.1     # OIDs that begin with a point are below it; `{1..9}` and lists repeat the tables
 *     identity: {model: ['.1.1'], serial: ['.1.2'], name: []}     # the first value at or below one of them counts
 *     tables:
 *       - at: '.2.1'                # OID of the entry: a column's values are at <at>.<column>.<index>
 *         index: [unit, outlet]     # `unit`, `outlet`, `port`, `psu` are entities (the first unit is the device itself),
 *                                   # `group` belongs to a port that follows, `*` to the number of the last part, `-` is
 *                                   # skipped, other words are attributes; the last takes all that remain; [] for scalars
 *         label: 2                  # the device's own name of the row, which replaces its number
 *         name: 3                   # the name that a person gave to it
 *         unit: 4                   # column of the unit number, if it is not in the index
 *         when: {column: 5, is_not: 1}                            # whether the row is in use
 *         attributes: {side: input, phase: {part: -1, prefix: L}} # of all series of a row
 *         objects: {exampleLabel: 2}                              # further names that a walk may use
 *         columns:
 *           6: {object: exampleVolts, metric: hw.voltage, scale: 0.1, limits: {upper_critical: 9}}
 *           7: {object: examplePeak, unit: W}                     # no common metric: it keeps its name
 *           8: {object: exampleState, codes: {1: off, 2: on}, as: {metric: hw.outlet.state, map: {1: 0, 2: 1}}}
 *           9: {object: exampleTemp, metric: hw.temperature, fahrenheit: {column: 10, is: 2}, scale_by: [{column: 11, as: digits}]}
 *           12: {object: exampleValue, by: {column: 13, cases: {1: {metric: hw.current}, 2: {unit: '%'}}}}
 *
 * A column's `when`, `by` (cases by another value; `else`, `absent` where there is none) and `choose` (the first whose
 * `when` holds) replace or add fields; where none fits there is no reading, or the remark that states why.
 */

const oid = z.string().regex(/^(\.|\.?\d+(\.\d+)*|\d[\d.]*\.\{\d+\.\.\d+\}[\d.]*)$/, 'not an OID in quotation marks');
const columnName = z.union([z.string(), z.number()]).transform(String);

/** A value of the device: a column of the row, a row of another table, or a part of the index. */
const source = {
  column: z.int().optional(),
  at: oid.optional(),
  /** With `at`: its row has only the first parts of this index, or if negative all but the last. */
  parts: z.int().optional(),
  /** With `at`: the column that has the index. */
  index_in: z.int().optional(),
  /** `at` is the whole OID: one value for all rows. */
  scalar: z.boolean().optional(),
  /** From 0; negative from the end. */
  part: z.union([z.int(), z.literal('all')]).optional(),
};
export type ValueSource = z.infer<z.ZodObject<typeof source>>;
/** For refinements: the place of the value is clear. */
const hasPlace = (given: ValueSource & { readonly any?: unknown; readonly constant?: unknown }): boolean =>
  [given.column, given.at, given.part, given.any, given.constant].filter((one) => one !== undefined).length === 1;
const NO_PLACE = 'it takes one of column, at and part';

const numbers = z.union([z.number().transform((one) => [one]), z.array(z.number())]).optional();
const test = {
  ...source,
  is: numbers,
  is_not: numbers,
  above: z.number().optional(),
  /** A number, or the OID of a scalar. Values without a number are not above. */
  not_above: z.union([z.number(), oid]).optional(),
  between: z.tuple([z.number(), z.number()]).optional(),
  /** Whether there is a text, or a number. */
  exists: z.boolean().optional(),
  numeric: z.boolean().optional(),
  /** A regular expression without regard to case. */
  matches: z
    .string()
    .transform((pattern) => new RegExp(pattern, 'i'))
    .optional(),
};
const condition = z
  .strictObject({ ...test, any: z.array(z.strictObject(test).refine(hasPlace, NO_PLACE)).optional() })
  .refine(hasPlace, NO_PLACE);
export type Condition = z.infer<typeof condition>;

export interface TextForm extends ValueSource {
  readonly constant?: Constant | undefined;
  readonly when?: Condition | undefined;
  /** It counts only if its number is greater. */
  readonly above?: number | undefined;
  /** A text at its end that is left out. */
  readonly without?: string | undefined;
  /** By number, else by text; null for no value. */
  readonly cases?: Readonly<Record<string, string | null>> | undefined;
  /** By the last numbers of an OID. */
  readonly ends?: Readonly<Record<string, string>> | undefined;
  readonly else?: TextForm | undefined;
  readonly prefix?: string | undefined;
}
const constant = z.union([z.string(), z.number(), z.boolean()]);
export type Constant = z.infer<typeof constant>;
const textForm: z.ZodType<TextForm> = z
  .strictObject({
    ...source,
    constant: constant.optional(),
    when: condition.optional(),
    above: z.number().optional(),
    without: z.string().optional(),
    cases: z.record(z.string(), z.string().nullable()).optional(),
    ends: z.record(z.string(), z.string()).optional(),
    else: z.lazy(() => textForm).optional(),
    prefix: z.string().optional(),
  })
  .refine(hasPlace, NO_PLACE);
/** A column, the OID of another table with the same index, or a form. */
const lookup = z.preprocess(
  (given) => (typeof given === 'number' ? { column: given } : typeof given === 'string' ? { at: given } : given),
  textForm,
);
const text = z.preprocess((given) => (typeof given === 'object' ? given : { constant: given }), textForm);
const attributes = z.record(z.string(), text);
export type AttributeForms = z.infer<typeof attributes>;

/** What one of a column's units is in the unit of its metric: a number, or `0.1 kWh`, `1 Wh`, `1 cfm`. */
const namedScales: Readonly<Record<string, number>> = {
  kWh: 3_600_000,
  Wh: 3_600,
  /** Cubic feet per minute in cubic metres per hour. */
  cfm: 1.699_010_795_52,
};
const scale = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)? (kWh|Wh|cfm)$/, 'a number, or one with kWh, Wh or cfm')
    .transform((written) => Number(written.split(' ')[0]) * (namedScales[written.split(' ')[1]!] ?? 1)),
]);

export const limitNames = ['lower_critical', 'lower_warning', 'upper_warning', 'upper_critical'] as const;
/** A column of the same row, or a row of another table. Without a scale it has that of the reading. */
const limit = z.preprocess(
  (given) => (typeof given === 'number' ? { column: given } : typeof given === 'string' ? { at: given } : given),
  z.strictObject({ ...source, scale: scale.optional() }).refine(hasPlace, NO_PLACE),
);
const limits = z.partialRecord(z.enum(limitNames), limit);
/** Where limits are, in the raw unit of the reading. */
export type Limits = z.infer<typeof limits>;

const metric = z.custom<MetricName>((name) => typeof name === 'string' && isMetricName(name), 'no such metric');
const codes = z.record(z.string(), z.string());
/** Maps a vendor's codes to those of a common metric; missing codes have no counterpart. */
const meaning = z.strictObject({
  metric,
  map: z.record(z.string(), z.number()),
  /** The mapped codes are the metric's own: the object's name is used only for codes that it lacks. */
  same: z.boolean().optional(),
});

const fieldShape = {
  when: condition.optional(),
  /** Columns without which the value cannot be decoded. */
  needs: z.strictObject({ columns: z.array(z.int()), remark: z.string() }).optional(),
  /** Why the value cannot be decoded. */
  remark: z.string().optional(),
  metric: metric.optional(),
  /** Of a measurement without a common metric, which has the object's name. */
  unit: text.optional(),
  /** Its name if that is not the object's. */
  called: text.optional(),
  scale: scale.optional(),
  /** `divisor`; `digits` after the point; `si`: a code of RFC 3433; `factor`: a text, -10 divides by ten. */
  scale_by: z
    .array(z.strictObject({ ...source, as: z.enum(['divisor', 'digits', 'si', 'factor']) }).refine(hasPlace, NO_PLACE))
    .optional(),
  /** Negative numbers are readings; without it they mean "not reported". */
  signed: z.boolean().optional(),
  /** After scaling the number is in degrees Fahrenheit. */
  fahrenheit: z.union([z.boolean(), condition]).optional(),
  /** Raw numbers that mean "not reported". */
  missing: z.array(z.number()).optional(),
  limits: limits.optional(),
  attributes: attributes.optional(),
  /** A code. It is stored under the object's own name; if `as` maps it, also as that metric. */
  codes: codes.optional(),
  /** A column with the codes: `Open(0),Closed(1)`. */
  codes_in: z.int().optional(),
  as: meaning.optional(),
};
/** What a column's value is, as far as other values decide. */
export interface Fields extends z.infer<z.ZodObject<typeof fieldShape>> {
  readonly by?: Cases | undefined;
  readonly choose?: readonly Fields[] | undefined;
}
interface Cases extends ValueSource {
  /** By number, else by text. */
  readonly cases: Readonly<Record<string, Fields>>;
  /** Without a number that is a case. */
  readonly absent?: Fields | undefined;
  readonly else?: Fields | undefined;
}
const nested = {
  ...fieldShape,
  by: z.lazy(() => casesOf).optional(),
  choose: z.lazy(() => z.array(fields)).optional(),
};
const fields: z.ZodType<Fields> = z.strictObject(nested);
const casesOf: z.ZodType<Cases> = z
  .strictObject({
    ...source,
    cases: z.record(z.string(), fields),
    absent: fields.optional(),
    else: fields.optional(),
  })
  .refine(hasPlace, NO_PLACE);

/** For values whose meaning takes an algorithm: decoders.ts. */
const decoder = z.strictObject({
  name: z.enum(['raritan_state', 'raritan_value']),
  /** Entry of the configuration with the same index, and its columns. */
  configured: oid,
  type: z.int().optional(),
  unit: z.int(),
  digits: z.int(),
  /** The first of the four thresholds. */
  limits: z.int(),
  signed: z.boolean().optional(),
  /** Its state is that of an outlet. */
  outlet: z.boolean().optional(),
});
export type Decoder = z.infer<typeof decoder>;
const column = z
  .strictObject({ object: z.string(), ...nested, decoder: decoder.optional() })
  .refine(
    (one) => one.metric ?? one.unit ?? one.codes ?? one.codes_in ?? one.by ?? one.choose ?? one.decoder,
    'a column has a metric, a unit, codes or cases',
  );
export type ColumnForm = z.infer<typeof column>;

const table = z.strictObject({
  /** Module of the table's names, if it differs from the profile's. */
  mib: z.string().optional(),
  at: oid,
  index: z.array(z.string()),
  label: lookup.optional(),
  name: lookup.optional(),
  unit: z.int().optional(),
  attributes: attributes.optional(),
  when: condition.optional(),
  objects: z.record(z.string(), columnName).optional(),
  columns: z.record(z.string().regex(/^\d+(\.\d+)*$/), column).optional(),
});
export type TableForm = z.infer<typeof table>;

const oids = z.array(oid).optional();
/** A profile's file. */
export const profileSchema = z
  .strictObject({
    vendor: z.string(),
    mib: z.string(),
    kind: z.enum(entityKinds),
    object_ids: z.array(z.string().regex(/^\d+(\.\d+)*$/)).default([]),
    base: z.union([oid.transform((one) => [one]), z.array(oid).min(1)]),
    identity: z.strictObject({ model: oids, serial: oids, name: oids }).default({}),
    /** Its tables are those of another profile, below its own base. */
    tables_of: z.string().optional(),
    tables: z.array(table).default([]),
  })
  .readonly();
export type ProfileForm = z.infer<typeof profileSchema>;
