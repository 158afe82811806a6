import { lstatSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkCommand } from '../../src/main/hosts/link-command.ts';
import { temporaryFolder } from '../support/core.ts';

const inApp = (folder: string, app: string): string => join(folder, app, 'Contents/Resources/bin/faultline');
const isWindows = process.platform === 'win32';

test.skipIf(isWindows)('the command of the app is linked in a folder that may not exist, once and again', async () => {
  const folder = await temporaryFolder();
  const link = join(folder, 'local/bin/faultline');
  const program = inApp(folder, 'Faultline.app');
  expect(await linkCommand(link, program)).toEqual({ kind: 'linked' });
  expect(readlinkSync(link)).toBe(program);
  expect(await linkCommand(link, program)).toEqual({ kind: 'linked' });
});

test.skipIf(isWindows)('a link into an earlier copy of the app is replaced, and nothing else is', async () => {
  const folder = await temporaryFolder();
  const program = inApp(folder, 'Faultline.app');
  const old = join(folder, 'old');
  symlinkSync(inApp(folder, 'Faultline 0.1.app'), old);
  expect(await linkCommand(old, program)).toEqual({ kind: 'linked' });
  expect(readlinkSync(old)).toBe(program);

  const file = join(folder, 'file');
  writeFileSync(file, 'of somebody else');
  expect(await linkCommand(file, program)).toEqual({ kind: 'taken' });
  expect(lstatSync(file).isFile()).toBe(true);
  const foreign = join(folder, 'foreign');
  symlinkSync('/usr/lib/faultline/faultline', foreign);
  expect(await linkCommand(foreign, program)).toEqual({ kind: 'taken' });
  expect(readlinkSync(foreign)).toBe('/usr/lib/faultline/faultline');
});

// Nobody links anything there, root neither.
test.skipIf(process.platform !== 'linux')('without the rights, a line for a shell does it', async () => {
  const program = "/Applications/Anna's/Faultline.app/Contents/Resources/bin/faultline";
  expect(await linkCommand('/sys/faultline', program)).toEqual({
    kind: 'denied',
    line: `sudo mkdir -p '/sys' && sudo ln -sfn '/Applications/Anna'\\''s/Faultline.app/Contents/Resources/bin/faultline' '/sys/faultline'`,
  });
});

test('an app on a disk image, or where macOS moved it for one start, is not linked', async () => {
  for (const place of ['/Volumes/Faultline', '/private/var/folders/x/T/AppTranslocation/1/d'])
    expect(await linkCommand('/nowhere/faultline', inApp(place, 'Faultline.app'))).toEqual({ kind: 'temporary' });
});
