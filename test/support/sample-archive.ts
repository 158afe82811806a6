import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { TestArchive } from './archive-pull.ts';
import { samplesOf } from './sample-answers.ts';

/** Answers a request in place of the archive; false: the archive answers. */
export type Fault = (request: IncomingMessage, response: ServerResponse, body: string) => boolean;

/** A server with the part of Prometheus' API that pulls of samples use, and faults. */
export function sampleArchive(fault: Fault = () => false): Promise<TestArchive> {
  const answer: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (fault(request, response, body)) return;
      response.setHeader('content-type', 'application/json');
      response.end(samplesOf(body));
    });
  };
  return new TestArchive(answer).begin();
}
