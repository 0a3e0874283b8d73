import type { Calendar } from '../app/upkeep/calendar.ts'
import type { Canary } from '../app/watch/canary.ts'
import { publicUrlConcern } from '../core/account/public-url.ts'
import type { Addresses } from './addresses.ts'
import { type LorawanParts, networkServerConcerns } from './lorawan.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

/** What needs attention although alarms still work, in sentences for the operator: `/readyz` lists them. */
export const siteConcerns =
  (
    { store, clock, sharedClock, unnamedEnds }: Basis,
    parts: {
      readonly calendar: Calendar
      readonly addresses: Addresses
      readonly sending: Sending
      readonly canary: Canary | null
      readonly lorawan: () => LorawanParts | null
    },
  ) =>
  (): readonly string[] => {
    const lorawan = parts.lorawan()
    return [
      ...[
        parts.calendar.concern(),
        sharedClock?.concern() ?? null,
        parts.sending.text.modem?.state.trouble() ?? null,
        parts.canary?.concern() ?? null,
        unnamedEnds.concern(),
        publicUrlConcern(parts.addresses.publicUrl()),
      ].filter((concern) => concern !== null),
      ...(store.server?.concerns() ?? []),
      ...(lorawan === null ? [] : networkServerConcerns(lorawan, clock.now())),
    ]
  }
