import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { type KillPoint, killPoints } from '../harness/kill-point.ts'
import { later } from '../harness/later.ts'
import { newMoment } from '../harness/moment.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { until } from '../harness/wait.ts'
import { POWER_CUT_MS } from './killed.ts'
import { messages } from './killed-messages.ts'
import { publishes } from './killed-publishes.ts'

/** Every point is reached. Only a fault keeps it from being so, however busy the machine is. */
const POINT_TIMEOUT_MS = 120_000

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
  const few = (): readonly Kill[] => [
    at('before', 'telemetry', 10),
    at('after', 'outbox', 1),
    starting('after'),
    at('before', 'incidents', 20),
    at('before', 'outbox', 1),
  ]
  const more = (): readonly Kill[] => [
    { during: 'work', point: null },
    at('after', 'telemetry', 10),
    starting('before'),
    at('after', 'incidents', 20),
  ]
  // The last start follows a kill in front of an outbox: it finds attempts without an outcome.
  const rounds = effort(0, 2, 1)
  return rounds === 0 ? few() : Array.from({ length: rounds }, () => [...more(), ...few()]).flat()
}

/** A client that makes so many commits, and rejects where the service dies at one of them. */
async function commits(service: ProcessSite, count: number): Promise<void> {
  const walker = await service.phone('walker').introduce()
  for (let n = 0; n < count; n += 1) {
    await walker.rest('POST', '/v1/sdk/telemetry', { timestamp: newMoment(), mobileBattery: 50 })
  }
}

// Each kill meets both: what leaves, and what comes in.
test('the service is killed repeatedly', { timeout: 900_000 }, async (t) => {
  const random = seeded()
  const points = await killPoints(t)
  const service = await startProcessSite(t, { env: points.environment })
  const [out, incoming] = [await messages(t, service, random), await publishes(t, service)]
  const dies = async (point: KillPoint): Promise<void> => {
    const isDead = () => !service.process.isRunning
    await until(`the service is dead: ${JSON.stringify(point)}`, isDead, POINT_TIMEOUT_MS)
    await service.kill()
    await points.clear()
  }
  let isRunning = true
  for (const { during, point } of killsFrom(random)) {
    if (during === 'start') {
      await points.set(point)
      // It may report ready first: then a client sees to it that as many commits follow.
      const isReady = await service.start().then(
        () => true,
        () => false,
      )
      if (isReady) await commits(service, point.nth).catch(() => {})
      await dies(point)
      await out.ends()
      continue
    }
    if (!isRunning) await service.start()
    isRunning = false
    await incoming.comesBack()
    await out.comesBack()
    if (point?.table === 'outbox') {
      await incoming.begins()
      // Set before the alarms are raised: on a busy machine their messages may leave before any next step of a test.
      await out.begins(() => points.set(point))
      await dies(point)
    } else {
      await out.begins()
      // The first texts are due after a quarter of a second, the last ones a third of a second later.
      await sleep(100 + random() * 300)
      await incoming.begins()
      if (point === null) {
        await sleep(random() * 250)
        await service.kill()
      } else {
        // Publishes come in without end, so that no commit to their tables is the last.
        await points.set(point)
        await dies(point)
      }
    }
    incoming.ends()
    await out.ends()
  }
  await service.start(later(POWER_CUT_MS))
  await incoming.comesBack()
  await out.comesBack()
  await t.test('each message is in the outbox once, and the snapshots agree', () => out.isComplete())
  await t.test('acknowledged publishes are stored, and others can be sent again', () => incoming.isComplete())
})
