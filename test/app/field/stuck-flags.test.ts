import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stuckFlags } from '../../../src/app/field/stuck-flags.ts'
import type { Notification } from '../../../src/ports/notifier.ts'

type Needs = Parameters<typeof stuckFlags>[0]

const HOUR = 3_600_000
const settled = async () => {
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('ten thousand stuck flags after an outage fill no chat, no connection of alarms, and no other chat’s hour', async () => {
  let now = 0
  let underWay = 0
  let most = 0
  let counted = 0
  const sent: string[] = []
  const tell = stuckFlags({
    store: {
      application: async (id: string) => ({
        language: 'en',
        settings: {},
        actuators: { chat: { url: `https://${id}` } },
      }),
    },
    send: async (notification: Notification & { readonly url: string }) => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      sent.push(notification.url)
      return { kind: 'failed', error: 'status 500', retryable: true }
    },
    defaults: { httpTimeoutSeconds: 5 },
    clock: { now: () => now },
    ids: { uuid: () => 'x' },
    log: { info() {}, warn() {}, error() {} },
    meter: {
      count: (name: string) => {
        if (name === 'flags_stuck_total') counted += 1
      },
    },
  } as unknown as Needs)
  const flag = { heardAt: 0, press: null, incidentId: 'i', repeats: 1 }
  const device = { deviceId: 'd', userId: 'u', hardwareId: 'h', model: null, state: null }
  for (let nth = 0; nth < 10_000; nth += 1) tell({ ...device, appId: 'flood' }, flag)
  tell({ ...device, appId: 'other' }, flag)
  await settled()
  assert.deepEqual([sent.length, most, counted], [21, 1, 10_001])
  assert.equal(sent.at(-1), 'https://other')
  now += HOUR
  tell({ ...device, appId: 'flood' }, flag)
  await settled()
  assert.equal(sent.length, 22)
})
