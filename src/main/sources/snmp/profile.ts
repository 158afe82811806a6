import type { EntityKind } from '../../../model/entity.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { SnmpWalk } from './walk.ts';

/**
 * What a vendor's MIB says, as data: which columns mean what, in which unit. Object names are those of the MIB; they
 * let a walk that was written with names be read as one written with numbers, and name what has no common metric.
 */
export interface Profile {
  readonly vendor: string;
  /** The module that most of its names are in: `MIB::object`. */
  readonly mib: string;
  /** What the device is that answers these tables. */
  readonly kind: EntityKind;
  /** Below enterprises (1.3.6.1.4.1): what sysObjectID starts with. */
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
  /** Module of the table's names, where it is not the profile's. */
  readonly mib?: string;
  /** OID of the entry; a column's values are at `<at>.<column>.<index>`. */
  readonly at: string;
  /**
   * What the components of the index count, the last one taking all that remain; [] for scalars, whose column keys
   * then are the rest of the OID. `unit`, `outlet`, `port` and `psu` are things of their own (the first unit being the
   * device itself), `group` belongs to a port that follows, `*` to the number of the last part, `-` is passed over,
   * and every other word becomes an attribute of the series (`phase`, `bank`, `line`, `breaker`, `inlet`, `sensor`).
   */
  readonly index: readonly string[];
  /** Where the device names the row: for an outlet its designation, for other rows the value of the last attribute. */
  readonly label?: Lookup;
  /** The name that people gave to the row. */
  readonly name?: Lookup;
  /** Column that holds the number of the unit, where it is not in the index. */
  readonly unit?: number;
  /** Attributes that all series of a row carry. */
  readonly attributes?: Attributes | ((row: Row) => Attributes);
  /** Whether there is anything in the row; without it every row counts. */
  readonly when?: (row: Row) => boolean;
  /** Further columns that a walk may name; their values are used by other columns. */
  readonly objects?: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, Column>>;
}

export type Attributes = Readonly<Record<string, unknown>>;
export type Column = Reading | Code | Dynamic;
/** A column of the same row, or `<oid>.<index>` for a row of another table; a function where it takes more. */
export type Lookup = string | number | ((row: Row) => string);

/** A measurement: `scale` metric units are one unit of the raw number. */
export interface Reading {
  readonly object: string;
  readonly metric: MetricName | OwnMetric;
  readonly scale: number;
  /** Negative numbers are readings; without it they say "not reported". */
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
/** Where limits stand: a column of the same row in the same raw unit, or a row of the same index elsewhere. */
export type Limits = { readonly [name in LimitName]?: number | LimitElsewhere };
export interface LimitElsewhere {
  /** OID of the column. */
  readonly at: string;
  /** As a reading's; without it the reading's own. */
  readonly scale?: number;
  /** `at` is the whole OID: one limit for all rows. */
  readonly scalar?: boolean;
}

/** A code. It is kept under the object's own name; where `as` knows the meaning, as that metric too. */
export interface Code {
  readonly object: string;
  readonly codes: Readonly<Record<number, string>>;
  readonly as?: Meaning;
  readonly attributes?: Attributes;
}
/** How a vendor's codes stand for those of a common metric; codes that are missing have no counterpart. */
export interface Meaning {
  readonly metric: MetricName;
  readonly map: Readonly<Record<number, number>>;
  /** The mapped codes are the metric's own: the object's name is kept only for codes that it lacks. */
  readonly same?: boolean;
}

/** A column whose unit or scale stands in other columns. A text says why the value cannot be understood. */
export interface Dynamic {
  readonly object: string;
  readonly of: (row: Row) => Reading | Code | string | undefined;
}

/** One row of a table, as the columns that need others see it. */
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

/** A measurement of a metric that importers agree on. */
export const reading = (object: string, metric: MetricName, scale = 1, options: ReadingOptions = {}): Reading => ({
  object,
  metric,
  scale,
  ...options,
});

/** A measurement that is nothing of the common metrics: it keeps the object's name. */
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
