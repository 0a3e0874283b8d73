import { setTimeout as sleep } from 'node:timers/promises'
import { Pair } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import type { Part } from '../part.ts'
import { Callers, SETTINGS } from './callers.ts'
import { Nodes, seconds, tookMs } from './site.ts'

/** Long enough for commits to be given up, which is after 5 s. */
const ALONE_MS = 7_000
const GOES_ON_MS = 15_000
const SETTLE_MS = 60_000
const EVERY_MS = 100
const UNPROTECTED = 'no synchronous standby protects acknowledged alerts'

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
    await sleep(ALONE_MS)
    const openedAt = Date.now()
    await pair.waitsForStandby(false)
    await tookMs(() => callers.firstAnswerAfter(openedAt) !== null, GOES_ON_MS)
    const goesOnMs = (callers.firstAnswerAfter(openedAt) ?? Number.POSITIVE_INFINITY) - openedAt
    const isSaid = await tookMs(async () => {
      const { status, reasons } = await nodes.reasons(nodes.living[0]!)
      return status === 200 && reasons.some((reason) => reason.startsWith(UNPROTECTED))
    }, GOES_ON_MS)
    await pressing
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    // A commit that had reached the standby before may be answered afterwards: whoever pressed later had none there.
    const unprotected = callers.alerts.filter(({ pressedAt }) => pressedAt > lostAt && pressedAt < openedAt)
    const meanwhile = unprotected.filter(({ acknowledgedAt }) => acknowledgedAt! < openedAt).length
    return [
      await callers.row(twilio, {
        part: 'standby',
        what: standby.what,
        lateAfterMs: openedAt - lostAt + GOES_ON_MS,
        holds: {
          'nothing was acknowledged without the standby': meanwhile === 0,
          'somebody pressed without the standby': unprotected.length > 0,
          '/readyz stays ready and says so': isSaid !== null,
        },
        inTime: { 'it went on once commits no longer waited': goesOnMs < GOES_ON_MS },
        remarks: [`${meanwhile} acknowledged without the standby`, `${seconds(goesOnMs)} until it goes on without it`],
      }),
    ]
  },
}
