import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { ADOPT, type Booted, clientOver, connect, eventually, firstWindow, PORT, settled } from '../harness.ts';
import type { Check } from './check.ts';
import { HOSTILE_FRAMES } from './policy.ts';

/** The raw text of a call, as a page that does not use our client could send it. */
const callText = (name: string, id = '900'): string => JSON.stringify({ i: id, p: { u: `/${name}`, b: { json: {} } } });

/** A connection and everything that comes back over it. */
async function listen(booted: Booted) {
  const port = await connect(firstWindow(booted).page.world);
  const received: string[] = [];
  port.addEventListener('message', (event) => received.push(String(event.data)));
  return { port, heard: received };
}

export const connectionChecks: readonly Check[] = [
  {
    name: 'shows the page one frozen bridge of two functions',
    run: async (subject) => {
      const { page, bridge } = firstWindow(await subject.boot());
      const browser = ['addEventListener', 'dispatchEvent', 'location', 'postMessage', 'removeEventListener'];
      expect(Object.getOwnPropertyNames(page.world).filter((key) => !browser.includes(key))).toEqual(['faultline']);
      expect(Object.keys(bridge).sort()).toEqual(['adoptFile', 'connect']);
      expect(Object.isFrozen(bridge)).toBe(true);
      expect(() => Object.assign(page.world, { faultline: 1 })).toThrow(TypeError);
      expect(bridge.connect()).toBe(undefined);
    },
  },
  {
    name: 'has a preload that asks for nothing but electron',
    run: async ({ sources }) => {
      const text = readFileSync(sources.preload, 'utf8');
      const imported = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*'([^']+)'/g)].map(
        ([, specifier = '']) => specifier,
      );
      expect(imported.filter((specifier) => !/^[./]/.test(specifier))).toEqual(['electron']);
    },
  },
  {
    name: 'has one channel to connect and one to adopt a file',
    run: async (subject) => {
      const { control, electron } = await subject.boot();
      expect([...control.handlers.keys()]).toEqual([ADOPT]);
      expect(electron.ipcMain.eventNames()).toEqual([PORT]);
    },
  },
  {
    name: 'carries calls, typed arrays, problems and bugs',
    run: async (subject) => {
      const booted = await subject.boot();
      const client = clientOver(await connect(firstWindow(booted).page.world));
      expect(await client['app.info']({})).toEqual({
        name: 'faultline',
        version: '0.0.0',
        host: 'electron',
        abilities: [],
        formats: [],
      });
      const overview = await client['timeline.overview']({ start_ns: 1n, end_ns: 2n ** 62n, buckets: 2 });
      expect(overview).toEqual({ events: Int32Array.of(1, -2), spans: Int32Array.of(), logs: Int32Array.of(7) });
      await expect(client['case.open']({})).rejects.toMatchObject({
        data: { code: 'case.newer_schema', hint: 'Update.' },
      });
      const bug = await client['case.close']({}).catch((error: unknown) => JSON.stringify(error));
      expect(bug).toContain('a bug');
      expect(bug).not.toMatch(/ at |\.ts:/);
      expect(booted.rejections).toEqual([]);
    },
  },
  {
    name: 'carries a stream until it is abandoned',
    run: async (subject) => {
      const booted = await subject.boot();
      const client = clientOver(await connect(firstWindow(booted).page.world));
      const seen: unknown[] = [];
      for await (const event of await client['import.run']({ handles: ['a'] })) if (seen.push(event) === 3) break;
      expect(seen).toHaveLength(3);
      await eventually(() => expect(booted.sample.current?.streams).toEqual({ running: 0, aborted: 1 }));
    },
  },
  {
    name: 'ends the calls of a page that is gone',
    run: async (subject) => {
      const booted = await subject.boot();
      const { page, contents } = firstWindow(booted);
      const streams = () => booted.sample.current?.streams;
      const loaded = new Promise((resolve) => contents.once('did-finish-load', resolve));
      for (const [count, end] of [() => contents.reload(), () => page.crash()].entries()) {
        const client = clientOver(await connect(page.world));
        const events = await client['import.run']({ handles: ['a'] });
        await events[Symbol.asyncIterator]().next();
        expect(streams()).toEqual({ running: 1, aborted: count });
        end();
        await eventually(() => expect(streams()).toEqual({ running: 0, aborted: count + 1 }));
        await loaded;
      }
    },
  },
  {
    name: 'connects only the top frame of its own page',
    run: async (subject) => {
      const { electron, sample } = await subject.boot();
      const postMessage = vi.fn();
      const sender = electron.BrowserWindow.getAllWindows()[0]?.webContents;
      for (const frame of HOSTILE_FRAMES)
        electron.ipcMain.emit(PORT, { sender, senderFrame: frame && { ...frame, postMessage } });
      await settled();
      expect(postMessage).not.toHaveBeenCalled();
      electron.ipcMain.emit(PORT, {
        sender,
        senderFrame: { url: 'app://bundle/index.html', parent: null, postMessage },
      });
      expect(postMessage).toHaveBeenCalledExactlyOnceWith(PORT, null, [expect.anything()]);
      expect(sample.current?.calls).toEqual([]);
    },
  },
  {
    name: 'drops what its own client would not send, and goes on',
    run: async (subject) => {
      const booted = await subject.boot();
      const { port, heard: received } = await listen(booted);
      const hostile = [
        undefined,
        null,
        7,
        {},
        [],
        '',
        '{',
        '[]',
        '{"i":"1"}',
        '{"i":"1","p":{}}',
        '{"i":"1","p":{"u":"http://["}}',
        '{"i":"1","t":3,"p":{}}',
        new Uint8Array([255]),
        { i: '1', p: { u: '/app.info' } },
      ];
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const multipart = JSON.stringify({ i: '1', p: { u: '/app.info', h: headers, b: 'x' } });
      for (const data of [...hostile, multipart]) port.postMessage(data);
      await settled();
      expect(booted.rejections).toEqual([]);
      expect(booted.sample.current?.calls).toEqual([]);
      expect(received).toEqual([]);
      port.postMessage(callText('app.info'));
      await eventually(() => expect(received).toHaveLength(1));
      expect(JSON.parse(received[0] ?? '')).toMatchObject({ i: '900', p: { b: { json: { name: 'faultline' } } } });
    },
  },
  {
    name: 'calls nothing that is not in the contract',
    run: async (subject) => {
      const booted = await subject.boot();
      const { port, heard } = await listen(booted);
      const names = ['toString', '__proto__', 'constructor', 'app.info/x', 'app', 'valueOf'];
      for (const [index, name] of names.entries()) port.postMessage(callText(name, String(index)));
      await eventually(() => expect(heard).toHaveLength(names.length));
      for (const text of heard) expect(JSON.parse(text)).toMatchObject({ p: { s: 404 } });
      expect(booted.sample.current?.calls).toEqual([]);
    },
  },
];
