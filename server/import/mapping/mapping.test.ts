// Mappings: what a file of another system becomes, and what is wrong with a mapping or with the texts of a
// file.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mappingFaults, readMapped } from '../../../test/kit/mapped-read.ts';
import { writtenForms } from '../../../test/kit/written-forms.ts';
import { tables } from '../../store/tables.ts';
import { FORM_ALLOWED } from './forms.ts';
import { LocalTimes } from './times.ts';

/** As an operator has it: the example of the documentation. */
const BILLING = {
  delimiter: ';',
  encoding: 'windows-1252',
  decimal: ',',
  dates: ['DD.MM.YYYY', 'DD.MM.YYYY HH:mm'],
  time_zone: 'Europe/Berlin',
  columns: {
    account_id: 'Kundennr',
    did: 'Rufnummer',
    id: { from: 'Rufnummer', as: 'digits' },
    comment: 'Bemerkung',
    monthly: 'Preis',
    created_at: 'Start',
    next_payment_at: 'Nächste Zahlung',
  },
  constants: { frequency: 'monthly', status: 'active', subscription_status: 'active' },
  values: { is_spammed: { ja: 'true', nein: 'false' } },
  ignore: ['Verkäufer'],
};
const HEADER = 'Kundennr;Rufnummer;Bemerkung;Preis;Start;Nächste Zahlung;Verkäufer\n';
const latin = (text: string) => Buffer.from(text, 'latin1');

/** A mapping of the keys alone, and of what else a case has. */
const mappingOf = (columns: object, other: object = {}) => ({
  columns: { account_id: 'K', id: 'N', ...columns },
  ...other,
});
/** What a column makes of one text. */
async function valueFrom(column: string, text: string, other: object) {
  const mapping = mappingOf({ [column]: 'X' }, other);
  const cell = `"${text.replaceAll('"', '""')}"`;
  const { rows, faults } = await readMapped(`K,N,X\nC1,7,${cell}\n`, mapping, { rules: { isUpdate: true } });
  return faults.length > 0 ? faults.join('\n') : rows[0]?.[column];
}

describe('a file of another system', () => {
  test('has the columns, decimals, dates and encoding that a mapping says', async () => {
    const line = 'C1001;+44 (0)20 79460018;"Büro; Süd";1.002,25;01.02.2026;24.12.2026 18:30;Ute\n';
    const { rows, faults } = await readMapped(latin(HEADER + line), BILLING);
    assert.deepEqual(faults, []);
    assert.deepEqual(rows, [
      {
        account_id: 'C1001',
        id: 442_079_460_018,
        did: '+44 (0)20 79460018',
        comment: 'Büro; Süd',
        status: 'active',
        subscription_status: 'active',
        frequency: 'monthly',
        monthly: 1_002_250_000,
        created_at: '2026-01-31T23:00:00.000000Z',
        next_payment_at: '2026-12-24T17:30:00.000000Z',
      },
    ]);
  });

  test('has its columns however their names are composed and spaced, mapped and ignored', async () => {
    const names = (text: string) => [
      text,
      text.normalize('NFD'),
      text.replaceAll(' ', '\u00a0'),
      text.replaceAll(' ', '  ').replaceAll(';', ' ; '),
      `\u202f${text.replaceAll(' ', '\t')}\u200b`,
    ];
    const line = 'C1;+442079460018;;2,25;01.02.2026;;Ute\n';
    for (const header of names(HEADER.trim())) {
      const { rows, faults } = await readMapped(`${header}\n${line}`, { ...BILLING, encoding: 'utf-8' });
      assert.deepEqual([rows.length, faults], [1, []], header);
    }
    const rules = { isUpdate: true };
    const mapping = mappingOf({ id: 'Ü', comment: 'Größe A' }, { ignore: ['Nächste Zahlung'] });
    for (const header of names('K;Ü;Größe A;Nächste Zahlung')) {
      const [account_id = '', id = '', comment = '', ignored = ''] = header.split(';');
      const row = `{"${account_id}":"C1","${id}":9007199254740991,"${comment}":"x","${ignored.replace('\t', ' ')}":{"a":1}}\n`;
      const { rows, faults } = await readMapped(row.replaceAll('\t', '\\t'), mapping, {
        ending: '.ndjson',
        rules,
      });
      assert.deepEqual(
        [rows, faults],
        [[{ account_id: 'C1', id: 9_007_199_254_740_991, comment: 'x' }], []],
        row,
      );
    }
    const twice = '{"K":"C1","Ü":7,"Größe A":"a","Größe  A":"b"}\n';
    assert.deepEqual((await readMapped(twice, mapping, { ending: '.ndjson', rules })).faults, [
      'billing.ndjson:1: Größe A: is there twice in the row; leave one out.',
    ]);
    const both = mappingOf({ comment: 'Größe' }, { ignore: ['Größe'.normalize('NFD')] });
    assert.deepEqual(mappingFaults(both, rules), ['/ignore/0: is mapped in "columns", too.']);
  });

  test('has its faults under its own names, with the line', async () => {
    const lines = [
      'C1;+442079460018;;2,2,5;31.02.2026;;U',
      ';+442079460019;;1;1.2.2026;1. Mai;U',
      'C1;n/a;;;01.02.2026;;U',
    ];
    const { faults } = await readMapped(latin(`${HEADER}${lines.join('\n')}\n`), BILLING);
    assert.deepEqual(faults, [
      'billing.csv:2: Preis (monthly): "2,2,5" is not a charge: write 2,25 or 1.234,56, with at most six decimals.',
      'billing.csv:2: Start (created_at): "31.02.2026" does not exist: there is no such day or time.',
      'billing.csv:3: Kundennr (account_id): is required, but was empty.',
      'billing.csv:3: Nächste Zahlung (next_payment_at): "1. Mai" is not a date of the form DD.MM.YYYY or DD.MM.YYYY HH:mm, nor a timestamp with an offset.',
      'billing.csv:4: Rufnummer (id): "n/a" has no digits that could be an id; map another column to it.',
      'billing.csv:4: Rufnummer (did): must be a phone number of at most 100 characters: 3 to 15 digits, spaces and + - ( ) . /, but was "n/a".',
    ]);
  });

  test('whose dates no form reads is not sent back to a proposal', async () => {
    const { faults } = await readMapped('K,N,S\nC1,7,01/02/2026\n', mappingOf({ created_at: 'S' }), {
      rules: { isUpdate: true },
    });
    assert.deepEqual(faults, [
      'billing.csv:2: S (created_at): "01/02/2026" is not a timestamp with an offset: add the form of its dates to the mapping, such as "dates": ["DD.MM.YYYY"].',
    ]);
  });

  test('has each of its columns mapped or ignored, and each that is mapped', async () => {
    const text = 'K,K,Filiale,,Ort\nC1,C1,a,b,c\n';
    const { rows, faults } = await readMapped(text, mappingOf({ comment: 'Note' }, { ignore: ['Ort'] }), {
      rules: { isUpdate: true },
    });
    assert.deepEqual(rows, []);
    assert.deepEqual(faults, [
      'billing.csv:1: K: is there twice in the header; rename one.',
      'billing.csv:1: Filiale: is neither mapped nor ignored; add "Filiale" to "columns" or to "ignore" of the mapping.',
      'billing.csv:1: cell 4: has no name, and is neither mapped nor ignored; add "" to "columns" or to "ignore" of the mapping.',
      'billing.csv:1: N (id): is mapped, but the header does not name it.',
      'billing.csv:1: Note (comment): is mapped, but the header does not name it.',
    ]);
  });

  test('may be NDJSON, whose keys are its columns, and whose numbers are numbers', async () => {
    const columns = { ...BILLING.columns, is_spammed: 'Spam' };
    const mapping = { ...BILLING, encoding: 'utf-8', columns };
    const good = {
      Kundennr: 1001,
      Rufnummer: '0044 20 79460018',
      Bemerkung: 'x',
      Start: '2026-02-01T09:00:00+01:00',
    };
    const lines = [
      { ...good, Preis: 2.25, Spam: 'ja', Verkäufer: { name: 'Ute' } },
      { ...good, Preis: '2,25', Spam: ' nein ', 'Nächste Zahlung': null },
      { ...good, Preis: 1234.5, Spam: false },
      { ...good, Preis: [2], Filiale: 1 },
      { ...good, Filiale: 2 },
    ];
    const { rows, faults } = await readMapped(
      lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
      mapping,
      {
        ending: '.ndjson',
      },
    );
    assert.deepEqual(
      rows
        .slice(0, 3)
        .map(({ account_id, id, monthly, is_spammed }) => [account_id, id, monthly, is_spammed]),
      [
        ['1001', 442_079_460_018, 2_250_000, true],
        ['1001', 442_079_460_018, 2_250_000, false],
        ['1001', 442_079_460_018, 1_234_500_000, false],
      ],
    );
    assert.equal(rows[0]?.['created_at'], '2026-02-01T08:00:00.000000Z');
    assert.deepEqual(faults, [
      'billing.ndjson:4: Filiale: is neither mapped nor ignored; add "Filiale" to "columns" or to "ignore" of the mapping.',
      'billing.ndjson:4: Preis (monthly): must be a JSON text, number, true or false, but was an array.',
    ]);
  });
});

describe('without a mapping, a file of another system', () => {
  const first = async (text: string, ending: '.csv' | '.ndjson') =>
    (await readMapped(text, undefined, { ending })).faults.map((fault) =>
      fault.replace(/(propose --list \S+) \S+/, '$1 FILE'),
    );
  const leads = (file: string) =>
    `billing.${file}:1: The columns are those of another system: run "linecard-server mapping propose --list virtual-numbers FILE > mapping.json", then import with --mapping mapping.json.`;

  test('is first a way to a mapping, and its columns are one fault', async () => {
    const names = ['Kundennr', 'Rufnummer', 'Commment'];
    const unknown =
      'Kundennr, Rufnummer and Commment are not columns of virtual numbers. Did you mean comment for Commment? Known are account_id, id,';
    const faults = await first(`${names.join(',')}\na,b,c\n`, '.csv');
    assert.deepEqual([faults.length, faults[0]], [2, leads('csv')]);
    assert.ok(faults[1]?.startsWith(`billing.csv:1: ${unknown}`));
    const row = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x'])));
    const keys = await first(`${row}\n${row}\n`, '.ndjson');
    assert.equal(keys[0], leads('ndjson'));
    assert.ok(keys[1]?.startsWith(`billing.ndjson:1: ${unknown}`));
    assert.equal(keys.filter((fault) => fault.includes('Rufnummer')).length, 1);
  });

  test('is not what a file with a mistyped column is', async () => {
    const faults = await first('account_id,id,coment\nC1,1,x\n', '.csv');
    assert.deepEqual(
      faults.map((fault) => fault.replace(/Known are .*/, '…')),
      ['billing.csv:1: coment: is not a column of virtual numbers. Did you mean comment? …'],
    );
  });
});

describe('a date', () => {
  const dates = [
    'DD.MM.YYYY',
    'DD.MM.YYYY HH:mm',
    'YYYYMMDDHHmmss',
    'MM/DD/YY',
    'YYYY-MM-DD HH:mm:ss.ffffff',
    'DD de MM de YYYY às HHhmm',
  ];
  const taken: [text: string, zone: string, time: string | null][] = [
    ['01.02.2026', 'UTC', '2026-02-01T00:00:00.000000Z'],
    ['1.2.2026', 'UTC', '2026-02-01T00:00:00.000000Z'],
    ['01.07.2026', 'Europe/Berlin', '2026-06-30T22:00:00.000000Z'],
    ['31.12.2026 23:59', 'America/New_York', '2027-01-01T04:59:00.000000Z'],
    ['20260228235959', 'Asia/Kolkata', '2026-02-28T18:29:59.000000Z'],
    ['12/31/68', 'UTC', '2068-12-31T00:00:00.000000Z'],
    ['12/31/69', 'UTC', '1969-12-31T00:00:00.000000Z'],
    ['2024-02-29 00:00:00.5', 'Asia/Kathmandu', '2024-02-28T18:15:00.500000Z'],
    // Before the clocks of a zone agreed, and on the day on which they change.
    ['01.01.1880', 'Europe/Berlin', '1879-12-31T23:06:32.000000Z'],
    ['29.03.2026', 'Europe/Berlin', '2026-03-28T23:00:00.000000Z'],
    ['29.03.2026 03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000000Z'],
    ['25.10.2026 03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000000Z'],
    ['2026-03-29T02:30:00Z', 'Europe/Berlin', '2026-03-29T02:30:00.000000Z'],
    ['2026-02-10 16:04:11+05:30', 'Europe/Berlin', '2026-02-10T10:34:11.000000Z'],
    ['24 de 12 de 2026 às 14h30', 'UTC', '2026-12-24T14:30:00.000000Z'],
    ['', 'UTC', null],
    ['\\N', 'UTC', null],
  ];
  for (const [text, time_zone, time] of taken) {
    test(`${JSON.stringify(text)} in ${time_zone} is ${time}`, async () => {
      assert.equal(await valueFrom('activated_at', text, { dates, time_zone }), time);
    });
  }

  const refused: [text: string, zone: string, why: RegExp][] = [
    [
      '31.04.2026',
      'UTC',
      /2: X \(activated_at\): "31\.04\.2026" does not exist: there is no such day or time\./,
    ],
    ['29.02.2026', 'UTC', /does not exist/],
    ['00.01.2026', 'UTC', /does not exist/],
    ['2026-02-01', 'UTC', /is not a date of the form DD\.MM\.YYYY, DD\.MM\.YYYY HH:mm, .* or DD de MM/],
    ['01.02. 2026', 'UTC', /is not a date/],
    ['01.02.26', 'UTC', /is not a date/],
  ];
  for (const [text, time_zone, why] of refused) {
    test(`${JSON.stringify(text)} in ${time_zone} is refused`, async () => {
      assert.match(String(await valueFrom('activated_at', text, { dates, time_zone })), why);
    });
  }

  const changes: [text: string, zone: string, earlier: string | undefined, later: string, why: RegExp][] = [
    [
      '29.03.2026 02:30',
      'Europe/Berlin',
      undefined,
      '2026-03-29T01:30:00.000000Z',
      /does not exist in Europe\/Berlin, where clocks are set forward: correct it, or say "skipped": "later"/,
    ],
    [
      '08.03.2026',
      'America/Havana',
      undefined,
      '2026-03-08T05:00:00.000000Z',
      /"08\.03\.2026" does not exist/,
    ],
    [
      '30.12.2011 12:00',
      'Pacific/Apia',
      undefined,
      '2011-12-30T22:00:00.000000Z',
      /does not exist in Pacific/,
    ],
    [
      '25.10.2026 02:30',
      'Europe/Berlin',
      '2026-10-25T00:30:00.000000Z',
      '2026-10-25T01:30:00.000000Z',
      /happens twice in Europe\/Berlin, where clocks are set back: .* or say "repeated": "earlier"/,
    ],
    [
      '25.10.2026 02:59',
      'Europe/Berlin',
      '2026-10-25T00:59:00.000000Z',
      '2026-10-25T01:59:00.000000Z',
      /happens twice/,
    ],
  ];
  for (const [text, time_zone, earlier, later, why] of changes) {
    test(`${text}, at a change of clocks in ${time_zone}, is the earlier or later time, or refused`, async () => {
      const value = (more: object) => valueFrom('activated_at', text, { dates, time_zone, ...more });
      assert.equal(await value({}), earlier ?? later);
      assert.equal(await value({ repeated: 'later', skipped: 'later' }), later);
      if (earlier !== undefined)
        assert.equal(await value({ repeated: 'earlier', skipped: 'refuse' }), earlier);
      assert.match(String(await value({ repeated: 'refuse', skipped: 'refuse' })), why);
    });
  }

  test('counts the times that clocks show twice or skip, texts that are repeated among them', () => {
    const times = new LocalTimes(['DD.MM.YYYY HH:mm'], { time_zone: 'Europe/Berlin' });
    assert.deepEqual(times.warnings, []);
    const days = ['25.10.2026 02:30', '25.10.2026 02:30', '25.10.2026 03:30', '29.03.2026 02:30'];
    for (const text of days) assert.equal(typeof times.read(text), 'string');
    assert.deepEqual(times.warnings, [
      '2 times that clocks show twice in Europe/Berlin: each is the earlier of the two ("repeated" of the mapping).',
      '1 time that clocks skip in Europe/Berlin: each is as much later as clocks are set forward ("skipped" of the mapping).',
    ]);
  });

  test('has the same value whatever was read before it', async () => {
    const texts = [
      '2026-10-24 22:30:00.0',
      '2026-10-25 01:59:59.9',
      '2026-10-25 03:00:00.0',
      '2026-10-26 00:00:00.0',
    ];
    const lines = [...texts, ...texts.toReversed(), ...texts].map((text) => `C1,7,${text}\n`);
    const mapping = mappingOf({ activated_at: 'X' }, { dates, time_zone: 'Europe/Berlin' });
    const { rows } = await readMapped(`K,N,X\n${lines.join('')}`, mapping, { rules: { isUpdate: true } });
    const times = [
      '2026-10-24T20:30:00',
      '2026-10-24T23:59:59',
      '2026-10-25T02:00:00',
      '2026-10-25T23:00:00',
    ];
    assert.deepEqual(
      rows.map(({ activated_at }) => String(activated_at).slice(0, 19)),
      [...times, ...times.toReversed(), ...times],
    );
  });
});

describe('a charge', () => {
  const taken: [text: string, decimal: string, millionths: number][] = [
    ['2,25', ',', 2_250_000],
    ['-2,25', ',', -2_250_000],
    ['1.234.567,5', ',', 1_234_567_500_000],
    ['1 234,5', ',', 1_234_500_000],
    ['1\u00a0234,5', ',', 1_234_500_000],
    ['1\u202f234', ',', 1_234_000_000],
    ["1'234,5", ',', 1_234_500_000],
    ['2.250', ',', 2_250_000_000],
    ['2.25', '.', 2_250_000],
    ['1,234.5', '.', 1_234_500_000],
    ["1'000'000", '.', 1_000_000_000_000],
    [' 2,25\u00a0', ',', 2_250_000],
    ['0', ',', 0],
    ['', ',', 0],
    [' ', ',', 0],
  ];
  for (const [text, decimal, millionths] of taken) {
    test(`${JSON.stringify(text)} with the sign ${decimal}`, async () => {
      assert.equal(await valueFrom('monthly', text, { decimal }), millionths);
    });
  }

  for (const [text, decimal] of [
    ['2,2,5', ','],
    ['2.25', ','],
    ['1.2345,6', ','],
    ["1'234.567,5", ','],
    ['1.23,4', ','],
    [',5', ','],
    ['5,', ','],
    ['+5', ','],
    ['2,2500001', ','],
    ['1.000.000.000,01', ','],
    ['1e3', '.'],
    ['2,25', '.'],
  ] as const) {
    test(`${JSON.stringify(text)} with the sign ${decimal} is refused`, async () => {
      const shown = JSON.stringify(text);
      assert.ok(
        String(await valueFrom('monthly', text, { decimal })).includes(
          `X (monthly): ${shown} is not a charge`,
        ),
      );
    });
  }

  for (const [text, currency, millionths] of [
    ['2,25 €', '€', 2_250_000],
    ['2,25\u00a0€', '€', 2_250_000],
    ['€-2,25', '€', -2_250_000],
    ['-€2,25', '€', -2_250_000],
    ['EUR 1.234,5', 'EUR', 1_234_500_000],
    ['Fr. 1,2', 'Fr.', 1_200_000],
    ['2,25', '€', 2_250_000],
  ] as const) {
    test(`${JSON.stringify(text)} in ${currency}`, async () => {
      assert.equal(await valueFrom('monthly', text, { decimal: ',', currency }), millionths);
    });
  }

  test('in another currency than the mapping says, or in one that it does not say, is refused', async () => {
    const refused = async (text: string, mapping: object) =>
      String(await valueFrom('monthly', text, mapping));
    assert.match(await refused('2,25 MIN', { decimal: ',' }), /"2,25 MIN" is not a charge/);
    const both = 'K,N,X,Y\nC1,7,"2,25 €",3\nC1,8,"$ 2,25",4 €\n';
    const mapping = mappingOf({ monthly: 'X', activation: 'Y' }, { decimal: ',' });
    assert.deepEqual((await readMapped(both, mapping, { rules: { isUpdate: true } })).faults, [
      'billing.csv:3: X (monthly): "$ 2,25" is not in €, as the charges before it are: the charges of a file are in one currency.',
    ]);
    assert.match(
      await refused('$2.25', { currency: '€' }),
      /"\$2\.25" is not in €, as the mapping says that all charges are\./,
    );
    for (const text of ['€', '2.25 € €', '€2.25€', '€ 2.2.5'])
      assert.match(await refused(text, { currency: '€' }), /is not a charge: write 2\.25/, text);
    assert.equal(await valueFrom('monthly', '1,234.5 US$', { currency: 'US$' }), 1_234_500_000);
  });

  test('without a sign in the mapping is as in any other import', async () => {
    assert.equal(await valueFrom('monthly', '2.25', {}), 2_250_000);
    assert.match(String(await valueFrom('monthly', '2,250', {})), /X \(monthly\): must be a decimal/);
  });
});

describe('an id', () => {
  const idOf = async (text: string, as: string) => {
    const mapping = { columns: { account_id: 'K', id: { from: 'X', as } } };
    const { rows, faults } = await readMapped(`K,X\nC1,${text}\n`, mapping, { rules: { isUpdate: true } });
    return faults.length > 0 ? faults.join('\n') : rows[0]?.['id'];
  };

  test('is made of the digits of a number, however it is written', async () => {
    for (const text of ['+442079460018', '0044 20 7946-0018', '+44 (0)20 7946 0018', '442079460018'])
      assert.equal(await idOf(text, 'digits'), 442_079_460_018);
    assert.equal(await idOf('030 901820', 'digits'), 30_901_820);
    assert.match(String(await idOf('1'.repeat(17), 'digits')), /X \(id\): must be an integer from 1 to/);
  });

  test('is made of 52 bits of a digest, as PostgreSQL computes them', async () => {
    // select ('x' || left(md5(u::text), 13))::bit(52)::bigint
    assert.equal(await idOf('7d444840-9dc0-11d1-b245-5ffdce74fad2', 'digest'), 2_928_524_441_644_273);
    // Of the text with its blanks, as ever: the id of an item that is there must not become another.
    assert.equal(await idOf('7d444840-9dc0-11d1-b245-5ffdce74fad2 ', 'digest'), 2_447_508_295_677_343);
    assert.equal(await idOf(' \u00a0', 'digest'), 'billing.csv:2: X (id): is required, but was empty.');
    assert.equal(await idOf('', 'digest'), 'billing.csv:2: X (id): is required, but was empty.');
  });
});

describe('values', () => {
  const values = { is_spammed: { ' ja': 'true', '': 'false', '\\N': 'false' }, comment: { '-': '' } };
  test('are looked up after trimming, and taken as they are where they are not listed', async () => {
    assert.equal(await valueFrom('is_spammed', 'ja ', { values }), true);
    assert.equal(await valueFrom('is_spammed', '', { values }), false);
    assert.equal(await valueFrom('is_spammed', 'yes', { values }), true);
    assert.equal(await valueFrom('comment', '-', { values }), '');
    assert.equal(await valueFrom('is_spammed', '\u00a0ja\u200b', { values }), true);
    assert.equal(await valueFrom('comment', ' ja  nein ', { values }), 'ja  nein');
    assert.match(
      String(await valueFrom('is_spammed', 'Ja', { values })),
      /X \(is_spammed\): must be true or false/,
    );
    assert.equal(await valueFrom('comment', '__proto__', { values }), '__proto__');
  });
});

describe('a mapping', () => {
  test('may be as in the documentation, for every run of its list', () => {
    assert.deepEqual(mappingFaults(BILLING), []);
    assert.deepEqual(mappingFaults(mappingOf({}), { isUpdate: true }), []);
    assert.deepEqual(mappingFaults({ columns: { id: 'N' } }, { isUpdate: true, account_id: 'C1' }), []);
    assert.deepEqual(mappingFaults(mappingOf({ removed: 'Weg' })), []);
  });

  test('is checked by the rules of each run and for each list, whichever read the same text before', () => {
    const mapping = JSON.stringify({ columns: { id: 'N' } });
    const updates = { isUpdate: true, account_id: 'C1' };
    for (const table of [tables.virtual_numbers, tables.additional_services, tables.virtual_numbers]) {
      assert.deepEqual(mappingFaults(mapping, updates, table), []);
      const [faults, others] = [{}, { isUpdate: true }].map((rules) =>
        String(mappingFaults(mapping, rules, table)),
      );
      assert.match(faults ?? '', /frequency/);
      assert.match(others ?? '', /account_id/);
      assert.doesNotMatch(others ?? '', /frequency/);
    }
    const ofNumbers = JSON.stringify({ columns: { id: 'N', did: 'D' } });
    assert.deepEqual(mappingFaults(ofNumbers, updates), []);
    assert.notDeepEqual(mappingFaults(ofNumbers, updates, tables.additional_services), []);
  });

  test('may be UTF-8 or UTF-16, as Windows PowerShell writes it', () => {
    const text = JSON.stringify({ ...BILLING, delimiter: 'tab' });
    for (const [form, bytes] of writtenForms(text)) assert.deepEqual(mappingFaults(bytes), [], form);
    assert.deepEqual(mappingFaults(Buffer.from(text, 'latin1')), [
      'It is not JSON in UTF-8 or UTF-16: save it as UTF-8.',
    ]);
  });

  test('has every fault at once, each with its place', () => {
    const mapping = `{ "delimitr": ";", "delimiter": ";;", "encoding": "latin1", "decimal": "x",
      "dates": ["DD.MM.YYYY", "MM.DD.YYYY", "dd.mm.yyyy", "DD.MM.", "HH:mm", "YYYY-MM-DDTHH:mm:ssZ", 5, "DD.MM.YYYYY", "DD.MM.YYYY HH:mm:SS"], "time_zone": "Europe/Nowhere",
      "columns": { "account_id": 7, "did": "A", "did": "B", "id": { "frm": "A", "as": "digit" }, "coment": "C",
        "monthly": { "from": "D", "as": "digest" }, "created_at": "E" },
      "constants": { "frequency": "", "monthly": "2,2", "statuses": "active", "subscription_status": "active" },
      "values": { "is_spammed": { "ja": "wahr", "nein": "false" }, "x/y": {} },
      "ignore": ["E", {}] }`;
    const forms = `must be ${FORM_ALLOWED}, but was`;
    assert.deepEqual(
      mappingFaults(mapping).map((fault) => fault.replace(/ Known are.*/, '')),
      [
        '/columns/did: is there twice; leave one out.',
        '/delimitr: is not a key of a mapping. Did you mean delimiter?',
        '/delimiter: must be one character such as ; or |, or tab, but was ";;".',
        '/encoding: must be one of utf-8, utf-16, utf-16le, utf-16be, windows-1250, windows-1251, windows-1252, iso-8859-15, cp850, macintosh, but was "latin1".',
        '/decimal: must be one of ".", ",", but was "x".',
        `/dates/2: ${forms} "dd.mm.yyyy".`,
        `/dates/3: ${forms} "DD.MM.".`,
        `/dates/4: ${forms} "HH:mm".`,
        '/dates/6: must be a text, but was 5.',
        `/dates/7: ${forms} "DD.MM.YYYYY".`,
        `/dates/8: ${forms} "DD.MM.YYYY HH:mm:SS".`,
        '/time_zone: must be an IANA time zone such as Europe/Berlin, but was "Europe/Nowhere".',
        '/columns/coment: is not a column of virtual numbers. Did you mean comment?',
        '/columns/account_id: must be a text or an object, but was 7.',
        '/columns/id: must have "from".',
        '/columns/id/frm: is not a key of a mapping. Did you mean from?',
        '/columns/id/as: must be one of "digits", "digest", but was "digit".',
        '/columns/monthly/as: is not a key of a mapping.',
        '/constants/statuses: is not a column of virtual numbers. Did you mean status?',
        '/constants/frequency: must not be empty.',
        '/constants/monthly: must be a decimal with at most six fractional digits, at most 1,000,000,000 either side of zero, such as 2.25, but was "2,2"; did you mean 2.2?',
        '/values/x~1y: is not a column of virtual numbers.',
        '/values/is_spammed/ja: must be true or false, but was "wahr".',
        '/ignore/1: must be a text, but was {}.',
        '/constants/monthly: has a source in "columns", too; leave one out.',
        '/ignore/0: is mapped in "columns", too.',
        '/dates/1: reads the same texts as /dates/0; leave one out.',
        '/columns: status is required, but has no source: add it here, or to "constants".',
      ],
    );
  });

  const odd: [title: string, text: unknown, fault: RegExp][] = [
    ['no JSON', '{"columns": {"id": }', /^It is not JSON: Unexpected token/],
    ['a list', [], /^must be an object, but was \[\]\.$/],
    ['nothing', {}, /^must have "columns"\.$/],
    ['a number for a currency', mappingOf({}, { currency: '2' }), /^\/currency: must be what stands next to/],
    ['an offset for a zone', mappingOf({}, { time_zone: '+01:00' }), /^\/time_zone: must be an IANA/],
    [
      'a column of the other list',
      mappingOf({ title: 'T' }),
      /^\/columns\/title: is not a column of virtual/,
    ],
    [
      'a repeated key deep within',
      '{"columns":{"id":{"from":"a","from":"b"},"account_id":"K"}}',
      /^\/columns\/id\/from: is there twice/,
    ],
    [
      'another account than that of the run',
      mappingOf({}, { constants: { account_id: 'C2' } }),
      /^\/constants\/account_id: must be "C1"/,
    ],
  ];
  for (const [title, text, fault] of odd) {
    test(`is refused: ${title}`, () => {
      assert.match(mappingFaults(text, { isUpdate: true, account_id: 'C1' })[0] ?? '', fault);
    });
  }

  test('is for one list', () => {
    assert.match(
      mappingFaults(BILLING, {}, tables.additional_services).join('\n'),
      /\/columns\/did: is not a column of additional/,
    );
  });
});

describe('the last line of a CSV file', () => {
  const NUMBERS = 'account_id,id,comment\nC1,1,a\n';
  const last = async (line: string, takesOpenEnd = true) => {
    const rules = { isUpdate: true };
    const { rows, faults } = await readMapped(NUMBERS + line, undefined, { rules, takesOpenEnd });
    return faults[0] ?? rows.at(-1)?.['comment'];
  };

  test('may lack its line break where no cell of the header is missing in it', async () => {
    assert.equal(await last('C1,2,b'), 'b');
    assert.equal(await last('C1,2,'), '');
    assert.equal(await last('C1,2,"b\nb"'), 'b\nb');
    assert.equal(await last('C1,2,"b""b"'), 'b"b');
  });

  test('is refused where it may not be complete', async () => {
    for (const line of ['C1', 'C1,2', 'C1,2,"b', 'C1,2,"b\nb', 'C1,2,b,', 'C1,2,b\r', ' ', 'C1,2,b"', '"'])
      assert.match(
        String(await last(line)),
        /^billing\.csv:[34]: The last line does not end with a line break/,
      );
    assert.match(String(await last('C1,2,b', false)), /^billing\.csv:3: The last line does not end/);
    const { faults } = await readMapped('account_id,id', undefined, {
      rules: { isUpdate: true },
      takesOpenEnd: true,
    });
    assert.match(faults.join(), /^billing\.csv:1: The last line does not end/);
  });

  test('of NDJSON needs its line break', async () => {
    const row = '{"account_id":"C1","id":1}';
    const { faults } = await readMapped(row, undefined, { ending: '.ndjson', takesOpenEnd: true });
    assert.match(faults.join(), /^billing\.ndjson:1: The last line does not end/);
  });
});
