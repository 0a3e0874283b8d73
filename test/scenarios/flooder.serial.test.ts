import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { connectOf } from '../harness/mqtt-wire.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'

const PRESSES = 40
/** Minimum for the idle service's slowest press. Shorter times measure the clocks rather than the service. */
const IDLE_MS = 10

test('a flood, at any QoS, does not delay the alarms of others', async (t) => {
  const site = await startProcessSite(t, { settings: UNHURRIED })
  const users: PhoneUser[] = []
  for (let n = 0; n < PRESSES; n += 1) {
    const user = await site.user(`hiker-${n}`)
    await user.listen()
    users.push(user)
  }
  await slowestPress(users)
  for (const qos of [0, 1, 2] as const) {
    await t.test(`QoS ${qos}`, async (u) => {
      const flooder = await flood(u, site, qos)
      // The best of three: a service that is held up is slow every time, a busy machine is not.
      const tries: { idleMs: number; floodedMs: number }[] = []
      const isFast = () => tries.some(({ idleMs, floodedMs }) => floodedMs <= 5 * Math.max(idleMs, IDLE_MS))
      while (tries.length < 3 && !isFast()) {
        flooder.kill('SIGSTOP')
        const idleMs = await slowestPress(users)
        flooder.kill('SIGCONT')
        const before = await taken(site)
        const floodedMs = await slowestPress(users)
        const meanwhile = (await taken(site)) - before
        u.diagnostic(`idle ${idleMs.toFixed(1)} ms, beside ${meanwhile} publishes ${floodedMs.toFixed(1)} ms`)
        // Control: it was a flood.
        assert.ok(meanwhile > 1000, `${meanwhile} publishes`)
        tries.push({ idleMs, floodedMs })
      }
      assert.ok(isFast(), JSON.stringify(tries))
    })
  }
})

/** One user after the other presses SOS and waits for the event. Milliseconds of the slowest. */
async function slowestPress(users: readonly PhoneUser[]): Promise<number> {
  let slowest = 0
  for (const user of users) {
    user.events.length = 0
    const pressed = performance.now()
    const processed = user.receives('processed')
    await user.presses()
    await processed
    slowest = Math.max(slowest, performance.now() - pressed)
    await user.ends('cancel')
  }
  return slowest
}

async function flood(t: TestContext, site: ProcessSite, qos: number): Promise<ChildProcess> {
  const user = await site.user(`flooder-${qos}`)
  const { port } = new URL(site.mqtt)
  const args = [port, connectOf(user, 4).toString('base64'), `tel/${user.userId}/data`, String(qos)]
  const child = fork(new URL('../fixtures/flooder.ts', import.meta.url), args, { execArgv: [] })
  t.after(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  await once(child, 'message')
  return child
}

/** Number of telemetry publishes that the service has stored. */
async function taken(site: ProcessSite): Promise<number> {
  const metrics = await (await fetch(`${site.http}/metrics`)).text()
  return Number(/^tocsin_telemetry_total\{result="stored",transport="mqtt"\} (\d+)$/m.exec(metrics)?.[1])
}
