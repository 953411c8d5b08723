// The page of the accounts to choose from, which the front page and the frame show. It is loaded when it is
// first shown.

import { later, PagePlace } from './later.tsx';

export const AccountsPage = later(
  'AccountsPage',
  async () => ({ AccountsPage: (await import('./account-chooser.tsx')).AccountsPage }),
  PagePlace,
);
