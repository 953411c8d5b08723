// Proposals: what a file is taken for by its names and its texts, why, and what is left as a question.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { mappingFaults, readMapped } from '../../../test/kit/mapped-read.ts';
import { temporaryFolder } from '../../../test/kit/temporary-folder.ts';
import { importables, type TargetName } from '../job.ts';
import { targetOf, targets } from '../targets.ts';
import { columnNamed } from './names.ts';
import { Proposal } from './proposal.ts';
import { sampleOf } from './sample.ts';

const folder = temporaryFolder();

function propose(
  bytes: string | Uint8Array,
  name: TargetName = 'virtual_numbers',
  columns = targets[name].columns(),
) {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  return new Proposal(sampleOf(path), columns);
}

const numberColumns = targets.virtual_numbers.columns();
const everyColumn = importables.flatMap(({ list }) => targets[list.name as TargetName].columns());

/** What a file of these names, and of one row or more, is taken for. */
const mappingOf = (names: string, ...rows: string[]) => propose(`${[names, ...rows].join('\n')}\n`).mapping;

const BILLING = `Kundennr;Rufnummer;Bemerkung;Preis;Start;Nächste Zahlung
C1001;+442079460018;Büro;2,25;01.02.2026;01.12.2026
C1001;+442079460019;;1.002,25;15.02.2026;
`;

describe('a mapping is proposed', () => {
  test('with which the file comes in as it is', async () => {
    const bytes = Buffer.from(BILLING, 'latin1');
    const { mapping, reasons, questions } = propose(bytes);
    assert.deepEqual(mapping, {
      delimiter: ';',
      encoding: 'windows-1252',
      decimal: ',',
      dates: ['DD.MM.YYYY'],
      columns: {
        account_id: 'Kundennr',
        id: { from: 'Rufnummer', as: 'digits' },
        did: 'Rufnummer',
        comment: 'Bemerkung',
        monthly: 'Preis',
        created_at: 'Start',
        next_payment_at: 'Nächste Zahlung',
      },
      constants: { status: 'active', subscription_status: 'active', frequency: 'monthly' },
    });
    assert.equal(reasons.length, 14);
    assert.ok(reasons.includes('decimal ",", by the texts of "Preis"'));
    assert.deepEqual(
      questions.map((question) => question.split(':')[0]),
      ['time_zone'],
    );
    assert.deepEqual(mappingFaults(mapping), []);
    const { rows, faults } = await readMapped(bytes, mapping);
    assert.deepEqual(faults, []);
    assert.deepEqual([rows.length, rows[1]?.['monthly']], [2, 1_002_250_000]);
  });

  test('and asks about accounts whose ids look like names', () => {
    const doubtful = (...accounts: string[]) =>
      propose(`Customer;Number\n${accounts.map((one, i) => `${one};+44207946000${i}\n`).join('')}`)
        .questions.filter((question) =>
          question.startsWith('account_id: the texts of "Customer" look like names'),
        )
        .map((question) => /such as (".*?")\. /.exec(question)?.[1]);
    assert.deepEqual(doubtful('Ada Ltd', 'Müller & Söhne', 'Élan Vital SA'), ['"Ada Ltd"']);
    for (const ids of [['C1', 'C2'], ['acme', 'bolt'], ['10 01', '10 02'], ['a_b-c', '7'], ['']])
      assert.deepEqual(doubtful(...ids), [], ids.join());
  });

  test('with fields that the operator declared, which are called by their names and titles', () => {
    const own = (
      [
        ['x_site', 'text', { de: 'Standort' }],
        ['x_cost', 'charge', { en: 'Vendor cost' }],
        ['x_status', 'text', {}],
        ['x_net', 'text', { en: 'Carrier' }],
      ] as const
    ).map(([name, kind, titles], i) => ({
      ...{ name, kind, titles, search: false, shown: false, derive: null, slot: i + 1 },
    }));
    const { columns } = targetOf('virtual_numbers', { revision: '', shape: 'some_shape', fields: own });
    const mappingWith = (names: string) =>
      propose(`${names}\nC1,+442079460018,a,b,1.5,c\n`, 'virtual_numbers', columns()).mapping;
    assert.partialDeepStrictEqual(mappingWith('Customer,Number,STANDORT,state,vendor cost,Carrier').columns, {
      x_site: 'STANDORT',
      status: 'state',
      x_cost: 'vendor cost',
      x_net: 'Carrier',
    });
    // A column of the contract has its own name.
    assert.partialDeepStrictEqual(mappingWith('Customer,Number,x_site,status,X Cost,x_status').columns, {
      x_site: 'x_site',
      status: 'status',
      x_cost: 'X Cost',
      x_status: 'x_status',
    });
  });

  test('for accounts, with the words that mean something else in a list', async () => {
    const file = `Kundennr;Name;Währung;Wiederverkäufer;gesperrt;Telefon
C1;Ada Ltd;EUR;;nein;030 1234567
C2;Bob;GBP;C1;ja;
`;
    const { mapping, questions } = propose(file, 'accounts');
    assert.deepEqual(mapping, {
      delimiter: ';',
      columns: {
        account_id: 'Kundennr',
        name: 'Name',
        currency: 'Währung',
        parent_id: 'Wiederverkäufer',
        disabled: 'gesperrt',
      },
      values: { disabled: { nein: 'false', ja: 'true' } },
      ignore: ['Telefon'],
    });
    assert.equal(questions.length, 1);
    assert.deepEqual(propose('id,Firma\n7,Ada Ltd\n', 'accounts').mapping.columns, {
      account_id: 'id',
      name: 'Firma',
    });
    assert.deepEqual(propose('Firma\nAda Ltd\n', 'accounts').questions, [
      'account_id: which column is it? (Your own customer id. An account that does not exist is created.) Add it to "columns", or to "constants".',
    ]);
  });

  test('for a file in any encoding, compressed or not', () => {
    for (const [encoding, bytes] of [
      [undefined, Buffer.from(BILLING)],
      ['utf-16', Buffer.from(`\ufeff${BILLING}`, 'utf16le')],
      ['utf-16', Buffer.from(`\ufeff${BILLING}`, 'utf16le').swap16()],
      ['utf-16le', Buffer.from(BILLING, 'utf16le')],
      ['utf-16be', Buffer.from(BILLING, 'utf16le').swap16()],
      ['windows-1252', gzipSync(Buffer.from(BILLING.repeat(20_000), 'latin1'))],
      [
        'windows-1251',
        Buffer.from([0xca, 0xeb, 0xe8, 0xe5, 0xed, 0xf2, 0x3b, 0x41, 0x0a, 0xcf, 0x3b, 0x31, 0x0a]),
      ],
    ] as const) {
      assert.equal(propose(bytes).mapping.encoding, encoding);
    }
  });

  test('in UTF-8 with the line of a bad byte, wherever that is and whatever the format', () => {
    const row = (i: number, comment = 'Büro Süd') =>
      `C1;+4420794600${String(i).padStart(2, '0')};${comment}\n`;
    const rows = Array.from({ length: 52 }, (_, i) => row(i));
    const bad = Buffer.from('C1;+442079460099;Caf\xe9\n', 'latin1');
    const header = 'Kundennr;Rufnummer;Bemerkung\n';
    const json = Buffer.from(
      '{"Kundennr":"C1","Rufnummer":"+442079460099","Bemerkung":"Caf\xe9"}\n',
      'latin1',
    );
    const object = '{"Kundennr":"C1","Rufnummer":"+442079460018","Bemerkung":"Büro"}\n';
    const far = row(7).repeat(20_000);
    for (const [line, ...parts] of [
      [2, header, bad, ...rows],
      [54, header, ...rows, bad],
      [1, Buffer.from('Kundennr;Rufnummer;Ger\xe4t\n', 'latin1'), ...rows],
      [20_002, header, far, bad],
      [3, object, object, json],
    ] as const) {
      const { mapping, questions } = propose(Buffer.concat(parts.map((part) => Buffer.from(part))));
      assert.equal(mapping.encoding, undefined);
      assert.match(questions.join('\n'), new RegExp(`^encoding: line ${line} is not valid UTF-8`));
    }
    const ascii = `${header}${'C1;+442079460018;Fax\n'.repeat(40_000)}`;
    const late = propose(
      Buffer.concat([Buffer.from(ascii), Buffer.from('C1;+442079460019;B\xfcro\n', 'latin1')]),
    );
    assert.equal(late.mapping.encoding, 'windows-1252');
    assert.equal(propose(Buffer.from(object, 'utf16le')).mapping.encoding, 'utf-16le');
  });

  test('by columns of five languages, however they are spelled', () => {
    for (const [name, column] of [
      ['Kunden-Nr.', 'account_id'],
      ['KUNDENNUMMER', 'account_id'],
      ['Customer_ID', 'account_id'],
      ['Número de cliente', 'account_id'],
      ['Nº Cliente', 'account_id'],
      ['N° client', 'account_id'],
      ['Código do cliente', 'account_id'],
      ['phoneNumber', 'did'],
      ['Número de teléfono', 'did'],
      ['Numéro de téléphone', 'did'],
      ['Telefone', 'did'],
      ['Naechste Zahlung', 'next_payment_at'],
      ['Prochaine échéance', 'next_payment_at'],
      ['Data de vencimento', 'next_payment_at'],
      ['Preis (EUR, netto)', 'monthly'],
      ['Cuota mensual', 'monthly'],
      ['Mensalidade', 'monthly'],
      ['Frais d’activation', undefined],
      ['Observações', 'comment'],
      ['subscription_status', 'subscription_status'],
      ['Verkäufer', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(columnNamed(name, numberColumns), column, name);
    }
  });

  test('that never takes what a carrier pays itself for a price', () => {
    for (const name of [
      'Einkaufspreis',
      'EK-Preis',
      'buy_cost',
      'Cost',
      'Purchase price',
      'Wholesale price',
      'Precio de compra',
      'Coste',
      'Prix d’achat',
      'Coût',
      'Preço de custo',
      'Vendor fee',
    ])
      assert.equal(columnNamed(name, everyColumn), undefined, name);
  });

  test('without the fees of the vendor in the file of our own guide, which are questions', () => {
    const guide = readFileSync(
      join(import.meta.dirname, '../../../docs/how-to/load-from-portabilling.md'),
      'utf8',
    );
    const [, file = ''] = /```csv inventory\.csv\n(.*?)```/s.exec(guide) ?? [];
    const { mapping, questions } = propose(file);
    assert.deepEqual([mapping.columns['activation'], mapping.columns['monthly']], [undefined, 'Price']);
    for (const name of ['Activation fee', 'Periodic fee'])
      assert.match(
        questions.join('\n'),
        new RegExp(
          `^"${name}" is ignored: "DID vendor batch" next to it says that it may be what you pay\\.`,
          'm',
        ),
      );
  });

  const fees: [names: string, mapped: string | undefined, left: readonly string[]][] = [
    ['vendor_batch,setup_fee,monthly_fee', undefined, ['setup_fee', 'monthly_fee']],
    ['monthlyFee,setupFee,supplierRef', undefined, ['monthlyFee', 'setupFee']],
    ['Carrier,MRC', undefined, ['MRC']],
    ['buyRate,sellRate,monthly', 'monthly', ['buyRate']],
    ['EK-Preis,VK-Preis,Monatspreis', 'Monatspreis', ['EK-Preis']],
    ['EKPreis,Preis', undefined, ['EKPreis', 'Preis']],
    ['Lieferant,Grundgebühr', undefined, ['Grundgebühr']],
    ['Einkaufspreis,Rufnummer,Grundgebühr', 'Grundgebühr', ['Einkaufspreis']],
    ['Precio de compra,Cuota mensual', undefined, ['Precio de compra', 'Cuota mensual']],
    ['coste_mensual,precio_cliente,cuota', 'cuota', ['coste_mensual']],
    ["Prix d'achat,Prix mensuel", undefined, ["Prix d'achat", 'Prix mensuel']],
    ['Fornecedor,Mensalidade', undefined, ['Mensalidade']],
    ['wholesale_mrc,Name,mrc', 'mrc', ['wholesale_mrc']],
    ['Cost center,Monthly fee', 'Monthly fee', []],
    ['Kostenstelle,Monatspreis', 'Monatspreis', []],
    ['Provider,Monthly fee', 'Monthly fee', []],
  ];
  for (const [names, mapped, left] of fees)
    test(`with ${mapped ?? 'no fee'} for what a customer pays of ${names}`, () => {
      const count = names.split(',').length;
      const { mapping, questions } = propose(`Kunde,Nr,${names}\nC1,7${',1.5'.repeat(count)}\n`);
      assert.equal(mapping.columns['monthly'], mapped);
      const said = questions.flatMap((one) => /^"(.*)" is ignored: .* what you pay\./.exec(one)?.[1] ?? []);
      assert.deepEqual(said, left);
    });

  test('with no flag for a time, and no number that is the same in all rows', () => {
    const { mapping, questions } = propose(
      'Kunde,Nr,Activated,Start\nC1,1,yes,2026-02-10T00:00:00Z\nC1,2,no,\n',
    );
    assert.deepEqual([mapping.columns['activated_at'], mapping.columns['created_at']], [undefined, 'Start']);
    assert.match(
      questions.join('\n'),
      /^"Activated" is ignored: activated_at is a time, and its texts are flags/m,
    );
    const { columns } = mappingOf(
      'Kunde,A,B',
      'C1,+442079460000,442079460018',
      'C2,+442079460000,442079460019',
    );
    assert.equal(columns['did'], 'B');
    assert.equal(mappingOf('Kunde,A', 'C1,+442079460000', 'C2,+442079460000').columns['did'], undefined);
    assert.equal(mappingOf('Kunde,A', 'C1,+442079460000').columns['did'], 'A');
  });

  test('by what is in the columns, where their names say nothing', () => {
    const { columns } = mappingOf('Kunde,A,B', 'C1,17,+44 20 79460018', 'C2,18,+44 20 79460019');
    assert.deepEqual([columns['did'], columns['id']], ['B', { from: 'B', as: 'digits' }]);
    const uuid = '7d444840-9dc0-11d1-b245-5ffdce74fad2';
    assert.deepEqual(mappingOf('Kunde,Rufnummer,UUID', `C1,+49301,${uuid}`).columns['id'], {
      from: 'UUID',
      as: 'digest',
    });
    assert.equal(mappingOf('Kunde,Rufnummer,ID', 'C1,+49301,7').columns['id'], 'ID');
    assert.equal(mappingOf('Kunde,Land', 'C1,DE').columns['country_code'], 'Land');
    assert.equal(mappingOf('Kunde,Land', 'C1,Deutschland').columns['country'], 'Land');
  });

  test('with the words of flags in five languages', () => {
    const { values } = mappingOf('Kunde,Spam', 'C1,ja', 'C2,Nein', 'C3,', 'C4,1', 'C5,true', 'C6,No');
    assert.deepEqual(values, { is_spammed: { ja: 'true', Nein: 'false', No: 'false' } });
    assert.match(
      propose('Kunde,Spam\nC1,vielleicht\nC2,constructor\n').questions.join('\n'),
      /is "vielleicht" in "Spam" true or false/,
    );
  });

  const dates: [texts: string[], forms: readonly string[] | undefined][] = [
    [['2026-02-10T16:04:11Z', ''], undefined],
    [['13/02/2026', '01/02/2026'], ['DD/MM/YYYY']],
    [['02/13/2026', '01/02/2026'], ['MM/DD/YYYY']],
    [
      ['2026-02-10 16:04:11.482913', '2026-02-10'],
      ['YYYY-MM-DD', 'YYYY-MM-DD HH:mm:ss.ffffff'],
    ],
    [['20260210'], ['YYYYMMDD']],
    [['31.12.26'], ['DD.MM.YY']],
  ];
  for (const [texts, forms] of dates) {
    test(`with the forms of dates: ${texts.join(', ')}`, () => {
      assert.deepEqual(mappingOf('Kunde,Start', ...texts.map((text) => `C1,${text}`)).dates, forms);
    });
  }

  const signs: [texts: string[], decimal: string | undefined, question: RegExp][] = [
    [['2,25', '1.000'], ',', /^(?!.*decimal)/s],
    [['2.25', '7'], undefined, /^(?!.*decimal)/s],
    [['2.25', '1,000'], '.', /^(?!.*decimal)/s],
    [['1,000'], undefined, /decimal: is "1,000" written with "\." or ","\? \(a fraction or thousands\)/],
    [['2.25', '2,25'], undefined, /decimal: is "2\.25" written/],
  ];
  for (const [texts, decimal, question] of signs) {
    test(`with the sign of decimals: ${texts.join(' ')}`, () => {
      const proposal = propose(`Kunde;Preis\n${texts.map((text) => `C1;${text}\n`).join('')}`);
      assert.equal(proposal.mapping.decimal, decimal);
      assert.match(proposal.questions.join('\n'), question);
    });
  }

  test('with the currency next to charges', () => {
    const { mapping } = propose('Kunde;Preis;Einrichtung\nC1;2,25 €;10,00 €\nC2;1.002,25\u00a0€;\n');
    assert.deepEqual([mapping.currency, mapping.decimal], ['€', ',']);
    assert.equal(propose('Kunde,Price\nC1,$1.20\nC2,free\n').mapping.currency, '$');
    assert.equal(propose('Kunde,Price\nC1,CHF 1.20\nC2,-CHF 7\n').mapping.currency, 'CHF');
    assert.equal(propose('Kunde,Price\nC1,free\nC2,n/a\nC3,1.5\n').mapping.currency, undefined);
    const mixed = propose('Kunde,Price\nC1,$1.20\nC2,€2\n');
    assert.equal(mixed.mapping.currency, undefined);
    assert.match(
      mixed.questions.join('\n'),
      /^currency: the charges are in \$ and €, and those of an account/m,
    );
  });
});

describe('a question is left', () => {
  test('where a date may be read in two ways, or in none', () => {
    const { mapping, questions } = propose('Kunde,Start\nC1,01/02/2026\n');
    assert.equal(mapping.dates, undefined);
    assert.ok(
      questions.includes('dates: is "01/02/2026" DD/MM/YYYY or MM/DD/YYYY? Add "dates": ["DD/MM/YYYY"].'),
    );
    assert.match(propose('Kunde,Start\nC1,1. Mai\n').questions.join('\n'), /how is "1\. Mai" written\?/);
  });

  test('where a column that is required is not found, and the import names it', () => {
    const { mapping, questions } = propose('Foo,Rufnummer,Start,Beginn\nx,+442079460018,2026-02-10,2\n');
    assert.deepEqual(mapping.ignore, ['Foo', 'Beginn']);
    assert.match(
      questions.join('\n'),
      /^account_id: which column is it\? .* Add it to "columns", or to "constants"\.$/m,
    );
    assert.match(questions.join('\n'), /^"Beginn" is ignored: it may be created_at as well as "Start"\./m);
    assert.match(questions.join('\n'), /^"Foo" is ignored, because no name in Linecard is like it/m);
    assert.deepEqual(mappingFaults(mapping), [
      '/columns: account_id is required, but has no source: add it here, or to "constants".',
    ]);
  });

  test('for a service without an id', () => {
    const { mapping, questions } = propose('Cliente\tServicio\nC1\tFax\n', 'additional_services');
    assert.deepEqual(mapping, {
      delimiter: 'tab',
      columns: { account_id: 'Cliente', title: 'Servicio' },
      constants: { subscription_status: 'active', frequency: 'one_time' },
    });
    assert.match(questions.join('\n'), /^id: which column is it\?/m);
  });
});

test('a file of which nothing can be read is refused', () => {
  // As Excel writes it: more than a quarter of its first bytes are zero.
  assert.throws(
    () => propose(`PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0${'\0'.repeat(40)}`),
    /ZIP archive.*save it as CSV/,
  );
  assert.throws(() => propose(Buffer.from('d0cf11e0a1b11ae10000', 'hex')), /old workbook \(\.xls\)/);
  assert.throws(() => propose('%PDF-1.7\n%\xe2\xe3'), /a PDF/);
  assert.throws(() => propose('SQLite format 3\0\x10\0'), /SQLite database/);
  for (const bytes of ['\x7fELF\x02\x01\x01', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'a;b\0\n', 'PAR1\x15\x04'])
    assert.throws(() => propose(Buffer.from(bytes, 'latin1')), /The file is not text/, bytes);
  assert.throws(() => propose(''), /There is no header row/);
  assert.throws(() => propose('a,b\r1,2\r'), /end in CR alone/);
});
