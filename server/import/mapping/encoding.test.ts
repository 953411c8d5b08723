// What bytes are taken for: the languages of customers in the encodings of systems, and UTF-8 with faults.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EncodingEvidence } from '@linecard/client/check/encoding';
import { decoderOf } from '@linecard/client/check/encodings';
import { options } from '../../settings/options.ts';

/** The bytes of a text in an encoding of a byte a character. */
function encoded(text: string, encoding: string): Buffer {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const all = decoderOf(encoding).decode(bytes);
  const codes = Array.from(text, (character) => {
    const code = character < '\x80' ? character.charCodeAt(0) : all.indexOf(character, 128);
    assert.ok(code >= 0, `${encoding} has no ${character}`);
    return code;
  });
  return Buffer.from(codes);
}

function foundIn(...parts: readonly (string | Uint8Array)[]) {
  const evidence = new EncodingEvidence();
  evidence.add(Buffer.concat(parts.map((part) => Buffer.from(part))));
  return evidence.found;
}

const TEXTS = {
  German:
    'Kundennr;Bemerkung\n1;Büro Süd, Münchner Straße\n2;Geschäftsführung – Nähe Köln\n3;ÖPNV Übergang\n',
  Spanish: 'Cliente;Número\n1;Atención al niño, teléfono de España\n2;¿Dónde está la señal?\n',
  French: 'Client;Libellé\n1;Hôtel à Besançon, près de la forêt\n2;Entrée du garçon, 2e étage, Noël\n',
  Portuguese: 'Cliente;Descrição\n1;São João, instalações e manutenção\n2;Três irmãs; avó, avô, você\n',
  Swedish: 'Kund;Anmärkning\n1;Göteborg, Malmö och Västerås\n2;Räksmörgås på Åland\n',
};
const CENTRAL_TEXTS = {
  Polish: 'Klient;Opis\n1;Łódź, Gdańsk, święta i żółty ślad\n2;Księgowość, dział sprzedaży\n',
  Czech: 'Klient;Popis\n1;Příbor, Dvořák, žluťoučký kůň\n2;Účetní oddělení, Česká Třebová\n',
  Hungarian: 'Ügyfél;Megjegyzés\n1;Győr, Székesfehérvár, hűtő\n2;Ügyfélszolgálat, főiroda, őrült\n',
};

describe('a file that is not UTF-8', () => {
  for (const [language, text] of Object.entries(TEXTS))
    for (const encoding of ['windows-1252', 'cp850', 'macintosh'])
      test(`is ${encoding} where that makes ${language} of it`, () => {
        const written = encoding === 'cp850' ? text.replace('–', '-') : text;
        const { encoding: found, questions } = foundIn(encoded(written, encoding));
        assert.deepEqual([found, questions], [encoding, []]);
      });
  for (const [language, text] of Object.entries(CENTRAL_TEXTS))
    test(`is windows-1250 where that makes ${language} of it`, () => {
      const { encoding, questions } = foundIn(encoded(text, 'windows-1250'));
      assert.deepEqual([encoding, questions], ['windows-1250', []]);
    });
  test('is ISO 8859-15 where it has its euro sign or its œ', () => {
    for (const text of ['1;Büro;2,25 €\n', '1;Chœur, sœur;3\n'])
      assert.equal(foundIn(encoded(text, 'iso-8859-15')).encoding, 'iso-8859-15', text);
  });
  test('is windows-1251 where that makes words of it', () => {
    assert.equal(foundIn(encoded('Клиент;Номер\n1;Отдел продаж\n', 'windows-1251')).encoding, 'windows-1251');
  });

  test('is a question where two encodings make sense of it, with what each makes', () => {
    for (const [text, encoding, question] of [
      [
        '1;Espa\xf1a\n',
        'windows-1252',
        /is it "España" or "Espańa"\? .* write "encoding": "windows-1250"\.$/,
      ],
      ['1;Stra\xe1e\n', 'windows-1252', /is it "Straáe" or "Straße"\? .* write "encoding": "cp850"\.$/],
    ] as const) {
      const found = foundIn(Buffer.from(text, 'latin1'));
      assert.equal(found.encoding, encoding);
      assert.match(found.questions.join('\n'), question);
    }
    assert.match(
      foundIn(Buffer.from('a;\xad\xb7\xad\xf7\n', 'latin1')).questions.join('\n'),
      /how is the file written/,
    );
  });

  test('is in an encoding that an import takes', () => {
    for (const encoding of ['windows-1250', 'windows-1252', 'iso-8859-15', 'cp850', 'macintosh'])
      assert.equal(options.encoding.read(encoding), encoding);
  });
});

describe('a file that is UTF-8 but for a few bytes', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `${i};Büro Süd ${i}\n`).join('');
  const bad = Buffer.from('7;Caf\xe9\n', 'latin1');

  for (const [where, before, after, line] of [
    ['early', 0, 50, 1],
    ['in the middle', 25, 25, 26],
    ['late', 50, 0, 51],
  ] as const)
    test(`stays UTF-8, and a question names the line (${where})`, () => {
      const { encoding, questions } = foundIn(lines(before), bad, lines(after));
      assert.equal(encoding, 'utf-8');
      assert.deepEqual(questions, [
        `encoding: line ${line} is not valid UTF-8, as the rest of the file is. The import refuses it: correct the file.`,
      ]);
    });

  test('has a few of its lines named, and is another where most are not valid', () => {
    const many = foundIn(lines(50), ...Array.from({ length: 9 }, () => bad));
    assert.match(many.questions.join(), /: lines 51, 52, 53, 54, 55 and 4 more are not valid UTF-8/);
    assert.equal(foundIn(lines(1), ...Array.from({ length: 9 }, () => bad)).encoding, 'windows-1252');
    assert.deepEqual(foundIn('a;b\n', lines(3)).questions, []);
    assert.equal(foundIn('a;\ufffd\n').encoding, 'utf-8');
  });
});
