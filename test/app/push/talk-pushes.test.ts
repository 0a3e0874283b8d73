import assert from 'node:assert/strict'
import { test } from 'node:test'
import { personPushes } from '../../../src/app/push/person-pushes.ts'
import type { PushSubscription } from '../../../src/core/account/push-subscription.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import type { TalkEvent } from '../../../src/core/incident/talk.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import { nextTurn } from '../../../src/lib/waits.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// app.md#news.

const phone: PushSubscription = {
  ...{ deviceId: 'phone', userId: 'mia', endpoint: 'https://push.test/one', p256dh: '', auth: '', language: 'en' },
  ...{ wholeText: true, keptAt: 0, sentAt: null, failedAt: null, failure: null },
}
const quiet = { info() {}, warn() {}, error() {} }

test('what others write rings ten times an hour, five of them for contacts, beside all news of the alarm', async () => {
  const clock = new VirtualClock()
  const told: string[] = []
  let incident = { id: 'i', state: { status: 'active', closedAt: null } } as unknown as Incident
  const pushes = personPushes({
    ...{ clock, log: quiet, meter: { count() {} }, machineTimeZone: () => 'UTC' },
    keys: async () => ({ publicKey: '', privateKey: '' }),
    sender: {
      async send(_keys, _target, { payload }) {
        const { tag, body } = JSON.parse(payload)
        told.push(`${tag} ${body}`)
        return { kind: 'sent' }
      },
      newKeys: () => ({ publicKey: '', privateKey: '' }),
      async close() {},
    },
    store: {
      pushSubscriptions: async () => [phone],
      removePushSubscription: async () => {},
      claimPush: async () => true,
      notePush: async () => {},
      incident: async () => ({ incident }) as never,
      openIncident: async () => null,
      application: async () => ({ name: 'Hut', disabled: false }) as never,
      user: async () => ({ disabled: false }) as never,
      timers: async () => [],
    },
  })
  const says = async (kind: 'contact' | 'operator' | 'person', name: string, text: string): Promise<void> => {
    const from = { kind, name, contactId: null, phone: null, channel: 'page' } as const
    const message: TalkEvent['message'] = { n: 1, at: '', from, text, quickReply: null, to: 'all' }
    pushes.said({ type: 'sos.message', appId: 'hut', userId: 'mia', incidentId: incident.id, message })
    await pushes.settled()
  }
  await says('person', 'Mia', 'I said it')
  for (let n = 0; n < 7; n += 1) await says('contact', 'Ana', `${n}`)
  for (let n = 0; n < 7; n += 1) await says('operator', 'Eva', `${n}`)
  const ofContacts = [0, 1, 2, 3, 4].map((n) => `talk Ana: ${n}`)
  const ofDesk = [0, 1, 2, 3, 4].map((n) => `desk Rescue desk, Eva: ${n}`)
  assert.deepEqual(told.splice(0), [...ofContacts, ...ofDesk])

  await clock.advance(`${HOUR / 1000} s`, nextTurn)
  incident = { ...incident, silent: true }
  await says('operator', 'Eva', 'nothing lights up')
  incident = { ...incident, silent: undefined } as unknown as Incident
  await says('operator', 'Eva', 'x'.repeat(500))
  assert.deepEqual(told.splice(0), [`desk Rescue desk, Eva: ${'x'.repeat(197)}...`])
  await pushes.stop()
})
