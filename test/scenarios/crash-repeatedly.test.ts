import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { later } from '../harness/later.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { POWER_CUT_MS } from './killed.ts'
import { messages } from './killed-messages.ts'
import { publishes } from './killed-publishes.ts'

const KILLS = effort(5, 50)

// Each kill meets both at any moment: what leaves, and what comes in.
test('the service is killed repeatedly', { timeout: 900_000 }, async (t) => {
  const random = seeded()
  const service = await startProcessSite(t)
  const [out, incoming] = [await messages(t, service, random), await publishes(t, service)]
  for (let kills = 0; kills <= KILLS; kills++) {
    if (kills > 0) await service.start(kills === KILLS ? later(POWER_CUT_MS) : {})
    await incoming.comesBack()
    if (kills === KILLS) break
    await out.begins()
    // The first texts are due after a quarter of a second, the last ones a third of a second later.
    await sleep(100 + random() * 300)
    await incoming.begins()
    await sleep(random() * 250)
    await service.kill()
    incoming.ends()
    await out.ends()
  }
  await t.test('each message is in the outbox once, and the snapshots agree', () => out.isComplete())
  await t.test('acknowledged publishes are stored, and others can be sent again', () => incoming.isComplete())
})
