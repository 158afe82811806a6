import { type ChildProcess, fork } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { onTestFinished, vi } from 'vitest';
import { TestArchive } from './archive-pull.ts';
import { temporaryFolder } from './core.ts';

const ACCESS_KEY = 'S3RVER';
/** The real server checks no signatures of version 4: what is before it does, by this key. */
export const SECRET_KEY = 'a secret/key+of the test';

export interface Bucket {
  /** Of the front, which checks signatures and makes faults. */
  readonly url: string;
  readonly requests: readonly string[];
  put(key: string, content: string | Buffer): Promise<void>;
  remove(key: string): Promise<void>;
}

/** A real S3 server in a process of its own, behind a front. @param fault answers in place of it; false: it answers */
export async function s3Bucket(
  fault: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => false,
): Promise<Bucket> {
  vi.stubEnv('FAULTLINE_TEST_SECRET_KEY', SECRET_KEY);
  const child: ChildProcess = fork(join(import.meta.dirname, 's3-server.mjs'), [await temporaryFolder()], {
    silent: true,
    execArgv: ['--openssl-legacy-provider'],
  });
  onTestFinished(() => void child.disconnect());
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout!.once('data', (chunk) => resolve(Number(chunk)));
    child.once('exit', () => reject(new Error('s3rver did not start')));
  });
  const front = await new TestArchive(async (request, response) => {
    const wrong = isPublic(request) ? undefined : whyNotSigned(request);
    if (wrong !== undefined) {
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end(
        `<?xml version="1.0"?>\n<Error><Code>SignatureDoesNotMatch</Code><Message>${wrong}</Message></Error>`,
      );
    } else if (!(await fault(request, response)))
      request.pipe(
        forward({ port, method: request.method, path: request.url, headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        }),
      );
  }).begin();
  const client = new AwsClient({ accessKeyId: ACCESS_KEY, secretAccessKey: ACCESS_KEY, service: 's3', retries: 0 });
  const send = async (method: string, key: string, body?: string | Buffer): Promise<void> => {
    const path = key.split('/').map(encodeRfc3986).join('/');
    const answer = await client.fetch(`http://127.0.0.1:${port}/fleet/${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  return {
    url: front.url,
    requests: front.requests,
    put: (key, content) => send('PUT', key, content),
    remove: (key) => send('DELETE', key),
  };
}

const isPublic = ({ headers }: IncomingMessage): boolean => headers.authorization === undefined;

const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** By https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. */
function whyNotSigned({ method, url, headers }: IncomingMessage): string | undefined {
  const [, access, scope = '', names = '', signature] =
    /Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(headers.authorization!) ?? [];
  if (access !== ACCESS_KEY) return `there is no access key ${access}`;
  const { pathname, searchParams } = new URL(url!, 'http://here');
  const path = pathname.split('/').map((name) => encodeRfc3986(decodeURIComponent(name)));
  const query = [...searchParams].map(([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`).toSorted();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const time = String(headers['x-amz-date']);
  const canonical = [
    method,
    path.join('/'),
    query.join('&'),
    signed.join(''),
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const [date = '', region = '', service = ''] = scope.split('/');
  const key = hmac(hmac(hmac(hmac(`AWS4${SECRET_KEY}`, date), region), service), 'aws4_request');
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  if (region !== 'eu-central-1') return `the region ${region} is wrong`;
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'the signature is not that of the request';
}

/** A plan of the bucket of a front. */
export const bucketPlan = (url: string, more: string): string =>
  `kind: bucket\nurl: ${url}\nbucket: fleet\nregion: eu-central-1\naccess_key: ${ACCESS_KEY}\nsecret_key: env:FAULTLINE_TEST_SECRET_KEY\nrequests_per_s: 1000\n${more}`;
