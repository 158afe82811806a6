import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rocmSmi } from '../../src/main/sources/rocm-smi/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { readSource, samplesOf } from '../support/read-source.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

const read = (text: string) => readSource(rocmSmi, text, { assume: { device: 'amd-1' } });
const fixture = (name: string) => read(readFileSync(`fixtures/rocm-smi/${name}`, 'utf8'));
const detects = (text: string) => rocmSmi.detect(new FileHead(Buffer.from(text)));

describe('detection', () => {
  test.each([
    ['{"card0":{"GPU use (%)":"5"}}'],
    ['{"card0": {"GPU ID": "0x1", "Temperature (Sensor edge) (C)": "31'.concat('.0"')],
  ])('claims %j', (text) => expect(detects(text)).toBe(true));
  test.each([['{"card0":{"name":"x"}}'], ['{"card":{"GPU use (%)":"5"}}'], ['[]'], ['']])('leaves %j', (text) =>
    expect(detects(text)).toBe(false),
  );
});

describe('recorded cards', () => {
  test('a Vega 10: power, temperatures by sensor, memory, clocks, fan', async () => {
    const reading = await fixture('vega-10-XT.json');
    const values = new Map(
      samplesOf(reading).map((s) => [`${s.metric} ${String(s.attributes['sensor'] ?? '')}`.trim(), s.value]),
    );
    expect(Object.fromEntries(values)).toMatchObject({
      'hw.power': 15,
      'hw.power.limit': 170,
      'hw.temperature edge': 39,
      'hw.temperature junction': 40,
      'hw.gpu.memory.temperature memory': 92,
      'hw.gpu.utilization': 0,
      'hw.gpu.memory.limit': 17163091968,
      'hw.gpu.memory.usage': 17776640,
      'hw.gpu.clock.sm': 1269,
      'hw.gpu.clock.memory': 167,
      'hw.fan.speed': 682,
      'hw.fan.speed_ratio': 13,
      'hw.voltage': 0.906,
      'hw.gpu.pcie.replays': 0,
      'rocm_smi.socclk_clock_speed': 960,
    });
    expect([...reading.entities.keys()]).toContain('gpu:GPU-02150e7d042a1124');
    expect(reading.entities.get('gpu:GPU-02150e7d042a1124')?.aliases).toContain('pci_address=amd-1/pci-0000:04:00');
    expect(samplesOf(reading).every(({ time_ns }) => time_ns === CAPTURED_NS)).toBe(true);
    expect(reading.remarks.join()).toContain('no times in the file');
  });

  test('several cards without a unique id go by their index; levels and versions are no measurements', async () => {
    const reading = await fixture('mi100_rocm571.json');
    const gpus = [...reading.entities.keys()].filter((name) => name.startsWith('gpu:'));
    const cards = Object.keys(JSON.parse(readFileSync('fixtures/rocm-smi/mi100_rocm571.json', 'utf8'))).filter((name) =>
      name.startsWith('card'),
    );
    expect(gpus).toHaveLength(cards.length);
    expect(gpus[0]).toBe('gpu:amd-1/gpu0');
    expect(samplesOf(reading).some(({ metric }) => /level|version|_id$/.test(metric))).toBe(false);
    const watts = samplesOf(reading).filter(({ metric }) => metric === 'hw.power');
    expect(watts).toHaveLength(cards.length);
    expect(watts[0]?.value).toBe(39);
  });
});

describe('hostile input', () => {
  test.each([
    ['{"card0":{"GPU use (%)":"N/A","Voltage (mV)":null,"Fan RPM":{"a":1}}}'],
    ['{"card0":{"GPU use (%)":"9e999"},"card1":[1],"system":"x"}'],
    ['{"card0":{"Average Graphics Package Power (V)":"5"}}'],
  ])('%j has no usable value', async (text) => {
    expect(samplesOf(await read(text))).toEqual([]);
  });

  test('cut JSON is refused', async () => {
    await expect(read('{"card0":{"GPU use (%)":"5"')).rejects.toMatchObject({
      problem: { code: 'rocm_smi.broken_json' },
    });
  });
});
