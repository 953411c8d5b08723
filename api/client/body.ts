// Bodies within bounds: no server makes a client hold more than it can.

/** Pages of a few thousand items weigh a few megabytes. */
export const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
/** A row of an export weighs a few kilobytes. */
export const MAX_ROW_BYTES = 4 * 1_024 * 1_024;

/** Longer than `MAX_BODY_BYTES`. */
export class TooLong extends Error {}

/**
 * The text of a body.
 * @throws {TooLong}
 */
export async function textOf({ body }: Response): Promise<string> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
  const decoder = new TextDecoder();
  const texts: string[] = [];
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_BODY_BYTES) throw new TooLong();
    texts.push(decoder.decode(value, { stream: true }));
  }
  return texts.join('') + decoder.decode();
}
