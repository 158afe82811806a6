// What snmpd asks for the objects of a recording, over its pass_persist protocol (snmpd.conf(5)): the recording is read
// again whenever it has changed, so that a test can trip a breaker.
import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file] = process.argv;
const types = {
  2: 'integer',
  4: 'string',
  6: 'objectid',
  65: 'counter',
  66: 'gauge',
  67: 'timeticks',
  70: 'counter64',
};
let read = 0;
let rows = [];

const compare = (a, b) => {
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at] - b[at];
  return a.length - b.length;
};
const numbers = (oid) => oid.replace(/^\./, '').split('.').map(Number);

function recording() {
  const { mtimeMs } = statSync(file);
  if (mtimeMs !== read)
    rows = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^[\d.]+\|\d+\|/.test(line))
      .map((line) => line.split('|'))
      .map(([oid, tag, ...value]) => ({ oid: numbers(oid), type: types[tag] ?? 'string', value: value.join('|') }))
      .sort((a, b) => compare(a.oid, b.oid));
  read = mtimeMs;
  return rows;
}

function answer(command, oid) {
  const wanted = numbers(oid);
  const found = recording().find((row) =>
    command === 'get' ? compare(row.oid, wanted) === 0 : compare(row.oid, wanted) > 0,
  );
  return found ? `.${found.oid.join('.')}\n${found.type}\n${found.value}` : 'NONE';
}

let command = '';
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'PING') console.log('PONG');
  else if (line === 'get' || line === 'getnext') command = line;
  else if (command !== '') {
    console.log(answer(command, line));
    command = '';
  }
}
