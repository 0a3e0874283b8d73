import type { Facts } from '../../../src/core/message/facts.ts'
import type { TextForm, TextPurpose } from '../../../src/core/message/message-text.ts'

/** A Sunday noon. These tests do not depend on the machine's own zone. */
export const NOW = Date.parse('2026-03-01T12:34:56Z')
export const LINK = `https://sos.example.org/t/${'Ab-_'.repeat(5)}Zz`
export const MINUTE = 60_000

export const positionOf = (ageMs: number, latitude = -47.071234, longitude = 112.691234) => ({
  latitude,
  longitude,
  altitude: 2100,
  at: new Date(NOW - ageMs).toISOString(),
})

export const forms: readonly TextForm[] = ['sms', 'voice', 'chat']
export const purposes: readonly TextPurpose[] = [
  'alarm',
  'reopened',
  'acknowledged',
  'unanswered',
  'check_in',
  'last_call',
  'all_clear',
]

/** An alarm pressed a moment ago, unanswered. `changes` override facts. */
export const factsOf = (changes: Partial<Facts> = {}): Facts => ({
  who: 'Mia Moser',
  app: 'Hut',
  timeZone: 'UTC',
  trackingUrl: LINK,
  position: positionOf(3 * MINUTE),
  pressedAt: NOW - 20_000,
  receivedAt: NOW - 10_000,
  now: NOW,
  again: null,
  lostHelper: null,
  answeredBy: null,
  endsAt: null,
  closing: null,
  ...changes,
})

/** Every way in which an incident may have ended. */
export const closings: readonly Pick<Facts, 'closing' | 'answeredBy'>[] = (['cancelled', 'resolved'] as const).flatMap(
  (status) => [
    ...(['user', 'operator', 'contact', 'system', null] as const).map((by) => ({
      closing: {
        status,
        by,
        name: by === 'operator' ? 'Rescue' : by === 'contact' ? 'Ana Berger' : null,
        hours: by === 'system' ? 24 : null,
      },
      answeredBy: null,
    })),
    { closing: { status, by: 'system' as const, name: null, hours: 24 }, answeredBy: 'Ana' },
  ],
)
