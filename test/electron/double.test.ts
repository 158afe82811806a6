import type Electron from 'electron';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { codec } from './stand-in/clone.ts';
import { createStandIn, type StandIn } from './stand-in/electron.ts';
import { createInProcessBackend } from './stand-in/in-process.ts';

/**
 * The stand-in against electron.d.ts, by the compiler: `tsc` fails when the stand-in has a module or a member that
 * Electron has not, or a function that could not take the place of Electron's own.
 */
type Real = typeof Electron;
type Double = StandIn['electron'];
type RealOf<K extends keyof Double> = K extends keyof Real ? Real[K] : never;
type Invented = {
  [K in keyof Double]: K extends keyof Real ? Exclude<keyof Double[K], keyof RealOf<K>> : K;
}[keyof Double];

type AnyFunction = (...args: never[]) => unknown;
/** Members of an EventEmitter are overloaded per event and compared nowhere. */
type Emitter = keyof import('node:events').EventEmitter;
/** Functions whose double cannot be called the way the real one is. */
type Misfits<D, R> = {
  [M in Exclude<keyof D & keyof R, Emitter>]: D[M] extends AnyFunction
    ? R[M] extends AnyFunction
      ? D[M] extends (...args: Parameters<R[M]>) => unknown
        ? never
        : M
      : M
    : never;
}[Exclude<keyof D & keyof R, Emitter>];

type DoubleWindow = InstanceType<Double['BrowserWindow']>;
type DoubleContents = DoubleWindow['webContents'];
type DoublePort = InstanceType<Double['MessageChannelMain']>['port1'];

const make = (): StandIn =>
  createStandIn({ backend: createInProcessBackend(() => undefined).backend, appPath: import.meta.dirname });

describe('the stand-in for electron', () => {
  it('invents no module and no member', () => {
    expectTypeOf<Invented>().toBeNever();
    expectTypeOf<Exclude<keyof DoubleWindow, keyof Electron.BrowserWindow>>().toBeNever();
    expectTypeOf<Exclude<keyof DoubleContents, keyof Electron.WebContents>>().toBeNever();
    expectTypeOf<Exclude<keyof DoubleContents['mainFrame'], keyof Electron.WebFrameMain>>().toBeNever();
    expectTypeOf<Exclude<keyof DoublePort, keyof Electron.MessagePortMain>>().toBeNever();
  });

  it('takes the arguments that Electron takes', () => {
    expectTypeOf<Misfits<Double['app'], Electron.App>>().toBeNever();
    expectTypeOf<Misfits<Double['shell'], Electron.Shell>>().toBeNever();
    expectTypeOf<Misfits<Double['protocol'], Electron.Protocol>>().toBeNever();
    expectTypeOf<Misfits<Double['session']['defaultSession'], Electron.Session>>().toBeNever();
    expectTypeOf<Misfits<Double['dialog'], Electron.Dialog>>().toBeNever();
    expectTypeOf<Misfits<DoubleWindow, Electron.BrowserWindow>>().toBeNever();
  });

  it('notices an invented member and a misfit', () => {
    expectTypeOf<Exclude<keyof (Double['app'] & { fly(): void }), keyof Electron.App>>().toEqualTypeOf<'fly'>();
    expectTypeOf<Misfits<{ exit(code: string): void }, Electron.App>>().toEqualTypeOf<'exit'>();
  });

  it('refuses what it does not implement, instead of quietly being undefined', async () => {
    const { electron, launch } = make();
    const touch = (module: object, member: string): unknown => Reflect.get(module, member);
    expect(() => touch(electron.app, 'setLoginItemSettings')).toThrow(
      'electron stand-in: app.setLoginItemSettings is not implemented',
    );
    expect(() => touch(electron.shell, 'openPath')).toThrow('not implemented');
    await launch();
    const window = new electron.BrowserWindow();
    expect(() => touch(window, 'setKiosk')).toThrow('BrowserWindow.setKiosk is not implemented');
    expect(() => touch(window.webContents, 'openDevTools')).toThrow('webContents.openDevTools is not implemented');
    expect(() => touch(electron.session.defaultSession, 'setProxy')).toThrow('not implemented');
  });

  it('keeps the order of calls: some before ready, some after', async () => {
    const { electron, launch } = make();
    expect(() => new electron.BrowserWindow()).toThrow('before app is ready');
    await expect(electron.dialog.showOpenDialog({})).rejects.toThrow('after app is ready');
    expect(() => electron.session.defaultSession).toThrow('when app is ready');
    expect(() => electron.protocol.handle('app', () => new Response())).toThrow('after app is ready');
    await launch();
    expect(() => electron.app.enableSandbox()).toThrow('before app is ready');
    expect(() => electron.protocol.registerSchemesAsPrivileged([])).toThrow('before app is ready');
    electron.ipcMain.handle('a', () => 1);
    expect(() => electron.ipcMain.handle('a', () => 1)).toThrow('second handler');
  });

  it('queues the messages of a port until it is started, and ends a transferred one', async () => {
    const { port1, port2 } = new (make().electron.MessageChannelMain)();
    const received: unknown[] = [];
    port2.on('message', ({ data, ports }) => received.push([data, ports]));
    port1.postMessage('early');
    await new Promise((done) => setTimeout(done, 10));
    expect(received).toEqual([]);
    port2.start();
    await new Promise((done) => setTimeout(done, 10));
    expect(received).toEqual([['early', []]]);
    const closed = new Promise((done) => port1.once('close', done));
    port2.close();
    await closed;
    port1.postMessage('late'); // as in Electron: nobody hears it, nothing throws
  });

  it('clones across the border what structured clone clones, and refuses the rest', () => {
    const cycle: Record<string, unknown> = { __proto__: null, 'a"b': 'ü\u2028' };
    cycle.self = cycle;
    const values = [
      undefined,
      null,
      -0,
      Number.NaN,
      2n ** 70n,
      new Date(5),
      new Map([[1, new Set(['x'])]]),
      Float64Array.of(1.5),
      new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
      new ArrayBuffer(3),
      [[]],
      cycle,
    ];
    const copy = codec.unpack(codec.pack(values)) as unknown[];
    expect(copy.slice(0, -1)).toEqual(values.slice(0, -1));
    expect(Object.is(copy[2], -0)).toBe(true);
    const { self } = copy.at(-1) as { self: unknown };
    expect(self).toBe(copy.at(-1));
    for (const value of [() => 1, Symbol('x'), { f: () => 1 }, new Proxy({}, {}), Promise.resolve()])
      expect(() => codec.pack(value)).toThrow(/clone/);
  });
});
