// What both a menu and the palette open next to the page: the check of a file, the choice of an account, the
// sign-in to another one, the name of a pinned view. It is no part of the first load.

import { observable } from '../observable.ts';

export const fileCheck = observable(false);
export const pinForm = observable(false);
export const accountSide = observable<'chooser' | 'other' | undefined>(undefined);
