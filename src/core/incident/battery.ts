import type { EventTime } from '../ingest/event-time.ts'
import type { Payload } from '../ingest/payload.ts'
import type { PositionSource } from '../ingest/position.ts'
import type { Incident } from './incident.ts'

/** At this percentage or less, the device may soon go silent. */
export const LOW_PERCENT = 15

type BatteryRange = 'critical' | 'low' | 'medium' | 'ok'

/** The last known battery levels. `at`: epoch ms. Null: unknown. */
export type Batteries = {
  readonly phone: { readonly percent: number; readonly at: number } | null
  readonly tracker: { readonly range: BatteryRange; readonly at: number } | null
}

/** A report of the owner. `source` null: stored by an earlier version. */
export type BatteryReport = {
  readonly payload: Payload
  readonly at: EventTime
  readonly receivedAt: number
  readonly source: PositionSource | null
}

/** The newest phone and tracker batteries, from the opening press and from `reports`. rules.md#batteries. */
export function batteriesOf(incident: Incident, reports: readonly BatteryReport[] = []): Batteries {
  const { payload, receivedAt } = incident.creation
  const opening = { payload, at: Math.min(incident.occurredAt.ms, receivedAt), isOwnPhone: true }
  const later = reports
    .filter(({ source }) => source !== 'other')
    // A report is never newer than its arrival, even if its clock is ahead. A relay's phone is not the person's.
    .map((one) => ({
      payload: one.payload,
      at: Math.min(one.at.ms, one.receivedAt),
      isOwnPhone: one.source !== 'relay',
    }))
  const newestFirst = [...later, opening].toSorted((a, b) => b.at - a.at)
  const phones = newestFirst.flatMap(({ payload: { mobileBattery: percent }, at, isOwnPhone }) =>
    isOwnPhone && percent != null ? { percent, at } : [],
  )
  const trackers = newestFirst.flatMap(({ payload: { deviceBattery }, at }) =>
    deviceBattery?.range ? { range: deviceBattery.range, at } : [],
  )
  return { phone: phones[0] ?? null, tracker: trackers[0] ?? null }
}

/** The battery that messages mention: the newest one, if it is almost empty. */
export type LowBattery =
  | { readonly of: 'phone'; readonly percent: number; readonly at: number }
  | { readonly of: 'tracker'; readonly at: number }

/** The newest low battery; null if none is low. rules.md#batteries. */
export function lowBatteryOf({ phone, tracker }: Batteries): LowBattery | null {
  const low: LowBattery[] = []
  if (phone !== null && phone.percent <= LOW_PERCENT) low.push({ of: 'phone', ...phone })
  if (tracker?.range === 'low' || tracker?.range === 'critical') low.push({ of: 'tracker', at: tracker.at })
  return low.toSorted((a, b) => b.at - a.at)[0] ?? null
}
