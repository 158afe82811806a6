// ClickHouse itself, in this process (chdb), behind the part of its HTTP interface that archives use. Prints its port.
// As the server does, it binds param_*, applies settings of the address, and changes nothing for readonly=2.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';

const folder = mkdtempSync(join(tmpdir(), 'faultline-test-'));
const session = new Session(join(folder, 'data'));
let answers = 0;

const literal = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** Those that the front itself answers for. */
const ownSettings = ['readonly', 'wait_end_of_query', 'query'];

function prepare(query, sql) {
  if (query.get('readonly') === '2' && !/^\s*(--.*\s+)*(select|with)\b/i.test(sql))
    throw new Error('Code: 164. DB::Exception: Cannot execute query in readonly mode.');
  // Of a statement alone, as at the server; here the session would go on with it.
  session.query("SET additional_table_filters = '{}'", 'CSV');
  for (const [name, value] of query)
    if (!ownSettings.includes(name)) session.query(`SET ${name} = ${literal(value)}`, 'CSV');
}

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

const server = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
  let sql = '';
  request.on('data', (chunk) => (sql += chunk));
  request.on('end', () => {
    try {
      const { searchParams } = new URL(request.url, 'http://localhost');
      // As a statement that inserts may be in the address, its rows in the body.
      const statement = searchParams.has('query') ? `${searchParams.get('query')}\n${sql}` : sql;
      prepare(searchParams, statement);
      response.end(answerOf(statement));
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
