import { withEither } from '../../../base/with-either.ts';
import { fail } from '../../../model/problem.ts';
import { gcpHealth } from '../../sources/gcp-health/index.ts';
import { HttpFailure } from '../cloud/fetch-json.ts';
import type { CloudAnswer } from '../cloud/poll.ts';
import type { GcpPlan } from './plan.ts';

const LONGEST_ANSWER = 4096;

/** Maintenance events of this machine from the metadata server; each request waits until the value changes. */
export class MaintenanceWatch {
  private readonly plan: GcpPlan;
  private etag = '';
  private event = 'NONE';
  private instance: { readonly id: string; readonly name: string } | null = null;

  constructor(plan: GcpPlan) {
    this.plan = plan;
  }

  /** @throws HttpFailure; ProblemError feed.no_metadata; what fetch throws */
  async poll(signal: AbortSignal): Promise<{ answers: readonly CloudAnswer[]; about: string }> {
    this.instance ??= { id: (await this.get('id', signal)).text, name: (await this.get('name', signal)).text };
    const wait = `?wait_for_change=true&timeout_sec=${Math.ceil(this.plan.every_s)}&last_etag=${encodeURIComponent(this.etag)}`;
    const { text, etag } = await this.get(`maintenance-event${this.etag === '' ? '' : wait}`, signal);
    const previous = this.event;
    const isNew = etag !== this.etag && text !== previous;
    this.etag = etag;
    this.event = text;
    const about = `${this.instance.name}: ${text === 'NONE' ? 'no maintenance' : text}`;
    if (!isNew) return { answers: [], about };
    const answer = { ...this.instance, maintenanceEvent: text, previousMaintenanceEvent: previous, etag };
    return { answers: [{ source: gcpHealth, name: 'metadata server', answers: [answer] }], about };
  }

  private async get(path: string, signal: AbortSignal): Promise<{ text: string; etag: string }> {
    const { metadata_endpoint, timeout_s, every_s } = this.plan;
    const waits = path.includes('?') ? Math.ceil(every_s) : 0;
    const url = `${metadata_endpoint.replace(/\/+$/, '')}/computeMetadata/v1/instance/${path}`;
    return await withEither([signal, AbortSignal.timeout((timeout_s + waits) * 1000)], (patience) =>
      readMetadata(url, patience),
    );
  }
}

async function readMetadata(url: string, signal: AbortSignal): Promise<{ text: string; etag: string }> {
  const answer = await fetch(url, { headers: { 'metadata-flavor': 'Google' }, signal, redirect: 'error' });
  if (!answer.ok) throw new HttpFailure(answer.status, '');
  // Something else may answer at that address.
  if (answer.headers.get('metadata-flavor') !== 'Google')
    fail('feed.no_metadata', 'what answers is not the metadata server of Google Cloud');
  const text = (await answer.text()).trim().slice(0, LONGEST_ANSWER);
  return { text, etag: answer.headers.get('etag') ?? '' };
}
