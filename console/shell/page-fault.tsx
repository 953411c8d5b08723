// In the place of everything, where the page itself met a fault: what happened, and the way out.

import { texts } from '../texts.ts';
import { useTitle } from './title.ts';
import { Trouble } from './trouble.tsx';

export function PageFault({ error }: { readonly error: unknown }) {
  useTitle(texts.trouble.title);
  return (
    <main id="list" className="plain-page">
      <Trouble error={error} />
    </main>
  );
}
