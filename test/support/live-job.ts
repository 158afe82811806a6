interface Operation {
  readonly from_ns: bigint;
  /** null: not completed. */
  readonly to_ns: bigint | null;
}

/** A training job that runs now: lines of its logs, and the dumps of its ranks. */
export class LiveJob {
  private readonly ranks: number;
  private readonly operations: Operation[][];
  private steps = 0;

  constructor(ranks: number) {
    this.ranks = ranks;
    this.operations = Array.from({ length: ranks }, () => []);
  }

  /** Does one more step. @returns the line of each rank */
  step(): string[] {
    this.steps++;
    const now = Date.now();
    const time = new Date(now).toISOString().replace('T', ' ').replace('Z', '').replace('.', ',');
    const from_ns = BigInt(now) * 1_000_000n;
    for (const own of this.operations) own.push({ from_ns, to_ns: from_ns + 100_000_000n });
    return this.operations.map(
      (_, rank) => `${time} - trainer - INFO - [rank${rank}] step: ${this.steps} loss: 2.17 step time: 0.25 s\n`,
    );
  }

  /** All ranks but one enter the next operation. */
  hang(lost: number): void {
    const now_ns = BigInt(Date.now()) * 1_000_000n;
    this.operations.forEach((own, rank) => {
      if (rank !== lost) own.push({ from_ns: now_ns + BigInt(rank) * 1_000_000n, to_ns: null });
    });
  }

  /** The flight recorder's dump of a rank. */
  dump(rank: number): string {
    const ranks = `[${Array.from({ length: this.ranks }, (_, at) => at).join(', ')}]`;
    const pg_config = { '0': { name: '0', desc: 'default_pg', ranks } };
    const entries = this.operations[rank]!.map(entryOf);
    // Times have more digits than a number of JavaScript.
    return JSON.stringify({ version: '2.10', pg_config, pg_status: {}, entries }).replaceAll(/"ns:(\d+)"/g, '$1');
  }
}

function entryOf({ from_ns, to_ns }: Operation, at: number): object {
  const sequence = at + 1;
  return {
    ...{
      record_id: sequence,
      pg_id: 0,
      process_group: ['0', 'default_pg'],
      collective_seq_id: sequence,
      p2p_seq_id: 0,
    },
    ...{ op_id: sequence, profiling_name: 'nccl:all_reduce', time_created_ns: `ns:${from_ns}` },
    ...{
      input_sizes: [[4096, 5120]],
      input_dtypes: ['BFloat16'],
      output_sizes: [[4096, 5120]],
      output_dtypes: ['BFloat16'],
    },
    ...{ state: to_ns === null ? 'started' : 'completed', time_discovered_started_ns: `ns:${from_ns + 1_000_000n}` },
    ...{ time_discovered_completed_ns: to_ns === null ? 0 : `ns:${to_ns}`, retired: to_ns !== null },
    ...{ timeout_ms: 600_000, is_p2p: false },
  };
}
