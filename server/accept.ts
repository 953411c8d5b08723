// Content negotiation (RFC 9110, section 12.5.1): whether an Accept header allows a media type.

/** Whether the media type may be sent: the most specific range that fits it decides, and `q=0` forbids. */
export function accepts(accept: string | undefined, type: string, subtype: string): boolean {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return true;
  let best = -1;
  let allowed = false;
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim());
    const specific = [`*/*`, `${type}/*`, `${type}/${subtype}`].indexOf(range);
    if (specific < 0 || specific < best) continue;
    best = specific;
    allowed = !parameters.some((one) => /^q\s*=\s*0(?:\.0*)?$/.test(one));
  }
  return allowed;
}
