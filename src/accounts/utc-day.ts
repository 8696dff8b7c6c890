const DAY_MS = 86_400_000;

/** The last result, which is almost always the next one, too: formatting the day takes longest here. */
let latest = { midnightMs: Number.NaN, day: '' };

/** The UTC day of a moment, as `YYYY-MM-DD`. */
export function utcDay(epochMs: number): string {
  const midnightMs = Math.floor(epochMs / DAY_MS) * DAY_MS;
  if (midnightMs !== latest.midnightMs)
    latest = { midnightMs, day: new Date(midnightMs).toISOString().slice(0, 10) };
  return latest.day;
}

/** Whether a text is a day of the calendar, as `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  const epochMs = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(epochMs) && utcDay(epochMs) === text;
}

/** The first midnight UTC after a moment, in epoch milliseconds; at midnight itself, the next one. */
export function nextMidnightMs(epochMs: number): number {
  return (Math.floor(epochMs / DAY_MS) + 1) * DAY_MS;
}

/** Whole seconds from a moment to the next midnight UTC, rounded up: 86,400 at midnight itself, never below 1. */
export function secondsToMidnight(epochMs: number): number {
  return Math.ceil((nextMidnightMs(epochMs) - epochMs) / 1000);
}
