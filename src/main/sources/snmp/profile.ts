import type { EntityKind } from '../../../model/entity.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * A vendor's MIB as data: the meaning and unit of its columns. Object names are those of the MIB: they resolve walks
 * that were written with names, and name values that have no common metric.
 */
export interface Profile {
  readonly vendor: string;
  /** The module of most of its names: `MIB::object`. */
  readonly mib: string;
  /** Kind of a device that answers these tables. */
  readonly kind: EntityKind;
  /** Prefixes of sysObjectID below enterprises (1.3.6.1.4.1). */
  readonly objectIds: readonly string[];
  readonly identity?: Identity;
  readonly tables: readonly Table[];
}

/** Full OIDs; the first value at or below one of them counts. */
export interface Identity {
  readonly model?: readonly string[];
  readonly serial?: readonly string[];
  readonly name?: readonly string[];
}

export interface Table {
  /** Module of the table's names, if it differs from the profile's. */
  readonly mib?: string;
  /** OID of the entry; a column's values are at `<at>.<column>.<index>`. */
  readonly at: string;
  /**
   * The meaning of the index components; the last one takes all that remain. [] is for scalars, whose column keys are
   * the rest of the OID. `unit`, `outlet`, `port`, `psu` are separate entities (the first unit is the device itself),
   * `group` belongs to a port that follows, `*` to the number of the last part, `-` is skipped, and every other word
   * becomes an attribute of the series (`phase`, `bank`, `line`, `breaker`, `inlet`, `sensor`).
   */
  readonly index: readonly string[];
  /** The device's own name of the row: of an outlet its designation, of other rows the value of the last attribute. */
  readonly label?: Lookup;
  /** The name that a person gave to the row. */
  readonly name?: Lookup;
  /** Column of the unit number, if it is not in the index. */
  readonly unit?: number;
  /** Attributes of all series of a row. */
  readonly attributes?: Attributes | ((row: Row) => Attributes);
  /** Whether the row is in use; without it every row counts. */
  readonly when?: (row: Row) => boolean;
  /** Further columns that a walk may name; their values are used by other columns. */
  readonly objects?: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, Column>>;
}

export type Attributes = Readonly<Record<string, unknown>>;
export type Column = Reading | Code | Dynamic;
/** A column of the same row, or `<oid>.<index>` for a row of another table; a function for other cases. */
export type Lookup = string | number | ((row: Row) => string);

/** A measurement: `scale` metric units are one unit of the raw number. */
export interface Reading {
  readonly object: string;
  readonly metric: MetricName | OwnMetric;
  readonly scale: number;
  /** Negative numbers are readings; without it they mean "not reported". */
  readonly signed?: boolean;
  /** After scaling the number is in degrees Fahrenheit. */
  readonly fahrenheit?: boolean;
  /** Raw numbers that mean "not reported". */
  readonly missing?: readonly number[];
  readonly limits?: Limits;
  readonly attributes?: Attributes;
}
export interface OwnMetric {
  readonly name: string;
  readonly unit: string;
}
export const limitNames = ['lower_critical', 'lower_warning', 'upper_warning', 'upper_critical'] as const;
export type LimitName = (typeof limitNames)[number];
/** Where limits are: a column of the same row in the same raw unit, or a row of the same index elsewhere. */
export type Limits = { readonly [name in LimitName]?: number | LimitElsewhere };
export interface LimitElsewhere {
  /** OID of the column. */
  readonly at: string;
  /** Scale of the limit; without it the scale of the reading. */
  readonly scale?: number;
  /** `at` is the whole OID: one limit for all rows. */
  readonly scalar?: boolean;
}

/** A code. It is stored under the object's own name; if `as` maps it, also as that metric. */
export interface Code {
  readonly object: string;
  readonly codes: Readonly<Record<number, string>>;
  readonly as?: Meaning;
  readonly attributes?: Attributes;
}
/** Maps a vendor's codes to those of a common metric; missing codes have no counterpart. */
export interface Meaning {
  readonly metric: MetricName;
  readonly map: Readonly<Record<number, number>>;
  /** The mapped codes are the metric's own: the object's name is used only for codes that it lacks. */
  readonly same?: boolean;
}

/** A column whose unit or scale is in other columns. A text states why the value cannot be decoded. */
export interface Dynamic {
  readonly object: string;
  readonly of: (row: Row) => Reading | Code | string | undefined;
}

/** One row of a table, for columns that need other columns. */
export class Row {
  readonly walk: SnmpWalk;
  readonly at: string;
  readonly index: string;

  constructor(walk: SnmpWalk, at: string, index: string) {
    this.walk = walk;
    this.at = at;
    this.index = index;
  }

  number(column: number | string): number {
    return this.walk.number(`${this.at}.${column}.${this.index}`);
  }

  text(column: number | string): string {
    return this.walk.text(`${this.at}.${column}.${this.index}`);
  }

  part(position: number): string {
    return this.index.split('.').at(position) ?? '';
  }

  /** The index without its last components. */
  head(drop: number): string {
    return this.index.split('.').slice(0, -drop).join('.');
  }
}

export const lookUp = (row: Row, where: Lookup): string =>
  typeof where === 'function'
    ? where(row)
    : typeof where === 'number'
      ? row.text(where)
      : row.walk.text(`${where}.${row.index}`);

type ReadingOptions = Partial<Omit<Reading, 'object' | 'metric' | 'scale'>>;

/** A measurement of a common metric. */
export const reading = (object: string, metric: MetricName, scale = 1, options: ReadingOptions = {}): Reading => ({
  object,
  metric,
  scale,
  ...options,
});

/** A measurement without a common metric: it keeps the object's name. */
export const own = (object: string, unit: string, scale = 1, options: ReadingOptions = {}): Reading => ({
  object,
  metric: { name: object, unit },
  scale,
  ...options,
});

export const code = (object: string, codes: Code['codes'], as?: Meaning, attributes?: Attributes): Code => ({
  object,
  codes,
  ...(as && { as }),
  ...(attributes && { attributes }),
});

export const dynamic = (object: string, of: Dynamic['of']): Dynamic => ({ object, of });

/** kWh, Wh and tenths of kWh in joules. */
export const KILOWATT_HOUR = 3_600_000;
export const WATT_HOUR = 3_600;
/** Cubic feet per minute in cubic metres per hour. */
export const CFM = 1.699_010_795_52;
/** Hundredths of a second, as TimeTicks count. */
export const TICK = 0.01;
