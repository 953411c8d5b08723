// The completion scripts in the shells themselves, where the system has them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { SCRIPTS } from '../../cli/completion.ts';
import { CLI } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** What is requested of each shell, and how: the words up to the cursor, the last of them to be completed. */
const PROGRAMS = {
  bash: (script: string, words: readonly string[]) => `
    source ${script}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _linecard
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script: string, words: readonly string[]) => `
    compdef() { :; }
    _files() { :; }
    _describe() { print -rl -- \${found%%:*}; }
    source ${script}
    words=(${words.map((word) => `'${word}'`).join(' ')})
    CURRENT=${words.length}
    _linecard`,
  fish: (script: string, words: readonly string[]) => `
    source ${script}
    complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
};

const CASES: [words: string[], offers: string[]][] = [
  [['linecard', 'addi'], ['additional-services']],
  [
    ['linecard', 'virtual-numbers', 'list', '--sort-order', ''],
    ['asc', 'desc'],
  ],
  [['linecard', 'virtual-numbers', 'list', '--columns', 'did,mo'], ['did,monthly']],
];

describe('completions', () => {
  const folder = temporaryFolder();
  before(() => {
    mkdirSync(join(folder, 'bin'));
    symlinkSync(CLI, join(folder, 'bin', 'linecard'));
    for (const [shell, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, shell), text);
  });

  for (const [shell, program] of Object.entries(PROGRAMS)) {
    const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
    for (const [words, offers] of CASES) {
      test(`${shell}: ${words.join(' ')}▮`, { skip: isThere ? false : `there is no ${shell}` }, () => {
        const { stdout, stderr } = spawnSync(shell, ['-c', program(join(folder, shell), words)], {
          encoding: 'utf8',
          env: {
            HOME: folder,
            XDG_CACHE_HOME: folder,
            PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
          },
        });
        assert.equal(stderr, '');
        assert.deepEqual(stdout.trimEnd().split('\n').toSorted(), offers);
      });
    }
  }
});
