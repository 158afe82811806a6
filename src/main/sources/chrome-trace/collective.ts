import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesJson } from '../traces/span-rows.ts';
import type { TraceEvent } from './format.ts';
import { type Header, rankList } from './header.ts';

const KERNEL = /^nccl(?:Dev)?Kernel_([A-Za-z]+)/;

/** Whether a slice is an NCCL kernel: what a collective does on the device. */
export const isCollective = ({ name, category }: TraceEvent): boolean =>
  KERNEL.test(name) && (category === 'kernel' || category === '');

/**
 * A kernel of NCCL as a `collective` row (names of arguments: torch/csrc/distributed/c10d/ParamCommsUtils.hpp). On ranks
 * that came early its duration includes the waiting: the shortest of a collective's kernels is that of the last rank.
 */
export function appendCollective(
  builder: BatchBuilder,
  header: Header,
  rank: number,
  event: TraceEvent,
  start_ns: bigint,
  end_ns: bigint,
): void {
  const { args } = event;
  const group = text(args['Process Group Name']);
  const ranks = rankList(args['Process Group Ranks']) || (header.groups.get(group) ?? '');
  const { seq, Seq = seq } = args;
  builder.table('collective').push({
    rank,
    group_id: builder.name(group),
    group_name: builder.name(text(args['Process Group Description'])),
    group_ranks: builder.name(ranks),
    sequence: Number.isSafeInteger(Seq) && (Seq as number) >= 0 ? BigInt(Seq as number) : -1n,
    p2p_sequence: -1n,
    operation: builder.name(text(args['Collective name']) || operationOf(event.name)),
    state: builder.name('completed'),
    created_ns: 0n,
    started_ns: start_ns,
    completed_ns: end_ns,
    dtype: builder.name(text(args['dtype'])),
    input_sizes: elements(args['In msg nelems']),
    output_sizes: elements(args['Out msg nelems']),
    attributes: attributesJson({ kernel: event.name, device: event.pid, stream: event.tid, ...args }),
  });
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const elements = (value: unknown): string => (typeof value === 'number' ? `[[${value}]]` : '');

/** `ncclDevKernel_AllReduce_Sum_f32_RING_LL` is an all_reduce. */
const operationOf = (kernel: string): string =>
  (KERNEL.exec(kernel)?.[1] ?? '').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
