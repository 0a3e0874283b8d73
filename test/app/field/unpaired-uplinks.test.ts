import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unpairedUplinks } from '../../../src/app/field/unpaired-uplinks.ts'
import type { Uplink } from '../../../src/core/field/lorawan/network-event.ts'
import { StoreError } from '../../../src/ports/store-error.ts'
import { until } from '../../harness/wait.ts'

type Needs = Parameters<typeof unpairedUplinks>[0]

test('people are told of an SOS of nobody’s even when it cannot be kept, and the log says when they are not', async () => {
  const errors: string[] = []
  const sent: string[] = []
  const uplinks = unpairedUplinks({
    store: {
      addDeadLetter: () => Promise.reject(new StoreError('the disk is full', 'disk_full')),
      application: async () => ({ language: 'en', settings: {}, actuators: { chat: { url: 'https://chat.example' } } }),
    },
    send: async ({ text }: { readonly text: string }) => {
      sent.push(text)
      return { kind: 'failed', error: 'status 500', retryable: true }
    },
    defaults: { httpTimeoutSeconds: 5 },
    clock: { now: () => 0 },
    ids: { uuid: () => 'x' },
    log: { info() {}, warn() {}, error: (_fields: unknown, message: string) => errors.push(message) },
  } as unknown as Needs)
  const server = { name: 'hut', type: 'chirpstack', appId: 'a', profile: null } as const
  const uplink = { devEui: 'a84041ffff185123', gateway: null } as Uplink
  let rung = 0
  let fault: Error | null = new StoreError('the disk is full', 'disk_full')
  const ring = async () => {
    rung += 1
    if (fault !== null) throw fault
  }
  const heard = (isPress = false) => uplinks.heard(server, uplink, { isPress, ring }, Buffer.alloc(0))
  // What could not ring is sent again by the network server, and rings then.
  await assert.rejects(heard(), /the disk is full/)
  fault = null
  for (const [isPress, times] of [
    [false, 2],
    [false, 2],
    [true, 3],
  ] as const) {
    assert.deepEqual([await heard(isPress), rung], ['unknown_sos', times])
  }
  await until('the log says so', () => errors.find((line) => /could not be posted to the chat/.test(line)))
  assert.match(sent[0] ?? '', /a84041ffff185123/)
})
