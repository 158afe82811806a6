import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { asList, asObject, asText, type Json, rawText } from '../bytes/json-access.ts';
import { appendHealthEvent } from './health-event.ts';

/** The three calls of the Health API, joined by the event's ARN once all are known. */
export class HealthCalls {
  private readonly events = new Map<string, Json>();
  private readonly descriptions = new Map<string, string>();
  private readonly entities = new Map<string, Set<string>>();

  /** @returns why an answer cannot be used, or '' */
  add(answer: Json): string {
    for (const one of asList(answer.events)) this.event(asObject(one));
    for (const one of asList(answer.successfulSet)) {
      const { event, eventDescription } = asObject(one);
      this.event(asObject(event));
      this.descriptions.set(asText(asObject(event).arn), asText(asObject(eventDescription).latestDescription));
    }
    for (const one of asList(answer.entities)) {
      const { eventArn, entityValue } = asObject(one);
      const arn = asText(eventArn);
      const known = this.entities.get(arn) ?? new Set();
      this.entities.set(arn, known.add(asText(entityValue)));
    }
    return '';
  }

  private event(event: Json): void {
    const arn = asText(event.arn);
    this.events.set(arn, { ...this.events.get(arn), ...event });
  }

  append(builder: BatchBuilder): void {
    for (const [arn, event] of this.events) {
      const problem = appendHealthEvent(builder, {
        arn,
        service: asText(event.service),
        code: asText(event.eventTypeCode),
        category: asText(event.eventTypeCategory),
        region: asText(event.region),
        status: asText(event.statusCode),
        start: event.startTime,
        end: event.endTime,
        reportedTime: event.lastUpdatedTime,
        description: this.descriptions.get(arn) ?? '',
        entities: [...(this.entities.get(arn) ?? [])],
        raw: rawText(event),
      });
      if (problem !== '') builder.reject(arn, 0, problem, rawText(event).slice(0, 500));
    }
    const lone = [...this.entities.keys()].filter((arn) => !this.events.has(arn));
    if (lone.length > 0)
      builder.remark(`affected entities of ${lone.length} events that no file here describes are left out`);
  }
}
