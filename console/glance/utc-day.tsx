// Which day it is for payments, where it is another one than that of the reader.

import { useToday } from '../list/value.tsx';
import { texts } from '../texts.ts';
import { localDays, shownDay, utcDays } from '../times.ts';

export function UtcDay({ className = '' }) {
  useToday();
  const day = utcDays.fromToday(0);
  if (day === localDays.fromToday(0)) return null;
  return <p className={`dim ${className}`}>{texts.glance.utcDay(shownDay(day).dayMonth)}</p>;
}
