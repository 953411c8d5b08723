// The bytes of a text as editors and shells write it: UTF-8 and UTF-16, with a byte order mark and without.

export function writtenForms(text: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const [bare, marked] = [text, `\ufeff${text}`];
  return [
    ['UTF-8', Buffer.from(bare)],
    ['UTF-8 with a mark', Buffer.from(marked)],
    ['UTF-16 as Windows PowerShell writes it', Buffer.from(marked, 'utf16le')],
    ['UTF-16 with the higher byte first', Buffer.from(marked, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(bare, 'utf16le')],
    ['UTF-16 without a mark, the higher byte first', Buffer.from(bare, 'utf16le').swap16()],
  ];
}
