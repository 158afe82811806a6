/** SQL of rows in an order. */
export interface OrderedRows {
  readonly sql: string;
  /** Where rows are so wide that the engine cannot sort all of them at once. */
  readonly wide?: {
    /** SQL of some of the rows each, in order; one after the other they are what `sql` answers. */
    readonly parts: readonly string[];
    /** SQL of how many rows they are together; `sql` would be sorted for it. */
    readonly count: string;
    /** Rows of a row group of a file. */
    readonly row_group: number;
  };
}
