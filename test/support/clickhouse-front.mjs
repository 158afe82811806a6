// ClickHouse itself, in this process (chdb), behind the part of its HTTP interface that pulls use. Prints its port.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';

const folder = mkdtempSync(join(tmpdir(), 'faultline-test-'));
const session = new Session(join(folder, 'data'));
let answers = 0;

function answerOf(sql) {
  const [, select] = /^([\s\S]*) FORMAT Parquet$/.exec(sql) ?? [];
  if (select === undefined) return session.query(sql, 'JSON');
  // Texts of the library cannot hold bytes.
  const file = join(folder, `answer-${answers++}.parquet`);
  session.query(
    `${select} INTO OUTFILE '${file}' FORMAT Parquet SETTINGS output_format_parquet_string_as_string = 1`,
    'CSV',
  );
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
}

const server = createServer((request, response) => {
  let sql = '';
  request.on('data', (chunk) => (sql += chunk));
  request.on('end', () => {
    try {
      response.end(answerOf(sql));
    } catch (error) {
      response.writeHead(500).end(String(error.message ?? error));
    }
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.once('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
