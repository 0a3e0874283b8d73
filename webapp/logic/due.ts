/** `18:00` as the next moment at which a clock shows that, epoch ms. Null: it is not a time. */
export function nextAt(time: string, now: number): number | null {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})/.exec(time) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null
  const due = new Date(now)
  due.setHours(Number(hours), Number(minutes), 0, 0)
  // By the calendar: a day has 23 or 25 hours where the clocks change.
  if (due.getTime() <= now) due.setDate(due.getDate() + 1)
  return due.getTime()
}
