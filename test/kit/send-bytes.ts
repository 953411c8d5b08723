// Bytes on a bare socket, whatever they mean, and all that comes back.

import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends bytes, and ends its half, waits for the other end to close, or breaks the connection off.
 * @returns what came back until it was closed, a character to a byte.
 */
export async function sendBytes(
  port: number,
  bytes: Buffer,
  then: 'end' | 'wait' | 'destroy' = 'end',
): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (some: string) => {
      text += some;
    });
  const closed = once(socket, 'close');
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (then !== 'wait') socket[then]();
  await closed;
  return text;
}
