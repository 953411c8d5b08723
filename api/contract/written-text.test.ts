// The text of a file that a person wrote, whatever shell or editor wrote it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenForms } from '../../test/kit/written-forms.ts';
import { writtenText } from './written-text.ts';

test('the text of a file is the same in UTF-8 and UTF-16, with a mark and without', () => {
  for (const text of ['{"mapped": "Nächste Zahlung", "sign": "€ 🙂"}\r\n', '-- ü\nselect 1', 'x'])
    for (const [form, bytes] of writtenForms(text)) assert.equal(writtenText(bytes), text, form);
  assert.equal(writtenText(Buffer.of()), '');
});

test('bytes that are neither have no text', () => {
  const bad = [
    Buffer.from('{"a": "Nächste"}', 'latin1'),
    Buffer.from('\ufeff{}', 'utf16le').subarray(0, 5),
    Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]),
    Buffer.from('a\0b\0\0'),
    Buffer.of(0),
  ];
  for (const bytes of bad) assert.equal(writtenText(bytes), undefined, bytes.toString('hex'));
});
