import { expect, test } from 'vitest';
import { readLogText } from '../../src/main/sources/log-events/read-log-text.ts';

test.each([
  '1:M 05 May 2026 02:18:04.120 * Ready to accept connections tcp',
  '1:M 05 May 2026 02:18:04.120 * DB loaded from disk: 0.002 seconds; ready to accept connections',
  '2026-05-05 02:18:04.120 UTC [1] LOG:  database system is ready to accept connections',
  "[Server] /usr/sbin/mysqld: ready for connections. Version: '8.0.36'  port: 3306",
  '{"c":"NETWORK","msg":"Waiting for connections","attr":{"port":27017,"ssl":"off"}}',
  'INFO:     Application startup complete.',
  'INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit), listening on 0.0.0.0:8000',
  'Application started. Press Ctrl+C to shut down.',
  'Now listening on: http://[::]:8080',
  'Started OrderApplication in 4.218 seconds (process running for 4.9)',
  'Server startup in [3120] milliseconds',
  'grpc server listening on port 50051',
  '[notice] 1#1: start worker processes',
  'Started GRPCInferenceService at 0.0.0.0:8001',
  'The server is fired up and ready to roll!',
])('%s is a start', (line) => {
  expect(readLogText(line, 'program')).toMatchObject({ type: 'process_started', severity: 'low', message: line });
});

test.each([
  'waiting for postgres to be ready to accept connections',
  'upstream is not ready for connections yet',
  'stopped listening on :8080',
  'the user is listening on channel 5',
  'readiness probe: checking whether the database system is ready to accept connections',
  'connection refused: nothing is listening on 10.0.0.4:6379, is it shut down?',
])('%s is none', (line) => {
  expect(readLogText(line, 'program')).toBeUndefined();
});
