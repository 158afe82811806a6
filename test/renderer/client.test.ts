import { ORPCError } from '@orpc/client';
import { describe, expect, test } from 'vitest';
import { PROBLEM_CODE } from '../../src/model/contract/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { readUploadAnswer, uploadAddress } from '../../src/renderer/client/adopt-files.ts';
import { createClient } from '../../src/renderer/client/client.ts';
import { describeProblem, problemOf } from '../../src/renderer/client/problem-of.ts';
import { type Link, webAddress } from '../../src/renderer/client/transport.ts';

const problem = {
  code: 'file.unknown_format',
  message: 'no importer knows it',
  hint: 'name the format',
  place: 'a.docx',
};
const clientOf = (call: Link['call']) => createClient({ call }, () => undefined);

describe('errors', () => {
  test('an expected failure arrives as its Problem', async () => {
    const error = new ORPCError(PROBLEM_CODE, { message: problem.message, data: problem });
    const failed = clientOf(async () => {
      throw error;
    }).call('timeline.lanes', {});
    await expect(failed).rejects.toBeInstanceOf(ProblemError);
    await expect(failed).rejects.toMatchObject({ problem });
  });
  test('a bug, a problem and an unknown procedure are distinguished', () => {
    expect(problemOf(new ORPCError('INTERNAL_SERVER_ERROR', { message: 'boom' }))).toMatchObject({
      code: 'call.internal_server_error',
      message: 'boom',
    });
    expect(problemOf(new ORPCError('NOT_FOUND'))).toMatchObject({ code: 'call.unknown' });
    expect(problemOf(new ORPCError(PROBLEM_CODE, { data: { nonsense: true } })).code).toBe(
      `call.${PROBLEM_CODE.toLowerCase()}`,
    );
  });
  test('a lost connection is reported with a hint', () => {
    expect(problemOf(new Error('Cannot send message, WebSocket is not open.'))).toMatchObject({
      code: 'connection.lost',
    });
    expect(problemOf('odd')).toMatchObject({ code: 'window.failure', message: 'odd' });
  });
  test('an abort stays an abort and is no failure', async () => {
    const aborted = new DOMException('gone', 'AbortError');
    await expect(clientOf(() => Promise.reject(aborted)).call('case.current', {})).rejects.toBe(aborted);
  });
  test('a stream that fails midway fails as a Problem after what it yielded', async () => {
    async function* events() {
      yield { kind: 'done', imported: 1, failed: 0 };
      throw new ORPCError(PROBLEM_CODE, { message: problem.message, data: problem });
    }
    const stream = clientOf(async () => events()).stream('import.run', { handles: ['a'] });
    expect((await stream.next()).value).toMatchObject({ kind: 'done' });
    await expect(stream.next()).rejects.toMatchObject({ problem });
  });
  test('details for the clipboard contain everything', () => {
    expect(describeProblem(problem)).toBe(
      'file.unknown_format: no importer knows it\nplace: a.docx\nhint: name the format',
    );
  });
});

test('a call names its procedure flatly and reports how long it took', async () => {
  const calls: unknown[] = [];
  const received: string[] = [];
  const client = createClient({ call: async (path, input) => calls.push([path, input]) }, (name) =>
    received.push(name),
  );
  await client.call('evidence.get', { ref: 'event:1' });
  expect(calls).toEqual([[['evidence.get'], { ref: 'event:1' }]]);
  expect(received).toEqual(['evidence.get']);
});

describe('web addresses', () => {
  test('follow the page, its scheme and its token', () => {
    expect(webAddress({ protocol: 'http:', host: '127.0.0.1:7', search: '' }, '/ws')).toBe('ws://127.0.0.1:7/ws');
    expect(webAddress({ protocol: 'https:', host: 'h', search: '?t=1' }, '/ws')).toBe('wss://h/ws?t=1');
    expect(uploadAddress('?t=1', { name: 'a b&c.json', lastModified: 5 }, null)).toBe(
      '/upload?t=1&name=a+b%26c.json&modified=5',
    );
    expect(uploadAddress('?t=1', { name: 'x', lastModified: 7 }, { group: 'g', path: 'b/x' })).toBe(
      '/upload?t=1&name=x&modified=7&group=g&path=b%2Fx',
    );
  });
  test('an upload returns a handle or a problem that names the file', () => {
    const file = { name: 'a.pb' };
    expect(readUploadAnswer(200, '{"handle":"h","name":"a.pb","bytes":3}', file)).toEqual({
      handle: 'h',
      name: 'a.pb',
      bytes: 3,
    });
    expect(() => readUploadAnswer(200, '<html>', file)).toThrow('did not accept a.pb');
    expect(() => readUploadAnswer(413, '{"code":"file.too_large","message":"too large"}', file)).toThrow('too large');
    expect(() => readUploadAnswer(500, '', file)).toThrow('a.pb: the host answered with status 500');
  });
});
