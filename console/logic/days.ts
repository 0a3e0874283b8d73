/** The duty that runs has begun before, however slow this page was. */
const MINUTE_MS = 60_000

type Duty = {
  readonly from: string
  readonly until: string
  readonly name: string | null
  readonly overrideId: string | null
}

export type DutyOfDay = Pick<Duty, 'from' | 'name' | 'overrideId'> & {
  /** It begins on this day, so its hour is worth saying. */
  readonly isStart: boolean
}

/** The duties of each of the next days, today first, by the clock of this device. `now`: epoch ms. */
export function daysOf(
  duties: readonly Duty[],
  now: number,
  days: number,
): readonly { readonly date: Date; readonly duties: readonly DutyOfDay[] }[] {
  return Array.from({ length: days }, (_, n) => {
    const date = new Date(now)
    date.setHours(0, 0, 0, 0)
    date.setDate(date.getDate() + n)
    const next = new Date(date)
    next.setDate(next.getDate() + 1)
    const [begins, ends] = [Math.max(date.getTime(), now), next.getTime()]
    const ofDay = duties.filter(({ from, until }) => Date.parse(from) < ends && Date.parse(until) > begins)
    return {
      date,
      duties: ofDay.map(({ from, name, overrideId }) => ({
        ...{ from, name, overrideId, isStart: Date.parse(from) > begins + MINUTE_MS },
      })),
    }
  })
}
