import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio, type TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import { makeShim } from '../machine/shim.ts'
import type { Part } from '../part.ts'
import { type Row, rowOf, unmet } from '../row.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import { Callers, SETTINGS } from './callers.ts'
import { type Node, Nodes, seconds, tookMs } from './site.ts'

/** Shorter than what the clocks are apart, so that a node that went by its own would send at once. */
const GRACE_MS = 3_000
const APART_MS = 5_000
const LATE_MS = 5_000
/** What a node that stops has begun may be looked up first. */
const UPGRADE_LATE_MS = 30_000
const SETTLE_MS = 60_000
const EVERY_MS = 150
/** A lease, and time to notice its end. */
const CUT_OFF_MS = 25_000
/** Where nothing else is late. */
const CUT_OFF_SOON_MS = 20_000
/** Two connections under one client id last no longer than this. */
const TWICE_MS = 2_000

type Place = { readonly nodes: Nodes; readonly twilio: TwilioStandIn }

/** Alerts on every node for as long as `work` takes. */
async function under({ nodes, twilio }: Place, people: number, work: () => Promise<void>): Promise<Callers> {
  const callers = new Callers(nodes, GRACE_MS)
  await callers.prepare(people)
  const over = new AbortController()
  const pressing = callers.press(EVERY_MS, { over: over.signal })
  await work()
  over.abort()
  await pressing
  await callers.answered(SETTLE_MS)
  await callers.settled(twilio, SETTLE_MS)
  return callers
}

async function clocks(place: Place, { providerPort }: Node, people: number): Promise<Row> {
  const callers = await under(place, people, () => sleep((people * EVERY_MS) / 2))
  return callers.row(place.twilio, {
    part: 'apart',
    what: `the clock of one of the nodes is ${seconds(APART_MS)} ahead`,
    lateAfterMs: LATE_MS,
    holds: { 'it sent texts, too': place.twilio.creations('Messages').some(({ port }) => port === providerPort) },
    remarks: [],
  })
}

async function cutOff(place: Place, node: Node, people: number): Promise<Row> {
  const { nodes, twilio } = place
  const user = await node.site.user('cut-off')
  const port = Number(new URL(node.site.mqtt).port)
  const alert = () => JSON.stringify({ timestamp: newMoment() })
  const phone = await Phone.connect(port, identityOf(user))
  await phone.publish(alertTopic(user.userId), alert())
  let acknowledged = false
  let closedMs: number | null = null
  let backMs: number | null = null
  const callers = await under(place, people, async () => {
    nodes.loses(node)
    for (const gate of node.gates) gate.becomes('black hole')
    phone.publish(alertTopic(user.userId), alert()).then(
      () => {
        acknowledged = true
      },
      () => {},
    )
    closedMs = await tookMs(() => phone.isLost, CUT_OFF_MS)
    for (const gate of node.gates) gate.becomes('open')
    backMs = await tookMs(async () => {
      const again = await Phone.connect(port, identityOf(user)).catch(() => null)
      const isHeard = await Promise.race([
        again?.publish(alertTopic(user.userId), alert()).then(
          () => true,
          () => false,
        ) ?? false,
        sleep(1_000, false),
      ])
      again?.close()
      return isHeard
    }, SETTLE_MS)
    nodes.finds(node)
  })
  phone.close()
  return callers.row(twilio, {
    part: 'apart',
    what: 'one node is behind a black hole, cut off from the database',
    lateAfterMs: LATE_MS,
    holds: {
      'it acknowledged nothing meanwhile': !acknowledged,
      'it closed its clients': closedMs !== null,
      'it came back by itself': backMs !== null,
    },
    inTime: { [`its clients were closed within ${seconds(CUT_OFF_SOON_MS)}`]: (closedMs ?? 0) < CUT_OFF_SOON_MS },
    remarks: [`it closed its clients after ${seconds(closedMs ?? 0)}`, `back ${seconds(backMs ?? 0)} after the cable`],
  })
}

/** The newer connection of a client id is the one that counts, wherever the older one is. */
async function sameClient({ nodes }: Place): Promise<Row> {
  const user = await nodes.any.user('twice')
  const identity = identityOf(user)
  const waits: number[] = []
  let stayed = 0
  const sites = nodes.living.map(({ site }) => Number(new URL(site.mqtt).port))
  let older = await Phone.connect(sites[0]!, identity)
  for (let n = 1; n <= 2 * sites.length; n += 1) {
    const newer = await Phone.connect(sites[n % sites.length]!, identity)
    const ms = await tookMs(() => older.isLost, SETTLE_MS / 4)
    if (ms === null) stayed += 1
    else waits.push(ms)
    await newer.publish(alertTopic(user.userId), JSON.stringify({ timestamp: newMoment() }))
    older.close()
    older = newer
  }
  older.close()
  return rowOf({
    part: 'apart',
    what: 'a client connects to another node under the same id',
    acknowledged: 2 * sites.length,
    late: waits.filter((ms) => ms > TWICE_MS).length + stayed,
    faults: unmet({ 'the older connection ended': stayed === 0 }),
    slow: unmet({ [`it ended within ${seconds(TWICE_MS)}`]: waits.every((ms) => ms <= TWICE_MS) }),
    remark: `the older connection ended after at most ${seconds(Math.max(0, ...waits))}`,
  })
}

async function upgrade(place: Place, people: number): Promise<Row> {
  const { nodes, twilio } = place
  let longest = 0
  const callers = await under(place, people, async () => {
    for (const node of [...nodes.living]) {
      nodes.loses(node)
      const began = performance.now()
      await node.site.process.stop()
      await node.site.start()
      longest = Math.max(longest, performance.now() - began)
      nodes.finds(node)
    }
  })
  const slowest = Math.max(
    0,
    ...callers.alerts.map(({ pressedAt, acknowledgedAt }) => (acknowledgedAt ?? 0) - pressedAt),
  )
  return callers.row(twilio, {
    part: 'apart',
    what: 'every node in turn is stopped and started again, as for an upgrade',
    lateAfterMs: UPGRADE_LATE_MS,
    remarks: [`a node was away for ${seconds(longest)} at most`, `the slowest press took ${seconds(slowest)}`],
  })
}

/** What nodes that do not agree, or cannot talk, do to each other. */
export const apart: Part = {
  name: 'apart',
  what: 'nodes with different clocks, cut off, with the same client, of different ages',
  async run(ground, { callers: people, nodes: count }) {
    const twilio = await startTwilio(ground)
    const servers = await startAlone(ground)
    const settings = { ...SETTINGS, 'grace-seconds': GRACE_MS / 1000 }
    const nodes = new Nodes(ground, { servers, twilio, settings })
    await nodes.starts()
    const cut = await nodes.starts()
    const place = { nodes, twilio }
    if (count < 3) return [await sameClient(place), await cutOff(place, cut, people)]
    const shim = makeShim(ground)
    shim.makes({ wallMs: APART_MS })
    const ahead = await nodes.starts(shim.environment)
    return [
      await clocks(place, ahead, people),
      await sameClient(place),
      await cutOff(place, cut, people),
      await upgrade(place, people),
    ]
  },
}
