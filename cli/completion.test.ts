// What the shell offers, word by word.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lists } from '@linecard/client/contract';
import { allCommands } from './commands.ts';
import { completions, cursorAt } from './completion.ts';
import { countries } from './offers.ts';

const commands = allCommands();

function offered(...words: string[]): string[] {
  const lines = completions(cursorAt(words, commands)).split('\n').slice(0, -1);
  return lines.map((line) => line.split('\t')[0] ?? '');
}

const CASES: [words: string[], offers: string[]][] = [
  [['vir'], ['virtual-numbers']],
  [
    ['virtual-numbers', ''],
    ['list', 'get', 'export', 'facets', 'sync', 'check', 'ranges'],
  ],
  [['virtual-numbers', 'e'], ['export']],
  [
    ['virtual-numbers', 'list', '--sort-'],
    ['--sort-by', '--sort-order'],
  ],
  [
    ['virtual-numbers', 'list', '--sort-order', ''],
    ['asc', 'desc'],
  ],
  [['virtual-numbers', 'list', '--sort-order', 'd'], ['desc']],
  [['virtual-numbers', 'list', '--sort-order=d'], ['--sort-order=desc']],
  [['virtual-numbers', 'list', '--sort-order', '=', 'd'], ['desc']],
  [
    ['virtual-numbers', 'list', '--sort-order', '='],
    ['asc', 'desc'],
  ],
  [['virtual-numbers', 'list', '--sort-order', 'asc', '--sort-'], ['--sort-by']],
  [['virtual-numbers', 'list', '--columns', 'did,mo'], ['did,monthly']],
  [['virtual-numbers', 'list', '--columns', 'did,di'], []],
  [
    ['virtual-numbers', 'list', '--statuses', 'active', '--stat'],
    ['--statuses', '--statuses-exclude'],
  ],
  [['virtual-numbers', 'list', '--is-spammed', 't'], ['true']],
  [['virtual-numbers', 'list', '--no-is-s'], ['--no-is-spammed']],
  [['virtual-numbers', 'list', '--output', 'nd'], ['ndjson']],
  [['virtual-numbers', 'export', '--file', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['completion', 'f'], ['fish']],
  [['nonsense', ''], []],
];

describe('completions', () => {
  for (const [words, offers] of CASES) {
    test(`linecard ${words.join(' ')}▮`, () => assert.deepEqual(offered(...words), offers));
  }

  test('the first word is any command', () => {
    const words = offered('');
    assert.deepEqual(words, [...new Set(commands.map((command) => command.words[0]))]);
    assert.equal(words[0], Object.keys(lists)[0]?.replaceAll('_', '-'));
  });

  test('after a flag that may stand alone come the other options', () => {
    assert.ok(offered('virtual-numbers', 'list', '--is-spammed', '').includes('--all'));
  });

  test('an option comes with what it is for', () => {
    assert.match(
      completions(cursorAt(['virtual-numbers', 'list', '--q'], commands)),
      /^--q\tonly virtual numbers /,
    );
  });

  const VALUES = [
    { value: 'Thameswire', about: '30' },
    { value: 'Zed, Inc', about: '2' },
  ];
  const PROVIDERS: [typed: string, offers: string[]][] = [
    ['', ['Thameswire', 'Zed\\, Inc']],
    ['Zed', ['Zed\\, Inc']],
    ['Zed\\, I', ['Zed\\, Inc']],
    ['Thameswire,', ['Thameswire,Zed\\, Inc']],
    ['Zed\\, Inc,', ['Zed\\, Inc,Thameswire']],
    ['"Zed', ['Zed\\, Inc']],
  ];
  for (const [typed, offers] of PROVIDERS) {
    test(`values of the account: --providers ${typed}▮`, () => {
      const words = ['virtual-numbers', 'list', '--providers', typed];
      const lines = completions(cursorAt(words, commands), VALUES).split('\n').slice(0, -1);
      assert.deepEqual(
        lines.map((line) => line.split('\t')[0]),
        offers,
      );
      assert.equal(cursorAt(words, commands).value?.option?.facet, 'providers');
    });
  }

  test('values that are known stand once, those of the account first', () => {
    const words = ['virtual-numbers', 'list', '--statuses', ''];
    const more = [
      { value: 'ported', about: '3' },
      { value: 'active', about: '2' },
    ];
    const offers = completions(cursorAt(words, commands), more).split('\n');
    assert.deepEqual(offers.slice(0, 3), ['ported\t3', 'active\t2', 'configuration_awaiting\t']);
    assert.equal(offers.filter((line) => line.startsWith('active')).length, 1);
  });

  test('countries are those that a filter takes, each once', () => {
    const all = countries();
    assert.equal(all.size, 250);
    assert.deepEqual(
      [all.get('DE'), all.get('GB'), all.get('TW') !== undefined],
      ['Germany', 'United Kingdom', true],
    );
    for (const none of ['UK', 'EU', 'DD', 'ZZ', 'AC', 'QO']) assert.ok(!all.has(none), none);
  });
});
