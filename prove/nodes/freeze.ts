import { setTimeout as sleep } from 'node:timers/promises'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { makeShim } from '../machine/shim.ts'
import { stopProcess } from '../machine/stop-process.ts'
import type { Part } from '../part.ts'
import { Callers, SETTINGS } from './callers.ts'
import { CLAIM, claimsOf, LeftBehind } from './left-behind.ts'
import { Nodes, seconds, tookMs } from './site.ts'

const LISTS_LATE_MS = 5_000
const LATE_MS = 60_000
const SETTLE_MS = 90_000
const EVERY_MS = 20
/** Until the point is reached, however busy the machine is. */
const POINT_MS = 60_000
const LEASE_MS = 15_000
/** They stand still for so much longer than a lease, if the others need less. */
const SETTLED_MS = 1_000
/** What a node that goes on might still send, it sends at once: at the latest when it has a lease again. */
const AFTERMATH_MS = 3_000
const TOKENS = 'SELECT id, token FROM nodes ORDER BY id'
const PEOPLE = 40
/** Claims and requests of a node are its last ones when so many looks have found the same. */
const LOOKS = 5
const LOOK_MS = 100

/**
 * One node stops after a claim was committed, before it knows; another one while the provider has its request. Both go
 * on long after others have sent what was theirs. The first one as a machine that was suspended: its monotonic clock,
 * and every time-out, stood still with it, so that nothing but its lease keeps it from sending.
 */
export const freeze: Part = {
  name: 'freeze',
  what: 'two nodes stand still beyond their leases (suspended after a claim; within a hand-over), then go on',
  async run(ground, { nodes: count }) {
    const twilio = await startTwilio(ground, { listsLateMs: LISTS_LATE_MS })
    const servers = await startAlone(ground)
    const nodes = new Nodes(ground, { servers, twilio, settings: SETTINGS })
    // The smallest cut does without a compiler, and without the clocks of a suspended machine.
    const shim = count < 3 ? null : makeShim(ground)
    const [claiming, sending] = [await nodes.starts(shim?.environment), await nodes.starts()]
    await nodes.starts()
    const callers = new Callers(nodes)
    await callers.prepare(PEOPLE)

    const stopped = new Map<string, number>()
    const stops = async ({ name, site }: typeof claiming): Promise<void> => {
      if (stopped.has(name)) return
      stopped.set(name, performance.now())
      await stopProcess(site.process.pid)
    }
    // A process that stands still cannot even be asked to end.
    ground.after(() => {
      for (const { site } of [claiming, sending]) if (site.process.isRunning) process.kill(site.process.pid, 'SIGCONT')
    })
    // Nothing helps a node that is stopped between its last look at the lease and the byte after it. So the provider
    // keeps the requests of this node waiting, and it is stopped when all that it has claimed is there.
    const { promise: released, resolve: releases } = Promise.withResolvers<void>()
    let heard = 0
    const stopWatching = twilio.watch((moment, { port }) => {
      if (moment !== 'heard' || port !== sending.providerPort) return null
      heard += 1
      return released
    })
    const handsOver = (async () => {
      let [looks, last] = [0, 0]
      while (looks < LOOKS && !stopped.has(sending.name)) {
        await sleep(LOOK_MS)
        const claimed = await claimsOf(servers, sending.name)
        looks = claimed > 0 && claimed === heard && claimed === last ? looks + 1 : 0
        last = claimed
      }
      await stops(sending)
    })()
    const claims = claiming.gate.holds('COMMIT', CLAIM).then(() => stops(claiming))
    const pressing = callers.press(EVERY_MS)
    const late = sleep(POINT_MS, null, { ref: false })
    const isMet = (await Promise.race([Promise.all([claims, handsOver]), late])) !== null
    for (const node of [claiming, sending]) {
      await stops(node)
      nodes.loses(node)
    }
    stopWatching()
    releases()
    const leftBehind = new LeftBehind(servers)
    await leftBehind.by(claiming, sending)
    const tokens = () => servers.rows<{ id: string; token: string }>(TOKENS)
    const old = new Map((await tokens()).map(({ id, token }) => [id, token]))
    claiming.gate.releases()
    const frozenAt = performance.now()
    await pressing
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    await sleep(Math.max(0, LEASE_MS + SETTLED_MS - (performance.now() - frozenAt)))
    const stoodStillMs = performance.now() - frozenAt
    const sent = leftBehind.sentByOthers(twilio, callers.phoneOf)

    const sentBy = (port: number): number =>
      twilio.requests.filter((one) => one.asks === 'create' && one.port === port).length
    const ports = [claiming, sending].map(({ providerPort }) => providerPort)
    const before = ports.map(sentBy)
    shim?.makes({ steadyMs: Math.ceil(stopped.get(claiming.name)! - performance.now()) })
    for (const { site } of [claiming, sending]) process.kill(site.process.pid, 'SIGCONT')
    const isBack = await tookMs(
      async () => (await tokens()).every(({ id, token }) => !stopped.has(id) || token !== old.get(id)),
      SETTLE_MS,
    )
    await sleep(AFTERMATH_MS)
    const afterwards = ports.reduce((sum, port, n) => sum + sentBy(port) - before[n]!, 0)
    return [
      await callers.row(twilio, {
        part: 'freeze',
        what: freeze.what,
        lateAfterMs: LATE_MS,
        holds: {
          'both stood still at their points': isMet,
          'they stood still for longer than a lease': stoodStillMs > LEASE_MS,
          'others sent what was claimed and not sent': sent > 0,
          'both went on under a new lease': isBack !== null,
          'they sent nothing when they went on': afterwards === 0,
        },
        remarks: [
          `stood still for ${seconds(stoodStillMs)}`,
          `of ${leftBehind.count} claims left behind, ${sent} were sent by others, the rest found at the provider`,
          `${afterwards} texts sent when they went on`,
        ],
      }),
    ]
  },
}
