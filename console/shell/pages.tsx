// The pages of the console, and which of them an address shows. Each is loaded when it is opened, or earlier
// if most people open it (starting.js requests the page of the address with the first script).

import { activityList } from '../contract.ts';
import { useAddress } from '../router.tsx';
import { Fence, later, PagePlace } from './later.tsx';
import { NoSuchPage, TroublePage } from './trouble.tsx';

const ListPage = later('ListPage', () => import('../list/list-page.tsx'), PagePlace, { isLikely: true });
const OverviewPage = later('OverviewPage', () => import('../overview/overview.tsx'), PagePlace, {
  isLikely: true,
});
const ActivityPage = later('ActivityPage', () => import('../activity/activity-page.tsx'), PagePlace, {
  isLikely: true,
});
const NotificationsPage = later(
  'NotificationsPage',
  () => import('../notifications/notifications-page.tsx'),
  PagePlace,
);

const PAGES = {
  '': OverviewPage,
  [activityList.word]: ActivityPage,
  notifications: NotificationsPage,
};
/** A list, and an item of it or a comparison. */
const MOST_PARTS = 2;

export function Pages() {
  const { path, text } = useAddress();
  const page = path.join('/');
  const Page = Object.hasOwn(PAGES, page) ? PAGES[page as keyof typeof PAGES] : undefined;
  return (
    <Fence around={`${page}?${text}`} instead={(error) => <TroublePage error={error} />}>
      {Page !== undefined ? <Page /> : path.length > MOST_PARTS ? <NoSuchPage /> : <ListPage />}
    </Fence>
  );
}
