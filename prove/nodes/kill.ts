import { setTimeout as sleep } from 'node:timers/promises'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio, type TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import type { Part } from '../part.ts'
import { Callers, SETTINGS } from './callers.ts'
import { CLAIM, LeftBehind } from './left-behind.ts'
import { type Node, Nodes, seconds, tookMs } from './site.ts'

/** The provider lists a message this long after it has accepted it. */
const LISTS_LATE_MS = 5_000
const LEASE_MS = 15_000
/** A lease, and the time for which a request may be under way: then what the dead node had claimed is looked up. */
const LATE_MS = 60_000
const SETTLE_MS = 90_000
const EVERY_MS = 400
/** If a point is not reached in this time, the plug is pulled anyway. */
const POINT_MS = 20_000
/** What a kill and the start of another node take, on a busy machine. */
const TURN_MS = 6_000
/** A slow machine does fewer kills, and the row says how many. */
const MAX_KILLING_MS = 300_000

/**
 * `claimed`: the claim is committed, and the node does not know. `unheard`, `accepted`, `answered`: the provider does
 * not get the request that was written, has taken it, has answered. `within`: inside a transaction.
 */
const points = ['claimed', 'accepted', 'unheard', 'within', 'answered'] as const
type Point = (typeof points)[number]

const momentOf = { unheard: 'heard', accepted: 'accepted', answered: 'answered' } as const
/** What nobody but another node can have sent. */
const isUnsent = (point: Point): boolean => point === 'claimed' || point === 'unheard'

type Turn = { readonly victims: readonly Node[]; readonly twilio: TwilioStandIn; readonly chosen: Node }

/**
 * Waits until one of `victims` is at the point, where it is held until `pull` has resolved. Resolves with whether one
 * got there in time; if not, the plug of `chosen` is pulled.
 */
async function pullsAt(point: Point, { victims, twilio, chosen }: Turn, pull: (victim: Node) => Promise<void>) {
  const late = sleep(POINT_MS, false, { ref: false })
  if (point === 'claimed' || point === 'within') {
    const { gate } = chosen
    const held = point === 'claimed' ? gate.holds('COMMIT', CLAIM) : gate.holds('BEGIN')
    const isMet = await Promise.race([held.then(() => true), late])
    await pull(chosen)
    gate.releases()
    return isMet
  }
  const { promise: met, resolve, reject } = Promise.withResolvers<true>()
  let isOver = false
  const stopWatching = twilio.watch(async (moment, { port }) => {
    const victim = victims.find(({ providerPort }) => providerPort === port)
    if (isOver || moment !== momentOf[point] || victim === undefined) return null
    isOver = true
    await pull(victim).then(() => resolve(true), reject)
    return point === 'unheard' ? 'lost' : null
  })
  const isMet = await Promise.race([met, late]).finally(stopWatching)
  if (isMet || isOver) return met
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
    const leftBehind = new LeftBehind(servers)
    const enough = performance.now() + MAX_KILLING_MS
    let met = 0
    let unsent = 0
    for (let turn = 0; turn < kills && performance.now() < enough; turn += 1) {
      const victims = nodes.living.filter((node) => node !== survivor)
      const chosen = victims[turn % victims.length]!
      const point = points[turn % points.length]!
      let claims = 0
      const isMet = await pullsAt(point, { victims, twilio, chosen }, async (victim) => {
        killedAt.set(victim.name, Date.now())
        await nodes.kills(victim)
        claims = await leftBehind.by(victim)
      })
      if (isMet) met += 1
      if (isMet && isUnsent(point) && claims > 0) unsent += 1
      if (turn + 1 < kills) await nodes.starts()
    }
    over.abort()
    await pressing
    await callers.answered(SETTLE_MS)
    await callers.settled(twilio, SETTLE_MS)
    await tookMs(() => takeOvers(survivor, killedAt).length === killedAt.size, 2 * LEASE_MS)
    const takenOver = takeOvers(survivor, killedAt)
    const sent = leftBehind.sentByOthers(twilio, callers.phoneOf)
    return [
      await callers.row(twilio, {
        part: 'node-kill',
        what: what(killedAt.size),
        lateAfterMs: LATE_MS,
        holds: {
          'every node was killed at its point': met === killedAt.size,
          'the survivor took over from each': takenOver.length === killedAt.size,
          'others sent what was claimed and not sent': sent >= unsent && unsent > 0,
        },
        inTime: { 'no lease lasted longer than itself': Math.max(0, ...takenOver) < LEASE_MS + LISTS_LATE_MS },
        remarks: [
          `${takenOver.length} leases taken over, at most ${seconds(Math.max(0, ...takenOver))} after the kill`,
          `of ${leftBehind.count} claims left behind, ${sent} were sent by others, the rest found at the provider`,
        ],
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
