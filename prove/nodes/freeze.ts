import { setTimeout as sleep } from 'node:timers/promises'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { stopProcess } from '../machine/stop-process.ts'
import type { Part } from '../part.ts'
import { rowOf } from '../row.ts'
import { Callers, SETTINGS } from './callers.ts'
import { seconds } from './failover.ts'
import { Nodes } from './site.ts'

const LISTS_LATE_MS = 5_000
const LATE_MS = 60_000
const SETTLE_MS = 90_000
const EVERY_MS = 20
/** Until the point is reached. */
const POINT_MS = 20_000
/** What a node that goes on might still send, it sends at once. */
const AFTERMATH_MS = 5_000
const PEOPLE = 40

/**
 * One node stops after a claim was committed, before it knows; another one while the provider has its request. Both go
 * on long after others have sent what was theirs.
 */
export const freeze: Part = {
  name: 'freeze',
  what: 'two nodes stand still beyond their leases (after a claim, within a hand-over), then go on',
  async run(ground) {
    const twilio = await startTwilio(ground, { listsLateMs: LISTS_LATE_MS })
    const servers = await startAlone(ground)
    const nodes = new Nodes(ground, { servers, twilio, settings: SETTINGS })
    const [claiming, sending] = [await nodes.starts(), await nodes.starts()]
    await nodes.starts()
    const callers = new Callers(nodes)
    await callers.prepare(PEOPLE)

    const stopped = new Set<string>()
    const stops = async ({ name, site }: typeof claiming): Promise<void> => {
      if (stopped.has(name)) return
      stopped.add(name)
      await stopProcess(site.process.pid)
    }
    // A process that stands still cannot even be asked to end.
    ground.after(() => {
      for (const { site } of [claiming, sending]) if (site.process.isRunning) process.kill(site.process.pid, 'SIGCONT')
    })
    const handsOver = new Promise<void>((resolve, reject) => {
      twilio.watch((moment, { port }) => {
        if (moment !== 'heard' || port !== sending.providerPort || stopped.has(sending.name)) return
        return stops(sending).then(resolve, reject)
      })
    })
    const pressing = callers.press(EVERY_MS)
    // Its presses are committed before its claims: of the first commits after them some are claims.
    await pressing
    const claims = claiming.gate.holds('COMMIT').then(() => stops(claiming))
    const late = sleep(POINT_MS, null, { ref: false })
    const isMet = (await Promise.race([Promise.all([claims, handsOver]), late])) !== null
    for (const node of [claiming, sending]) {
      await stops(node)
      nodes.loses(node)
    }
    claiming.gate.releases()
    const frozenAt = performance.now()
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    const stoodStillMs = performance.now() - frozenAt

    const sentBy = (port: number): number =>
      twilio.requests.filter((one) => one.asks === 'create' && one.port === port).length
    const ports = [claiming, sending].map(({ providerPort }) => providerPort)
    const before = ports.map(sentBy)
    for (const { site } of [claiming, sending]) process.kill(site.process.pid, 'SIGCONT')
    await sleep(AFTERMATH_MS)
    const afterwards = ports.reduce((sum, port, n) => sum + sentBy(port) - before[n]!, 0)
    return [
      rowOf({
        part: 'freeze',
        what: freeze.what,
        ...(await callers.columns(twilio, LATE_MS)),
        remark: [
          isMet ? 'both at their points' : 'one not at its point in time',
          `stood still for ${seconds(stoodStillMs)}`,
          `${afterwards} texts sent when they went on`,
          `texts at most ${seconds(Math.max(0, ...callers.lateMs(twilio)))} late`,
        ].join('; '),
      }),
    ]
  },
}
