import { setTimeout as sleep } from 'node:timers/promises'
import { Pair } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import type { Part } from '../part.ts'
import { rowOf } from '../row.ts'
import { Callers, SETTINGS } from './callers.ts'
import { seconds } from './failover.ts'
import { Nodes, tookMs } from './site.ts'

/** Long enough for commits to be given up, which is after 5 s. */
const ALONE_MS = 7_000
const GOES_ON_MS = 15_000
const SETTLE_MS = 60_000
const EVERY_MS = 100

/** Commits that wait for a standby are not acknowledged until it answers, or until nobody waits for it any more. */
export const standby: Part = {
  name: 'standby',
  what: 'the synchronous standby is lost; then commits no longer wait for it',
  async run(ground, { nodes: count, callers: people }) {
    const twilio = await startTwilio(ground)
    const pair = await Pair.start(ground, { isSynchronous: true })
    const nodes = new Nodes(ground, { servers: pair, twilio, settings: SETTINGS })
    for (let n = 0; n < count; n += 1) await nodes.starts()
    const callers = new Callers(nodes)
    await callers.prepare(people)
    await callers.press(EVERY_MS, { count: people / 3 })
    const pressing = callers.press(Math.max(EVERY_MS, (2 * ALONE_MS) / people))

    await pair.standby.crash()
    const lostAt = Date.now()
    // A commit that was on its way to the standby may still be answered.
    await sleep(ALONE_MS / 2)
    const before = callers.acknowledged
    await sleep(ALONE_MS / 2)
    const meanwhile = callers.acknowledged - before
    await pair.waitsForStandby(false)
    const openedAt = Date.now()
    await tookMs(() => callers.firstAnswerAfter(openedAt) !== null, GOES_ON_MS)
    const goesOnMs = (callers.firstAnswerAfter(openedAt) ?? Number.NaN) - openedAt
    const readiness = await nodes.reasons(nodes.living[0]!)
    await pressing
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    return [
      rowOf({
        part: 'standby',
        what: standby.what,
        ...(await callers.columns(twilio, openedAt - lostAt + GOES_ON_MS)),
        remark: [
          `${meanwhile} acknowledged without the standby`,
          `${seconds(goesOnMs)} until it goes on without it`,
          `/readyz: ${readiness.reasons.join(', ') || 'nothing'}`,
          `texts at most ${seconds(Math.max(0, ...callers.lateMs(twilio)))} late`,
        ].join('; '),
      }),
    ]
  },
}
