import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ADOPT, type Booted, clientOver, connect, firstWindow, makeRendererDir } from '../harness.ts';
import { filePaths } from '../stand-in/in-process.ts';
import { type Check, importFileHandles } from './check.ts';
import { HOSTILE_FRAMES } from './policy.ts';

/** A File as the page gets it from a drop; with a path when it lies on disk. */
function droppedFile(name: string, path?: string): File {
  const file = new File(['x'], name);
  if (path !== undefined) filePaths.set(file, path);
  return file;
}

const openClient = async (booted: Booted) => clientOver(await connect(firstWindow(booted).page.world));

export const fileChecks: readonly Check[] = [
  {
    name: 'keeps a bounded number of handles and knows no other',
    run: async (subject) => {
      const { createFileHandles } = await importFileHandles(subject);
      const files = createFileHandles(2);
      const path = makeRendererDir();
      const handles: string[] = [];
      for (let count = 0; count < 3; count++) handles.push((await files.register(path)).handle);
      const [first = '', second = '', third = ''] = handles;
      expect(new Set(handles).size).toBe(3);
      expect([files.path(second), files.path(third)]).toEqual([path, path]);
      for (const unknown of [first, '', 'x'.repeat(32), '__proto__', path]) {
        expect(() => files.path(unknown)).toThrow(
          expect.objectContaining({ problem: expect.objectContaining({ code: 'file.unknown_handle' }) }),
        );
      }
    },
  },
  {
    name: 'turns a dropped file or case folder into a handle, without its path',
    run: async (subject) => {
      const booted = await subject.boot();
      const { bridge } = firstWindow(booted);
      const path = join(booted.folder, 'trace "ü".json');
      writeFileSync(path, '12345');
      const file = await bridge.adoptFile(droppedFile('trace.json', path));
      expect(file).toEqual({ handle: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'trace "ü".json', bytes: 5 });
      expect(booted.files.path(file.handle)).toBe(path);
      mkdirSync(join(booted.folder, 'outage.faultline'));
      const folder = await bridge.adoptFile(droppedFile('x', join(booted.folder, 'outage.faultline')));
      expect(folder).toMatchObject({ name: 'outage.faultline', bytes: 0 });
      expect(folder.handle).not.toBe(file.handle);
    },
  },
  {
    name: 'refuses what is not a file on disk, in one line without a path',
    run: async (subject) => {
      const booted = await subject.boot();
      const { bridge } = firstWindow(booted);
      const gone = join(booted.folder, 'gone.json');
      const refusals: [unknown, string][] = [
        [droppedFile('made up.json'), 'Only files on this computer can be opened.'],
        [droppedFile('relative.json', 'relative.json'), 'Only files on this computer can be opened.'],
        [droppedFile('long', `/${'x'.repeat(40_000)}`), 'Only files on this computer can be opened.'],
        [droppedFile('gone.json', gone), 'there is no file gone.json'],
        [droppedFile('nul', `${booted.folder}/a\0b`), 'Only files on this computer can be opened.'],
        [droppedFile('null', '/dev/null'), 'null is neither a file nor a folder'],
      ];
      for (const [file, message] of refusals) {
        const refusal = await bridge.adoptFile(file).catch((error: unknown) => String(error));
        expect(refusal).toBe(`Error: ${message}`);
        expect(JSON.stringify(refusal)).not.toContain(booted.folder);
      }
      for (const value of ['/etc/passwd', { path: '/etc/passwd' }, undefined])
        await expect(bridge.adoptFile(value)).rejects.toThrow('not of type File');
    },
  },
  {
    name: 'adopts files only for the top frame of its own page, and only by a sound path',
    run: async (subject) => {
      const booted = await subject.boot();
      const adopt = booted.control.handlers.get(ADOPT);
      const path = join(booted.folder, 'secret.json');
      const callAdopt = async (senderFrame: unknown, value: unknown) => await adopt?.({ senderFrame }, value);
      for (const frame of HOSTILE_FRAMES)
        await expect(callAdopt(frame, path), JSON.stringify(frame)).rejects.toThrow('untrusted sender');
      const own = { url: 'app://bundle/index.html', parent: null };
      expect(await callAdopt(own, path)).toMatchObject({ name: 'secret.json' });
      for (const value of [undefined, null, 7, '', 'secret.json', [path], { toString: () => path }]) {
        expect(await callAdopt(own, value)).toEqual({ problem: 'Only files on this computer can be opened.' });
      }
    },
  },
  {
    name: 'asks the user for files: several to import, or one case folder',
    run: async (subject) => {
      const booted = await subject.boot();
      const { window } = firstWindow(booted);
      const client = await openClient(booted);
      booted.control.answers.showOpenDialog.push({ canceled: false, filePaths: ['/a', '/b'] });
      expect((await client['files.pick']({ purpose: 'import' })).map(({ name }) => name)).toEqual(['/a', '/b']);
      expect(await client['files.pick']({ purpose: 'case' })).toEqual([]);
      expect(booted.control.log).toEqual([
        {
          what: 'showOpenDialog',
          args: [window, { title: 'Import files', properties: ['openFile', 'multiSelections'] }],
        },
        { what: 'showOpenDialog', args: [window, { title: 'Open a case', properties: ['openDirectory'] }] },
      ]);
    },
  },
  {
    name: 'writes only where the user chose, and reports when it cannot',
    run: async (subject) => {
      const booted = await subject.boot();
      const client = await openClient(booted);
      const save = () => client['files.save']({ suggested_name: '../../report.md', content: '# Löß' });
      const { answers, log } = booted.control;
      const target = join(booted.folder, 'chosen.md');
      answers.showSaveDialog.push({ canceled: false, filePath: target });
      expect(await save()).toEqual({ saved: 'chosen.md' });
      expect(readFileSync(target, 'utf8')).toBe('# Löß');
      expect(log.at(-1)?.args[1]).toEqual({
        title: 'Save',
        defaultPath: expect.stringMatching(/^[^/\\.][^/\\]*report\.md$/),
      });
      await expect(save()).rejects.toMatchObject({ data: { code: 'file.save_cancelled' } });
      answers.showSaveDialog.push({ canceled: false, filePath: join(booted.folder, 'missing/x.md') });
      const refusal = await save().catch((error: unknown) => JSON.stringify(error));
      expect(refusal).toContain('file.not_written');
      expect(refusal).not.toContain(booted.folder);
      rmSync(target);
      expect(readdirSync(booted.folder).sort()).toEqual(['renderer', 'secret.json']);
    },
  },
];
