// Settings: their sources, invalid values and messages.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readPastTime } from '@linecard/client/agent/times';
import { temporaryFolder } from '../../test/kit/temporary-folder.ts';
import { writtenForms } from '../../test/kit/written-forms.ts';
import { WrongUsage } from '../errors.ts';
import {
  isOption,
  optionOf,
  type ParameterName,
  parameters,
  readSettings,
  unknownVariables,
  variableOf,
} from './config.ts';
import { type OptionName, options } from './options.ts';
import { type SettingName, settings } from './settings.ts';

const names = Object.keys(settings) as SettingName[];
const optionNames = Object.keys(options) as OptionName[];

const READ: readonly [name: ParameterName, text: string, value: unknown][] = [
  ['port', '0', 0],
  ['port', '65535', 65_535],
  ['max_page_size', '1', 1],
  ['max_page_size', '10000', 10_000],
  ['host', '[::1]', '::1'],
  ['host', '0:0:0:0:0:0:0:0', '::'],
  ['host', 'fe80::1%eth0', 'fe80::1%eth0'],
  ['host', 'linecard.example', 'linecard.example'],
  ['metrics_host', '[::]', '::'],
  ['intake_host', '[2001:DB8::1]', '2001:db8::1'],
  ['rate_limit', '0', 0],
  ['cache', '0', 0],
  ['cache', '65536', 65_536],
  ['deliver', 'true', true],
  ['deliver', '1', true],
  ['deliver', 'false', false],
  ['deliver', '0', false],
  ['replace', 'true', true],
  ['log_level', 'silent', 'silent'],
  ['log_sample', '0.01', 0.01],
  ['log_sample', '0', 0],
  ['replica_url', 'postgres://a/b', ['postgres://a/b']],
  [
    'replica_url',
    ' postgres://a/b  postgresql://c/d?options=-c%20x=1,2 ',
    ['postgres://a/b', 'postgresql://c/d?options=-c%20x=1,2'],
  ],
  ['replica_url', 'postgres://a/b,postgres://c,d/e', ['postgres://a/b', 'postgres://c,d/e']],
  ['trust_proxy', '10.0.0.0/8,192.0.2.1  2001:db8::/32', ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']],
  ['trust_proxy', '[2001:db8::]/32 [::1]', ['2001:db8::/32', '::1']],
  ['expires_in', '30m', 30 * 60_000],
  ['expires_in', '12h', 12 * 3_600_000],
  ['expires_in', '90d', 90 * 86_400_000],
  ['expires_in', '4w', 28 * 86_400_000],
  ['format', 'csv', 'csv'],
  ['json', '1', true],
  ['overlap', '0m', 0],
  ['overlap', '24h', 86_400_000],
  ['currency', 'EUR', 'EUR'],
  ['currency', 'none', 'none'],
  [
    'billing_months',
    'Monthly=1, every two years=24, monthly=1',
    new Map([
      ['monthly', 1],
      ['every two years', 24],
    ]),
  ],
  ['account', "o'brien & sons", "o'brien & sons"],
  ['name', 'ä', 'ä'],
];

const REFUSED: Partial<Record<ParameterName, readonly string[]>> = {
  port: [
    '',
    'x',
    '-1',
    '65536',
    '80.0',
    '8e1',
    '0x50',
    '080',
    '+80',
    ' 80',
    '80 ',
    'Infinity',
    'NaN',
    '８０',
    '1'.repeat(40),
  ],
  max_page_size: ['0', '10001', 'ten'],
  rate_limit: ['-1', 'none', '1.5'],
  replica_url: ['', ' '],
  trust_proxy: [
    '',
    ' , ',
    'true',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '::1/129',
    '1',
  ],
  replica_lag: ['99', '60001', 'a second'],
  demo: ['yes', 'TRUE', 'on', '2', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  replace: ['maybe', 'valueOf'],
  log_level: ['loud', 'INFO', 'trace', '__proto__'],
  log_format: ['xml', 'constructor'],
  log_sample: ['-1', '1.5', '1%', '.5', '1e-2'],
  expires_in: ['90', 'd', '0d', '-1d', '1.5d', '90D', '90 d', '90days', '1y', '999999d', '1__proto__'],
  format: ['xml', 'CSV'],
  overlap: ['0', '-1h', '00m', 'none'],
  billing_months: [
    '',
    'monthly',
    'monthly=0',
    'monthly=121',
    'monthly=1.5',
    'monthly=1,',
    'a=1,a=2',
    'a=1,A=2',
    '=1',
  ],
  currency: ['eur', 'EURO', 'DEM', 'XXX', '€', 'None'],
  database_url: ['', 'nope.db', 'mysql://user:secret@host/x'],
  host: ['', '[::1', '[example]', '127.0.0.1:80', '[::1]:80', 'http://127.0.0.1', 'a b'],
  account: [''],
};

describe('a setting or an option', () => {
  for (const [name, text, value] of READ) {
    test(`${name} of "${text}" is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(readSettings([name], { [name]: text }, {}), { [name]: value });
      if (isOption(name)) return;
      assert.deepEqual(readSettings([name], {}, { [variableOf(name)]: text }), { [name]: value });
    });
  }

  for (const [name, texts] of Object.entries(REFUSED) as [ParameterName, readonly string[]][]) {
    test(`${name} is not ${texts.map((text) => `"${text.slice(0, 20)}"`).join(', ')}`, () => {
      for (const text of texts) {
        const says = (source: string) => (error: unknown) =>
          error instanceof WrongUsage &&
          error.message.includes(source) &&
          error.message.includes(parameters[name].allowed) &&
          error.message.includes(`"${text}"`) === !('isSecret' in parameters[name]);
        assert.throws(() => readSettings([name], { [name]: text }, {}), says(optionOf(name)), text);
        if (text !== '' && !isOption(name))
          assert.throws(
            () => readSettings([name], {}, { [variableOf(name)]: text }),
            says(variableOf(name)),
            text,
          );
      }
    });
  }

  test('as an option takes precedence over the environment, and that over the default', () => {
    const environment = { LINECARD_PORT: '81' };
    assert.deepEqual(readSettings(['port'], { port: '82' }, environment), { port: 82 });
    assert.deepEqual(readSettings(['port'], {}, environment), { port: 81 });
    assert.deepEqual(readSettings(['port'], {}, {}), { port: 8_080 });
    assert.deepEqual(readSettings(['deliver'], { deliver: true }, { LINECARD_DELIVER: 'false' }), {
      deliver: true,
    });
  });

  test('that is empty in the environment counts as not set', () => {
    for (const name of names) {
      assert.deepEqual(readSettings([name], {}, { [variableOf(name)]: '' }), {
        [name]: settings[name].default,
      });
    }
  });

  test('that the command does not name is not read', () => {
    assert.deepEqual(readSettings(['host'], {}, { LINECARD_PORT: 'nonsense' }), { host: '127.0.0.1' });
  });

  test('has a valid default and a description', () => {
    for (const name of [...names, ...optionNames]) {
      const setting = parameters[name];
      const { default: fallback, about, allowed } = setting;
      assert.ok(about.length > 5 && allowed.length > 3);
      if (fallback !== undefined && typeof fallback !== 'object' && String(fallback) !== '')
        assert.equal(setting.read(String(fallback)), fallback, name);
    }
  });

  test('has the documented default', () => {
    const promised = {
      database_url: 'sqlite:data/linecard.db',
      host: '127.0.0.1',
      port: 8_080,
      max_page_size: 1_000,
      cache: 64,
      rate_limit: 600,
    } as const;
    assert.deepEqual(readSettings(Object.keys(promised) as (keyof typeof promised)[], {}, {}), promised);
  });

  test('is spelled one way as an option and one way as a variable', () => {
    assert.equal(optionOf('max_page_size'), '--max-page-size');
    assert.equal(variableOf('max_page_size'), 'LINECARD_MAX_PAGE_SIZE');
  });
});

describe('an option', () => {
  test('is in one of the two tables', () => {
    assert.deepEqual(
      optionNames.filter((name) => name in settings),
      [],
    );
  });

  for (const name of optionNames) {
    test(`such as ${name} is taken from no variable and no file, which are refused`, () => {
      const says = (source: string) => (error: unknown) =>
        error instanceof WrongUsage &&
        error.message.includes(`${source} is not a setting: ${optionOf(name)} is given`) &&
        !error.message.includes('secret');
      assert.throws(
        () => readSettings(['port'], {}, { [variableOf(name)]: 'secret' }),
        says(variableOf(name)),
      );
      assert.deepEqual(readSettings(['port'], {}, { [variableOf(name)]: '' }), { port: 8_080 });
      const file = join(temporaryFolder(), 'settings.json');
      for (const key of [name, name.replaceAll('_', '-'), variableOf(name)]) {
        writeFileSync(file, JSON.stringify({ [key]: 'secret' }));
        assert.throws(() => readSettings(['config', 'port'], { config: file }, {}), says(`"${key}"`));
      }
    });
  }
});

describe('a file of settings', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const read = (text: string | Uint8Array) => {
    writeFileSync(file, text);
    return readSettings(['config', 'port'], { config: file }, {}).port;
  };

  test('may be UTF-8 or UTF-16, as Windows PowerShell writes it', () => {
    for (const [form, bytes] of writtenForms('{"port": 9000}')) assert.equal(read(bytes), 9_000, form);
    const latin = Buffer.from('{"brand_name": "Müller"}', 'latin1');
    assert.throws(() => read(latin), /settings\.json: It is neither UTF-8 nor UTF-16: save it as UTF-8\.$/);
  });

  for (const [text, says] of [
    ['{\n  "port": 9000,\n}', /is not JSON; look at line 3, column 1\.$/],
    ['{"database_url": "postgres://u:secret@x" "port": 1}', /is not JSON; look at line 1, column 42\.$/],
    ['{"port": secret}', /is not JSON\.$/],
    ['', /is not JSON\.$/],
    ['{"config": "x"}', /"config" is not a setting\.$/],
    ['{"LINECARD_PORT": 1}', /"LINECARD_PORT" is not a setting\. Did you mean "port"\?$/],
    ['{"metrics-port": 1}', /"metrics-port" is not a setting\. Did you mean "metrics_port"\?$/],
  ] as const) {
    test(`that holds ${text} is refused with what to look at`, () => {
      assert.throws(
        () => read(text),
        (error) =>
          error instanceof WrongUsage && says.test(error.message) && !error.message.includes('secret'),
      );
    });
  }
});

describe('a file of settings with several faults', () => {
  const file = join(temporaryFolder(), 'settings.json');
  const names = ['config', 'port', 'host', 'max_page_size'] as const;

  test('is refused with all of them, one a line', () => {
    writeFileSync(file, '{"prot": 1, "port": "x", "host": {}, "max_page_size": 0, "rate_limit": "none"}');
    assert.throws(() => readSettings(names, { config: file }, {}), {
      message: [
        `${file}: "prot" is not a setting. Did you mean "port"?`,
        `${file}: port must be an integer from 0 to 65535, but was "x".`,
        `${file}: host must be a string, a number, true or false.`,
        `${file}: max_page_size must be an integer from 1 to 10000, but was "0".`,
      ].join('\n'),
    });
  });

  test('is not checked for what the command line or the environment says', () => {
    writeFileSync(file, '{"port": "x", "max_page_size": 0}');
    const { port, max_page_size } = readSettings(
      names,
      { config: file, port: '81' },
      { LINECARD_MAX_PAGE_SIZE: '7' },
    );
    assert.deepEqual([port, max_page_size], [81, 7]);
  });
});

describe('a secret in a file that a variable names', () => {
  const path = join(temporaryFolder(), 'secret');
  const read = (environment: Record<string, string>) =>
    readSettings(['database_url', 'signing_key'], {}, environment);

  test('is that file without the line break at its end, for every setting that is a secret', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(path, `${key}\n`);
    assert.deepEqual(read({ LINECARD_SIGNING_KEY_FILE: path, LINECARD_DATABASE_URL_FILE: '' }).signing_key, [
      key,
    ]);
    writeFileSync(path, 'postgres://linecard_serving:x@db/linecard\r\n');
    const { database_url } = read({ LINECARD_DATABASE_URL_FILE: path, LINECARD_DATABASE_URL: '' });
    assert.equal(database_url, 'postgres://linecard_serving:x@db/linecard');
    assert.deepEqual(unknownVariables({ LINECARD_DATABASE_URL_FILE: path, LINECARD_PORT_FILE: path }), [
      'LINECARD_PORT_FILE is not a setting and is ignored. Did you mean LINECARD_PORT?',
    ]);
    const given = { database_url: 'sqlite:a' };
    assert.equal(
      readSettings(['database_url'], given, { LINECARD_DATABASE_URL_FILE: path }).database_url,
      'sqlite:a',
    );
  });

  test('is refused if the file cannot be used, or the variable itself is set, and is never shown', () => {
    for (const [content, environment, says] of [
      ['', {}, /secret, which LINECARD_DATABASE_URL_FILE names, must have the value, in UTF-8\.$/],
      ['hidden', {}, /^LINECARD_DATABASE_URL must be sqlite:PATH or postgres:[^"]*$/],
      [
        'x',
        { LINECARD_DATABASE_URL: 'sqlite:a' },
        /^LINECARD_DATABASE_URL and LINECARD_DATABASE_URL_FILE are both/,
      ],
      [
        'x',
        { LINECARD_DATABASE_URL_FILE: `${path}-none` },
        /^The file that LINECARD_DATABASE_URL_FILE names cannot/,
      ],
    ] as const) {
      writeFileSync(path, content);
      assert.throws(
        () => read({ LINECARD_DATABASE_URL_FILE: path, ...environment }),
        (error) =>
          error instanceof WrongUsage && says.test(error.message) && !error.message.includes('hidden'),
      );
    }
  });
});

describe('a variable that begins with LINECARD_ but is not a setting', () => {
  test('is reported, with the setting that was probably meant', () => {
    const sentences = unknownVariables({
      LINECARD_PROT: '1',
      LINECARD_DATABASE: 'x',
      LINECARD_ZZZZZZZZ: '',
      LINECARD_PORT: '80',
      LINECARD_URL: 'http://127.0.0.1:8080',
      LINECARD_TOKEN: 'lc_secret',
      PATH: '',
      LINE: '',
    });
    assert.equal(sentences.length, 3);
    assert.match(String(sentences[0]), /^LINECARD_PROT is not a setting.*LINECARD_PORT\?$/);
    assert.match(String(sentences[1]), /LINECARD_DATABASE_URL\?$/);
    assert.match(String(sentences[2]), /ignored\.$/);
  });

  test('is reported without its value', () => {
    assert.doesNotMatch(unknownVariables({ LINECARD_TOKNE: 'lc_secret' }).join(), /secret/);
  });
});

test('a time that is past is read as `linecard activity --since` reads it, as a timestamp, and in minutes', () => {
  const read = (text: string) => options.since.read(text);
  const day = readPastTime('yesterday', 'from');
  assert.equal(read('yesterday'), `${day}T00:00:00.000000Z`);
  assert.equal(read('2026-11-20'), '2026-11-20T00:00:00.000000Z');
  assert.equal(read('2026-11-20T01:00:00+01:00'), '2026-11-20T00:00:00.000000Z');
  assert.equal(read('soon'), undefined);
  const minutesAgo = (Date.now() - Date.parse(read('30m') ?? '')) / 60_000;
  assert.equal(Math.round(minutesAgo), 30);
  const daysAgo = (Date.now() - Date.parse(read('7d') ?? '')) / 86_400_000;
  assert.equal(Math.round(daysAgo), 7);
});
