// A process of `benchAgents`: a number of PDUs on loopback, each with so many outlets whose current and power wander.
// Prints the ports, one line.
import { agentOn, GAUGE32, OBJECT_ID, ObjectTable, OCTETS, TICKS, type Value } from '../test/support/snmp-agent.ts';

const [agents = 1, outlets = 1] = process.argv.slice(2).map(Number);
const began = Date.now();
/** rPDU2OutletMeteredStatusTable of PowerNet-MIB. */
const OUTLET = '1.3.6.1.4.1.318.1.1.26.9.4.3.1';
const wander = (seed: number, middle: number): Value => ({
  tag: GAUGE32,
  value: Math.round(middle * (1 + 0.1 * Math.sin(Date.now() / 30_000 + seed)) + Math.random() * 3),
});

const ports: number[] = [];
for (let agent = 0; agent < agents; agent++) {
  const values = new Map<string, () => Value>([
    ['1.3.6.1.2.1.1.2.0', () => ({ tag: OBJECT_ID, value: '1.3.6.1.4.1.318.1.3.4.6' })],
    ['1.3.6.1.2.1.1.3.0', () => ({ tag: TICKS, value: Math.round((Date.now() - began) / 10) + 1000 })],
    ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: `pdu-${agent + 1}` })],
  ]);
  for (let outlet = 1; outlet <= outlets; outlet++) {
    values.set(`${OUTLET}.3.${outlet}`, () => ({ tag: OCTETS, value: `outlet ${outlet}` }));
    values.set(`${OUTLET}.6.${outlet}`, () => wander(outlet, 30));
    values.set(`${OUTLET}.7.${outlet}`, () => wander(outlet + agent, 700));
  }
  const table = new ObjectTable(values);
  const { port } = await agentOn((request, reply) => reply(table.answer(request)));
  ports.push(port);
}
console.log(ports.join(' '));
