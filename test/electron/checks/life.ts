import type { MessageBoxOptions } from 'electron';
import { expect, vi } from 'vitest';
import type { Host } from '../../../src/model/contract/index.ts';
import { clientOver, connect, eventually, firstWindow, settled } from '../harness.ts';
import { createSampleApi } from '../sample-api.ts';
import type { Check } from './check.ts';

const isGone = (exits: readonly number[], code: number) => eventually(() => expect(exits).toEqual([code]));

export const lifeChecks: readonly Check[] = [
  {
    name: 'is a single instance',
    run: async (subject) => {
      const booted = await subject.boot({ lockFree: false });
      await isGone(booted.exits, 0);
      expect(booted.pages).toEqual([]);
      expect(booted.control.handlers.size).toBe(0);
      expect(booted.sample.current).toBe(undefined);
    },
  },
  {
    name: 'brings its window forward on a second start, and ignores the arguments',
    run: async (subject) => {
      const booted = await subject.boot();
      const { window, contents } = firstWindow(booted);
      const focus = vi.fn();
      window.on('focus', focus);
      window.minimize();
      const before = contents.getURL();
      booted.electron.app.emit(
        'second-instance',
        {},
        ['faultline', '--inspect', '/etc/passwd', 'https://evil.example/'],
        '/tmp',
        { url: 'https://evil.example/' },
      );
      await settled();
      expect([window.isMinimized(), focus.mock.calls.length, contents.getURL()]).toEqual([false, 1, before]);
      expect(booted.sample.current?.calls).toEqual([]);
      expect(booted.control.log).toEqual([]);
    },
  },
  {
    name: 'hands a link of the system to its page, at the start and later, checked, and waits until the page listens',
    run: async (subject) => {
      const booted = await subject.boot({ openUrl: 'faultline://open?case=night' });
      const { page } = firstWindow(booted);
      const received: unknown[] = [];
      page.world.addEventListener('message', ({ data }) => {
        const { type, link } = data as { type?: unknown; link?: unknown };
        if (type === 'faultline:link') received.push(link);
      });
      const second = (...args: string[]) => booted.electron.app.emit('second-instance', {}, args, '/tmp', {});
      booted.electron.app.emit('open-url', { preventDefault: () => undefined }, 'faultline://open?view=gpus');
      await settled();
      expect(received).toEqual([]);
      // The newest.
      await connect(page.world);
      await eventually(() => expect(received.splice(0)).toEqual(['?view=gpus']));
      await connect(page.world);
      second('faultline-desktop', 'faultline://open?case=night&view=causes');
      second('faultline-desktop', '--inspect', 'faultline://open#timeline?case=night');
      second('faultline-desktop', '/etc/passwd', 'https://evil.example/');
      await eventually(() => expect(received).toEqual(['?case=night&view=causes', '#timeline?case=night']));
      await settled();
      expect(received).toHaveLength(2);
      expect(booted.log).toEqual([]);
      second('faultline-desktop', 'faultline://open?case=../../x');
      await eventually(() => expect(received).toHaveLength(3));
      expect(received[2]).toBeNull();
      expect(booted.log).toEqual(['faultline: a link was refused: it names no place in a case\n']);
      expect(booted.sample.current?.calls).toEqual([]);
    },
  },
  {
    name: 'closes the store before it exits, once, after the last window',
    run: async (subject) => {
      const order: string[] = [];
      const closing = Promise.withResolvers<void>();
      const close = async () => {
        order.push('closing');
        await closing.promise;
        order.push('closed');
      };
      const booted = await subject.boot({ openApi: async (host) => ({ api: createSampleApi(host).api, close }) });
      booted.electron.app.on('quit', () => order.push('exit'));
      const { window, page } = firstWindow(booted);
      await connect(page.world);
      window.on('closed', () => order.push('window closed'));
      window.close();
      await eventually(() => expect(order).toEqual(['window closed', 'closing']));
      booted.electron.app.quit();
      await settled();
      expect(booted.exits).toEqual([]);
      closing.resolve();
      await isGone(booted.exits, 0);
      expect(order).toEqual(['window closed', 'closing', 'closed', 'exit']);
    },
  },
  {
    name: 'opens the case that it was started for, and none that is named later',
    run: async (subject) => {
      const named: (string | null)[] = [];
      const openApi = async (host: Parameters<typeof createSampleApi>[0], first: string | null) => {
        named.push(first);
        return { api: createSampleApi(host).api, close: async () => undefined };
      };
      const booted = await subject.boot({ openApi, openFile: '/cases/night.faultline' });
      booted.electron.app.emit('open-file', { preventDefault: () => undefined }, '/cases/other.flb');
      await settled();
      expect(named).toEqual(['/cases/night.faultline']);
    },
  },
  {
    name: 'asks before the last window ends a capture',
    run: async (subject) => {
      const close = async () => undefined;
      const openApi = async (host: Parameters<typeof createSampleApi>[0]) => ({
        api: createSampleApi(host).api,
        close,
        isRecording: () => true,
      });
      const booted = await subject.boot({ openApi });
      const { window, page } = firstWindow(booted);
      await connect(page.world);
      booted.control.answers.showMessageBox.push({ response: 0, checkboxChecked: false });
      window.close();
      await settled();
      expect([window.isDestroyed(), booted.exits]).toEqual([false, []]);
      booted.control.answers.showMessageBox.push({ response: 1, checkboxChecked: false });
      window.close();
      await isGone(booted.exits, 0);
      expect(booted.control.log.map(({ what }) => what)).toEqual(['showMessageBox', 'showMessageBox']);
    },
  },
  {
    name: 'asks outside the page before it allows what a page cannot, and takes only its own button for a yes',
    run: async (subject) => {
      let confirm: Host['confirm'];
      const booted = await subject.boot({
        openApi: async (host) => {
          confirm = host.confirm;
          return { api: createSampleApi(host).api, close: async () => undefined };
        },
      });
      firstWindow(booted);
      const request = { message: 'May it?', detail: 'env:FAULTLINE_TOKEN goes to https://host', yes: 'Allow' };
      for (const [response, answer] of [
        [0, 'no'],
        [1, 'always'],
        [2, 'no'],
      ] as const) {
        booted.control.answers.showMessageBox.push({ response, checkboxChecked: false });
        expect(await confirm?.(request)).toBe(answer);
      }
      const [, shownDialog] = (booted.control.log[0]?.args ?? []) as [unknown, MessageBoxOptions];
      expect(shownDialog).toMatchObject({ message: 'May it?', detail: request.detail, defaultId: 0, cancelId: 0 });
      expect(shownDialog.buttons).toEqual(['Do not allow', 'Allow']);
    },
  },
  {
    name: 'leaves no call running after the window is closed',
    run: async (subject) => {
      const booted = await subject.boot();
      const { window, page } = firstWindow(booted);
      const client = clientOver(await connect(page.world));
      const events = await client['import.run']({ handles: ['a'] });
      await events[Symbol.asyncIterator]().next();
      window.close();
      await isGone(booted.exits, 0);
      expect(booted.sample.closed).toBe(1);
      await eventually(() => expect(booted.sample.current?.streams).toEqual({ running: 0, aborted: 1 }));
    },
  },
  {
    name: 'exits with 1 and one line when the store does not close, or takes too long',
    run: async (subject) => {
      const failing = async () => Promise.reject(new Error('disk\nfull'));
      const booted = await subject.boot({
        openApi: async (host) => ({ api: createSampleApi(host).api, close: failing }),
      });
      booted.electron.app.quit();
      await isGone(booted.exits, 1);
      expect(booted.log).toEqual(['faultline: did not close cleanly: disk full\n']);
      await booted.stop();
      const hanging = await subject.boot({
        openApi: async (host) => ({ api: createSampleApi(host).api, close: () => new Promise(() => undefined) }),
      });
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      try {
        hanging.electron.app.quit();
        await new Promise((done) => setImmediate(done));
        await vi.advanceTimersByTimeAsync(9_000);
        expect(hanging.exits).toEqual([]);
        await vi.advanceTimersByTimeAsync(2_000);
      } finally {
        vi.useRealTimers();
      }
      await isGone(hanging.exits, 1);
    },
  },
  {
    name: 'reports why it cannot start, and exits with 1',
    run: async (subject) => {
      const booted = await subject.boot({ openApi: () => Promise.reject(new Error('no engine')) });
      await isGone(booted.exits, 1);
      expect(booted.control.log).toEqual([{ what: 'showErrorBox', args: ['Faultline cannot start', 'no engine'] }]);
      expect(booted.log[0]).toBe('faultline: cannot start: no engine\n');
      expect(booted.rejections).toEqual([]);
    },
  },
  {
    name: 'offers to reload a page whose process died, once, with one line in the log',
    run: async (subject) => {
      const booted = await subject.boot();
      const { page, contents } = firstWindow(booted);
      contents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 });
      await settled();
      expect(booted.control.log).toEqual([]);
      const loads = vi.fn();
      contents.on('did-finish-load', loads);
      page.crash();
      contents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 1 });
      await settled();
      expect(booted.control.log.map(({ what }) => what)).toEqual(['showMessageBox']);
      expect(booted.log).toEqual(["faultline: the page's process is gone (crashed)\n"]);
      expect(loads).not.toHaveBeenCalled();
      booted.control.answers.showMessageBox.push({ response: 0, checkboxChecked: false });
      page.crash();
      await eventually(() => expect(loads).toHaveBeenCalledTimes(1));
      const client = clientOver(await connect(page.world));
      expect(await client['app.info']({})).toMatchObject({ name: 'faultline' });
    },
  },
  {
    name: 'offers to end and reload a page that hangs',
    run: async (subject) => {
      const booted = await subject.boot();
      const { window, contents } = firstWindow(booted);
      const events: string[] = [];
      contents.on('render-process-gone', () => events.push('gone'));
      contents.on('did-navigate', () => events.push('loaded'));
      window.emit('unresponsive');
      await settled();
      expect(events).toEqual([]);
      booted.control.answers.showMessageBox.push({ response: 0, checkboxChecked: false });
      window.emit('unresponsive');
      await eventually(() => expect(events).toEqual(['gone', 'loaded']));
      await settled();
      expect(booted.control.log.map(({ what }) => what)).toEqual(['showMessageBox', 'showMessageBox']);
    },
  },
  {
    name: 'quits with its last window, except on macOS, where it opens a new one when asked',
    run: async (subject) => {
      const booted = await subject.boot({ platform: 'darwin' });
      const { window } = firstWindow(booted);
      const count = () => booted.electron.BrowserWindow.getAllWindows().length;
      booted.electron.app.emit('activate');
      expect(count()).toBe(1);
      window.close();
      await eventually(() => expect(count()).toBe(0));
      await settled();
      expect(booted.exits).toEqual([]);
      booted.electron.app.emit('activate');
      expect(count()).toBe(1);
      expect(await booted.sample.host?.pickFiles('import')).toEqual([]);
    },
  },
];
