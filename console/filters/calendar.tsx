// A range of days, chosen in a calendar.

import '@mantine/dates/styles.css';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import { useKeysOf } from '../shell/keys.ts';
import { useFocusBack } from '../shell/side.tsx';
import { texts } from '../texts.ts';
import { type CalendarDay, shownDay } from '../times.ts';

const words = texts.filters;

export type DayRange = readonly [from: CalendarDay | null, to: CalendarDay | null];

interface CalendarProps {
  readonly range: DayRange;
  readonly today: CalendarDay;
  readonly onRange: (range: DayRange) => void;
  readonly onClose: () => void;
}

/** Below the edge of what scrolls it would hardly be seen to open. */
const intoView = (calendar: HTMLElement | null) => calendar?.scrollIntoView({ block: 'nearest' });

/** Calls `onRange` when both ends are chosen. */
export function Calendar({ range, today, onRange, onClose }: CalendarProps) {
  const [chosen, choose] = useState<DayRange>(range);
  useFocusBack();
  useKeysOf({ Escape: onClose });
  return (
    <DatePicker
      ref={intoView}
      type="range"
      allowSingleDateInRange
      hideOutsideDates
      fullWidth
      weekendDays={[]}
      size="xs"
      className="calendar"
      value={[...chosen]}
      defaultDate={range[0] ?? range[1] ?? today}
      onChange={(next) => {
        choose(next);
        if (next[0] !== null && next[1] !== null) onRange(next);
      }}
      monthLabelFormat={(day) => shownDay(day).month}
      monthsListFormat={(day) => shownDay(day).shortMonth}
      weekdayFormat={(day) => shownDay(day).shortWeekday}
      getDayProps={(day) => (day === today ? { 'aria-current': 'date' } : {})}
      getDayAriaLabel={(day) => shownDay(day).long}
      ariaLabels={{
        previousMonth: words.previousMonth,
        nextMonth: words.nextMonth,
        previousYear: words.previousYear,
        nextYear: words.nextYear,
      }}
    />
  );
}
