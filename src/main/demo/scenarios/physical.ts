import { timeAt } from '../incident.ts';
import { faultAt_s, jsonText, type Scene } from './scene.ts';

interface PhysicalEvent {
  /** Seconds after the fault began. */
  readonly after_s: number;
  readonly source: string;
  readonly type: string;
  readonly severity: 'critical' | 'high' | 'medium' | 'low';
  readonly device_id: string;
  readonly raw_message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Events of power, cooling and controllers as PowerTrace JSON. */
export const physicalFile = (scene: Scene, events: readonly PhysicalEvent[]): [name: string, text: string] => [
  'physical-events.json',
  jsonText({
    events: events
      .toSorted((a, b) => a.after_s - b.after_s)
      .map(({ after_s, ...event }, i) => ({
        id: `evt_${String(i + 1).padStart(3, '0')}`,
        timestamp: timeAt(faultAt_s(scene) + after_s),
        ...event,
      })),
  }),
];
