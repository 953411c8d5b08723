// The text of bytes in an encoding that files are written in; Node.js knows all of them but that of DOS.

/** The upper half of code page 850, as consoles and programs of DOS in Western Europe write it. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';
const UPPER_HALF = /[\x80-\xff]/g;

export interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

const cp850: Decoder = {
  decode: (bytes = Buffer.of()) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString('latin1')
      .replace(UPPER_HALF, (byte) => CP850.charAt(byte.charCodeAt(0) - 0x80)),
};

/** @param options as those of `TextDecoder` */
export const decoderOf = (encoding: string, options?: { readonly fatal: true }): Decoder =>
  encoding === 'cp850' ? cp850 : new TextDecoder(encoding, options);
