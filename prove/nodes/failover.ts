import { setTimeout as sleep } from 'node:timers/promises'
import { Pair } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import type { Ground } from '../ground.ts'
import type { Part } from '../part.ts'
import type { Row } from '../row.ts'
import type { Size } from '../size.ts'
import { Callers, SETTINGS } from './callers.ts'
import { LeftBehind } from './left-behind.ts'
import { Nodes, seconds, tookMs } from './site.ts'

/** How long the other machine takes to notice that the primary is gone, as Patroni does. */
const NOTICED_AFTER_MS = 3_000
const WRITABLE_MS = 30_000
/** What was due while nothing could be written is out this long after. */
const OVERDUE_MS = 2_000
/** What a node had claimed when the primary went is left alone for one lease, and then looked up: that may be late. */
const SETTLE_MS = 60_000
const EVERY_MS = 100

/** `dies`: a power cut. `vanishes`: its packets are lost, and so are those of every connection that is still open. */
type Loss = 'dies' | 'vanishes'

const what: Readonly<Record<Loss, string>> = {
  dies: 'the primary loses its power, its standby is promoted',
  vanishes: 'the primary is behind a black hole and switched off there, its standby is promoted',
}

async function runCase(ground: Ground, loss: Loss, { nodes: count, callers: people }: Size): Promise<Row> {
  const twilio = await startTwilio(ground, { listsLateMs: 2_000 })
  const pair = await Pair.start(ground, { isSynchronous: true })
  const nodes = new Nodes(ground, { servers: pair, twilio, settings: SETTINGS })
  for (let n = 0; n < count; n += 1) await nodes.starts()
  const callers = new Callers(nodes)
  await callers.prepare(people)
  await callers.press(EVERY_MS, { count: people / 3 })
  // Until the standby is the primary, and beyond.
  const pressing = callers.press(Math.max(EVERY_MS, (4 * NOTICED_AFTER_MS) / people))

  if (loss === 'vanishes') for (const { gate } of nodes.living) gate.becomes('black hole')
  else await pair.primary.crash()
  const lostAt = Date.now()
  await sleep(NOTICED_AFTER_MS)
  if (loss === 'vanishes') await pair.primary.crash()
  pair.losesPrimary()
  const leftBehind = new LeftBehind(pair)
  await leftBehind.by(...nodes.living)
  await pair.promote()
  const promotedMs = Date.now() - lostAt
  await tookMs(() => callers.firstAnswerAfter(lostAt + promotedMs) !== null, WRITABLE_MS)
  const writableMs = (callers.firstAnswerAfter(lostAt + promotedMs) ?? Number.POSITIVE_INFINITY) - lostAt
  await pressing
  await callers.answered(SETTLE_MS)
  await callers.settled(twilio, SETTLE_MS)
  return callers.row(twilio, {
    part: 'failover',
    what: what[loss],
    lateAfterMs: OVERDUE_MS,
    interruption: { since: lostAt, possibleAt: lostAt + writableMs, leftBehind },
    inTime: { 'it could be written again within 30 s': writableMs <= WRITABLE_MS },
    remarks: [
      `writable after ${seconds(writableMs)}, of which ${seconds(promotedMs)} until the promotion`,
      `${leftBehind.count} claims left behind, which are looked up first`,
    ],
  })
}

/** What was acknowledged is on the standby, and nothing needs a hand afterwards. */
export const failover: Part = {
  name: 'failover',
  what: 'the primary is lost',
  async run(ground, size) {
    const rows: Row[] = []
    for (const loss of size.failovers) rows.push(await runCase(ground, loss, size))
    return rows
  },
}
