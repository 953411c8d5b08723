// The text of bytes in an encoding that files are written in; every platform knows all but that of DOS.

/** The upper half of code page 850, as consoles and programs of DOS in Western Europe write it. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

export interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

const cp850: Decoder = {
  decode(bytes = new Uint8Array()) {
    let text = '';
    for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : CP850.charAt(byte - 0x80);
    return text;
  },
};

/** @param options as those of `TextDecoder` */
export const decoderOf = (encoding: string, options?: { readonly fatal: true }): Decoder =>
  encoding === 'cp850' ? cp850 : new TextDecoder(encoding, options);
