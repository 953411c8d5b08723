// What went wrong, in sentences for customers: what it means for them, and not what reported it.

import { type Trouble, troubleOf } from '../linecard.ts';
import { isRetried } from '../queries.ts';
import { texts } from '../texts.ts';

const words = texts.trouble;

/** What happened. What the service says of a query it says well itself. */
export function sentenceOf({ code, detail, requestId }: Trouble): string {
  if (code in words.sentences) return words.sentences[code as keyof typeof words.sentences];
  // An item that is not there is reported here, and has no id: this answer is of something in between.
  if (code === 'not-found' && requestId !== undefined) return words.sentences['unexpected-answer'];
  return code === 'invalid-parameter' ? words.invalid : detail;
}

/** The same for something that is done once: nothing tries it again by itself. */
export function onceSentenceOf(error: unknown): string {
  const trouble = troubleOf(error);
  const what = sentenceOf(trouble);
  return isRetried(trouble.code) ? `${what} ${words.later}` : what;
}
