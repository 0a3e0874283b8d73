import type { EventTime } from '../ingest/event-time.ts'
import type { Payload } from '../ingest/payload.ts'
import type { PositionSource } from '../ingest/position.ts'
import type { Incident } from './incident.ts'

/** Up to so many percent somebody may soon be heard of no more. */
export const LOW_PERCENT = 15

type BatteryRange = 'critical' | 'low' | 'medium' | 'ok'

/** What was last heard of the batteries. `at`: epoch ms. Null: nothing. */
export type Batteries = {
  readonly phone: { readonly percent: number; readonly at: number } | null
  readonly tracker: { readonly range: BatteryRange; readonly at: number } | null
}

/** A report of the owner's. `source` null: from an earlier version. */
export type BatteryReport = {
  readonly payload: Payload
  readonly at: EventTime
  readonly receivedAt: number
  readonly source: PositionSource | null
}

/** The newest of phone and tracker, in the press that opened the incident and in `reports`. rules.md#batteries. */
export function batteriesOf(incident: Incident, reports: readonly BatteryReport[] = []): Batteries {
  const { payload, receivedAt } = incident.creation
  const opening = { payload, at: Math.min(incident.occurredAt.ms, receivedAt), isOwnPhone: true }
  const later = reports
    .filter(({ source }) => source !== 'other')
    // A clock that is ahead makes nothing newer than its arrival. The phone of a relay is not the person's.
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

/** What messages say: the newest battery, if it is almost empty. */
export type LowBattery =
  | { readonly of: 'phone'; readonly percent: number; readonly at: number }
  | { readonly of: 'tracker'; readonly at: number }

export function lowBatteryOf({ phone, tracker }: Batteries): LowBattery | null {
  const low: LowBattery[] = []
  if (phone !== null && phone.percent <= LOW_PERCENT) low.push({ of: 'phone', ...phone })
  if (tracker?.range === 'low' || tracker?.range === 'critical') low.push({ of: 'tracker', at: tracker.at })
  return low.toSorted((a, b) => b.at - a.at)[0] ?? null
}
