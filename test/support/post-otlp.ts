import { expect } from 'vitest';

/** One OTLP/JSON request as an exporter sends it: again while the receiver has no room. */
export async function postOtlp(url: string, body: string): Promise<void> {
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 429) return expect(answer.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
