import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TimerReminder, Tocsin } from '../../sdk/src/index.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

for (const [way, mqtt] of [
  ['MQTT', () => import('mqtt')],
  ['the stream of events', false],
] as const) {
  test(`the SDK hears the reminder of a timer over ${way}`, async (t) => {
    const site = await startSite(t, { contacts: ['Ana'] })
    const { account, hash } = site.user
    const now = () => site.clock.now()
    const who = { url: account.http, appId: account.appId, userId: account.externalUserId, userHash: hash }
    const tocsin = new Tocsin({ ...who, mqtt: mqtt as never, now })
    t.after(() => tocsin.close())
    const told: TimerReminder[] = []
    t.after(tocsin.timers.watch((reminder) => told.push(reminder)))
    const dueAt = (minutes: number) => new Date(now() + minutes * 60_000).toISOString()
    // Each minute another timer: the first of which the app hears when it is connected.
    await until('a reminder', async () => {
      await tocsin.timers.set({ dueAt: dueAt(16), note: 'Glungezer' })
      await site.advance('2 min')
      for (const { id } of await tocsin.timers.list()) await tocsin.timers.end(id)
      return told.length > 0
    })
    assert.deepEqual([told[0]!.note, Date.parse(told[0]!.opensAt) - Date.parse(told[0]!.dueAt)], ['Glungezer', 300_000])
  })
}
