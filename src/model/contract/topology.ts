import { z } from 'zod';
import { annotationChangeSchema, annotationSchema } from '../incident/annotation.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { edgeKinds, mapDoubtSchema } from '../topology.ts';
import { call } from './procedure.ts';

const topologyNodeSchema = z.object({
  /** `kind:id`; the name that stands for all names of the thing. */
  key: z.string(),
  kind: z.string(),
  id: z.string(),
  layer: z.string(),
  /** Whether any event or sample was recorded about it: only of these can "nothing happened" be told. */
  recorded: z.boolean(),
  /** Place in the rack, lowest unit first; null where nobody told. */
  unit: z.number().nullable(),
});
export type TopologyNode = z.infer<typeof topologyNodeSchema>;

const topologyEdgeSchema = z.object({
  /** Indexes into `nodes`. */
  from: z.number().int(),
  to: z.number().int(),
  kind: z.enum(edgeKinds),
  /** On the case's clock; null: always, or open at that end. */
  from_ns: anyNanos.nullable(),
  until_ns: anyNanos.nullable(),
  /** Who says so: files, or `investigator`. */
  provenance: z.array(z.string()),
  /** The annotation that added the edge, or took it away; null as recorded. */
  edit: z.string().nullable(),
});
export type TopologyEdge = z.infer<typeof topologyEdgeSchema>;

/** What a live feed found out about two devices and nobody has judged yet; it does not count. */
const proposedEdgeSchema = topologyEdgeSchema.extend({
  /** Names of the feeds that say so. */
  sources: z.array(z.string()),
  /** When the first of them began to be recorded. */
  reported_ns: anyNanos,
});
export type ProposedEdge = z.infer<typeof proposedEdgeSchema>;

export const topologySchema = z.object({
  nodes: z.array(topologyNodeSchema),
  /** What holds: as recorded, with the investigator's edits. */
  edges: z.array(topologyEdgeSchema),
  /** Adding one of them as it is accepts it, taking it away rejects it. */
  proposed: z.array(proposedEdgeSchema),
  /** What was recorded or proposed and the investigator took away. */
  removed: z.array(topologyEdgeSchema),
  doubts: z.array(mapDoubtSchema),
});
export type Topology = z.infer<typeof topologySchema>;

export const topologyContract = {
  'topology.get': call(z.object({}), topologySchema),
  'annotations.list': call(z.object({}), z.array(annotationSchema)),
  /** Changed edges are ranked anew at the next question. */
  'annotations.change': call(annotationChangeSchema, z.object({})),
} as const;
