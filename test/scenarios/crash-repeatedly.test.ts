import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { type KillPoint, killPoints } from '../harness/kill-point.ts'
import { later } from '../harness/later.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { until } from '../harness/wait.ts'
import { POWER_CUT_MS } from './killed.ts'
import { messages } from './killed-messages.ts'
import { publishes } from './killed-publishes.ts'

/** If the point is not reached in this time, the plug is pulled anyway. */
const POINT_TIMEOUT_MS = 10_000

/** `during` 'work': messages leave and publishes come in. `point` null: at any moment. */
type Kill =
  | { readonly during: 'start'; readonly point: KillPoint }
  | { readonly during: 'work'; readonly point: KillPoint | null }

/**
 * What a kill may leave behind, one kind after the other, with as many commits before it as chance has it: publishes
 * stored and not acknowledged, or neither; a message claimed and not written, or written without a record of it; a
 * press, a claim, an outcome or a cancellation on either side of its commit; a start that got only so far.
 */
function killsFrom(random: () => number): readonly Kill[] {
  const at = (side: KillPoint['side'], table: KillPoint['table'], most: number): Kill => ({
    during: 'work',
    point: { side, table, nth: 1 + Math.floor(random() * most) },
  })
  const starting = (side: KillPoint['side']): Kill => ({
    during: 'start',
    point: { side, table: null, nth: 1 + Math.floor(random() * 3) },
  })
  const round = (): readonly Kill[] => [
    at('before', 'telemetry', 10),
    at('after', 'outbox', 2),
    starting('after'),
    at('before', 'incidents', 20),
    { during: 'work', point: null },
    at('after', 'telemetry', 10),
    at('before', 'outbox', 2),
    starting('before'),
    at('after', 'incidents', 20),
  ]
  return effort(1, 2) === 1 ? round().slice(0, 5) : [...round(), ...round()]
}

// Each kill meets both: what leaves, and what comes in.
test('the service is killed repeatedly', { timeout: 900_000 }, async (t) => {
  const random = seeded()
  const points = await killPoints(t)
  const service = await startProcessSite(t, { env: points.environment })
  const [out, incoming] = [await messages(t, service, random), await publishes(t, service)]
  const missed: KillPoint[] = []
  const dies = async (point: KillPoint): Promise<void> => {
    const isDead = until('the service is dead', () => !service.process.isRunning, POINT_TIMEOUT_MS)
    await isDead.catch(() => missed.push(point))
    await service.kill()
    await points.clear()
  }
  let isRunning = true
  for (const { during, point } of killsFrom(random)) {
    if (during === 'start') {
      await points.set(point)
      // It may report ready first: some commits follow at once.
      await service.start().catch(() => {})
      await dies(point)
      await out.ends()
      continue
    }
    if (!isRunning) await service.start()
    isRunning = false
    await incoming.comesBack()
    await out.begins()
    // The first texts are due after a quarter of a second, the last ones a third of a second later.
    if (point?.table !== 'outbox') await sleep(100 + random() * 300)
    await incoming.begins()
    if (point === null) {
      await sleep(random() * 250)
      await service.kill()
    } else {
      await points.set(point)
      await dies(point)
    }
    incoming.ends()
    await out.ends()
  }
  assert.ok(missed.length < 2, `never reached: ${JSON.stringify(missed)}`)
  await service.start(later(POWER_CUT_MS))
  await incoming.comesBack()
  await t.test('each message is in the outbox once, and the snapshots agree', () => out.isComplete())
  await t.test('acknowledged publishes are stored, and others can be sent again', () => incoming.isComplete())
})
