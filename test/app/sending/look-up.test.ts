import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Attempts } from '../../../src/app/sending/attempts.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import type { Notification } from '../../../src/ports/notifier.ts'
import type { Committed, Store } from '../../../src/ports/store.ts'
import { momentAt, only, pressed } from '../../core/build.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const nobody = () => {}

test('a call is not mistaken for another incident’s call to the same number; a text is identified by its link', async () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1 } })
  sos.proceeds(10)
  sos.proceeds(70)
  const asked: unknown[] = []
  const lookedUp: Notification[] = []
  // The part of a store that a look-up uses.
  const store = {
    user: async () => ({ name: null, externalUserId: 'hiker-1', phone: null, email: null }),
    application: async () => ({
      name: 'Hut',
      timeZone: 'UTC',
      language: 'en',
      texts: {},
      allowedPrefixes: [],
      actuators: {},
    }),
    callRefs: async (...of: unknown[]) => {
      asked.push(of)
      return ['CA9']
    },
  } as unknown as Store
  const nothing = { claimed: [], unsure: [], asked: [], exhausted: false }
  const committed = { incident: sos.incident, lastPosition: null, ...nothing } as unknown as Committed
  const attempts = new Attempts({
    store,
    door: { change: async () => committed, announce: nobody },
    notifier: {
      send: async () => assert.fail('nothing is sent'),
      async lookUp(notification) {
        lookedUp.push(notification)
        return { kind: 'unknown' }
      },
    },
    clock: new VirtualClock(momentAt(90)),
    ids: { jitter: () => 0.5 } as never,
    log: { info: nobody, warn: nobody, error: nobody },
    meter: { count: nobody, observe: nobody },
    publicUrl: () => 'https://sos.example.org',
    machineTimeZone: () => 'UTC',
    lease: null,
  })
  attempts.follow({ ...committed, unsure: [only(sos.rows('sms')), only(sos.rows('voice'))] })
  await attempts.settled()
  const refs = lookedUp.map((one) => ('otherRefs' in one ? [one.channel, one.otherRefs] : []))
  assert.deepEqual(Object.fromEntries(refs), { sms: [], voice: ['CA9'] })
  assert.deepEqual(asked, [[only(sos.incident.contacts).phone, momentAt(70) - HOUR]])
})
