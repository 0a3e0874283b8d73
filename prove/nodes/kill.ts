import { setTimeout as sleep } from 'node:timers/promises'
import { startAlone } from '../../test/harness/standby.ts'
import { type Moment, startTwilio, type TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import type { Part } from '../part.ts'
import { rowOf } from '../row.ts'
import { Callers, SETTINGS } from './callers.ts'
import { seconds } from './failover.ts'
import { type Node, Nodes, tookMs } from './site.ts'

/** The provider lists a message this long after it has accepted it. */
const LISTS_LATE_MS = 5_000
const LEASE_MS = 15_000
/** A lease, the time for which a request may be under way, and the look-up. */
const LATE_MS = 60_000
const SETTLE_MS = 90_000
const EVERY_MS = 400
/** If a point is not reached in this time, the plug is pulled anyway. */
const POINT_MS = 10_000
/** What a kill and the start of another node take, on a busy machine. */
const TURN_MS = 6_000
/** A slow machine does fewer kills, and the row says how many. */
const MAX_KILLING_MS = 300_000

/** Inside a transaction, after a commit that the node does not know of, and at each moment of a hand-over. */
const points = ['accepted', 'COMMIT', 'heard', 'BEGIN', 'answered'] as const
type Point = (typeof points)[number]

const isMoment = (point: Point): point is Moment => point !== 'BEGIN' && point !== 'COMMIT'

/**
 * Waits until one of `victims` is at the point, where it is held until `pull` has resolved. Resolves with whether one
 * got there in time.
 */
async function pullsAt(
  point: Point,
  { victims, twilio, turn }: { victims: readonly Node[]; twilio: TwilioStandIn; turn: number },
  pull: (victim: Node) => Promise<void>,
): Promise<boolean> {
  const chosen = victims[turn % victims.length]!
  const late = sleep(POINT_MS, null, { ref: false })
  if (!isMoment(point)) {
    const { gate } = chosen
    const isMet = (await Promise.race([gate.holds(point).then(() => true), late])) !== null
    await pull(chosen)
    gate.releases()
    return isMet
  }
  let isOver = false
  const met = new Promise<true>((resolve, reject) => {
    twilio.watch((moment, { port }) => {
      const victim = victims.find(({ providerPort }) => providerPort === port)
      if (isOver || moment !== point || victim === undefined) return
      isOver = true
      return pull(victim).then(() => resolve(true), reject)
    })
  })
  if ((await Promise.race([met, late])) !== null) return true
  if (isOver) return met
  isOver = true
  await pull(chosen)
  return false
}

const what = (kills: number): string => `kill -9 of a node that sends, ${kills} times, beside one that goes on`

/** What a node had claimed is taken over when its lease has ended. */
export const nodeKill: Part = {
  name: 'node-kill',
  what: what(50),
  async run(ground, { nodeKills: kills, nodes: count }) {
    const twilio = await startTwilio(ground, { listsLateMs: LISTS_LATE_MS })
    const servers = await startAlone(ground)
    const nodes = new Nodes(ground, { servers, twilio, settings: SETTINGS })
    const survivor = await nodes.starts()
    while (nodes.living.length < Math.max(2, count)) await nodes.starts()
    const callers = new Callers(nodes)
    await callers.prepare(Math.ceil((kills * TURN_MS) / EVERY_MS))
    const over = new AbortController()
    const pressing = callers.press(EVERY_MS, { over: over.signal })

    const killedAt = new Map<string, number>()
    const enough = performance.now() + MAX_KILLING_MS
    let met = 0
    for (let turn = 0; turn < kills && performance.now() < enough; turn += 1) {
      const victims = nodes.living.filter((node) => node !== survivor)
      const isMet = await pullsAt(points[turn % points.length]!, { victims, twilio, turn }, async (victim) => {
        killedAt.set(victim.name, Date.now())
        await nodes.kills(victim)
      })
      if (isMet) met += 1
      if (turn + 1 < kills) await nodes.starts()
    }
    over.abort()
    await pressing
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    await tookMs(() => takeOvers(survivor, killedAt).length === killedAt.size, 2 * LEASE_MS)
    const takenOver = takeOvers(survivor, killedAt)
    return [
      rowOf({
        part: 'node-kill',
        what: what(killedAt.size),
        ...(await callers.columns(twilio, LATE_MS)),
        remark: [
          `${met} at a named point`,
          `${takenOver.length} leases taken over, at most ${seconds(Math.max(0, ...takenOver))} after the kill`,
          `texts at most ${seconds(Math.max(0, ...callers.lateMs(twilio)))} late`,
        ].join('; '),
      }),
    ]
  },
}

/** For each killed node whose lease `survivor` has seen end: how long after the kill, in milliseconds. */
function takeOvers({ site }: Node, killedAt: ReadonlyMap<string, number>): readonly number[] {
  return site.process.lines.flatMap(({ msg, nodeId, time }) => {
    const at = killedAt.get(nodeId)
    if (at === undefined || !String(msg).startsWith('the lease of another node has ended')) return []
    return [new Date(time).getTime() - at]
  })
}
