import { z } from 'zod';
import { annotationChangeSchema, annotationSchema } from '../incident/annotation-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { edgeKinds } from '../topology.ts';
import { mapDoubtSchema } from '../topology-schema.ts';
import { call } from './procedure.ts';

const topologyNodeSchema = z.object({
  /** `kind:id`; the canonical name of the entity. */
  key: z.string(),
  kind: z.string(),
  id: z.string(),
  /** What people call it, if its id is the UUID or bus address of a card: `gpu-node-02 GPU 3`. */
  name: z.string().optional(),
  layer: z.string(),
  /** Whether any event or sample was recorded about it: only for these is a lack of events evidence. */
  recorded: z.boolean(),
  /** Place in the rack, lowest unit first; null if unknown. */
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
  /** Provenance: data sources, or `investigator`. */
  provenance: z.array(z.string()),
  /** The annotation that added the edge, or took it away; null as recorded. */
  edit: z.string().nullable(),
});
export type TopologyEdge = z.infer<typeof topologyEdgeSchema>;

/** An open proposal: a link between two devices found by a live feed; it does not count. */
const proposedEdgeSchema = topologyEdgeSchema.extend({
  /** Names of the feeds. */
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
