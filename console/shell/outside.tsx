// What leads out of the console: the reference, the operator's support. They refuse to be shown in the frame
// in which a portal shows the console, and open in a tab of their own there.

import type { ComponentProps } from 'react';
import { IS_FRAMED } from '../page.ts';

/** An address of mail opens no page. */
const isElsewhere = (url: string) => IS_FRAMED && /^https?:/i.test(url);

export function OutsideLink(props: ComponentProps<'a'> & { readonly href: string }) {
  return <a {...props} target={isElsewhere(props.href) ? '_blank' : undefined} />;
}

export function leaveTo(url: string): void {
  if (isElsewhere(url)) window.open(url, '_blank', 'noopener');
  else location.assign(url);
}
