// The commit that `--version`, the metrics and `/readyz` tell, as git itself says it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../test/kit/temporary-folder.ts';
import { checkedOut } from './version.ts';

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

test('the commit is that of a branch, packed or not, of a detached head and of a linked work tree', () => {
  const folder = join(temporaryFolder(), 'clone');
  mkdirSync(folder);
  assert.equal(checkedOut(folder), undefined);
  git(folder, 'init', '--quiet', '--initial-branch', 'some/branch');
  assert.equal(checkedOut(folder), undefined);
  const commits = ['one', 'two'].map((message) => {
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
    const head = git(folder, 'rev-parse', 'HEAD');
    assert.equal(checkedOut(folder), head);
    return head;
  });
  git(folder, 'pack-refs', '--all');
  assert.equal(checkedOut(folder), commits[1]);
  git(folder, 'checkout', '--quiet', '--detach', String(commits[0]));
  assert.equal(checkedOut(folder), commits[0]);
  const linked = join(temporaryFolder(), 'linked');
  git(folder, 'worktree', 'add', '--quiet', linked, 'some/branch');
  assert.equal(checkedOut(linked), commits[1]);
});
