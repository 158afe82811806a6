export type { MapDoubt } from './topology-schema.ts';

/** Typed links. Each reads left to right: a PDU feeds a server, a server contains a GPU, a service runs_on a node. */
export const edgeKinds = ['feeds', 'contains', 'runs_on', 'connects', 'calls', 'member_of'] as const;
export type EdgeKind = (typeof edgeKinds)[number];
