import { setTimeout as sleep } from 'node:timers/promises'
import { startAlone } from '../../test/harness/standby.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { stopProcess } from '../machine/stop-process.ts'
import type { Part } from '../part.ts'
import { type Row, rowOf, unmet } from '../row.ts'
import { type Leaving, type Name, WaitingEnd } from '../sos/waiting-end.ts'
import { SETTINGS } from './callers.ts'
import { type Node, Nodes, seconds, tookMs } from './site.ts'

const ways = (['incident', 'press', 'none'] as const).flatMap((name) =>
  (['stays', 'fin', 'reset'] as const).map((leaving): { name: Name; leaving: Leaving } => ({ name, leaving })),
)
/** Shorter and longer than an end without a name counts, and than what a node without a database may take to answer. */
const STILL_MS = [1_000, 7_000] as const
/** A node without a database answers within 5 s. */
const ANSWER_MS = 6_000
const BACK_MS = 60_000
/** What a node that goes on does with what waited, it does at once. */
const AFTERMATH_MS = 2_000

/** People who send an end to a node that stands still or is cut off, end the alarm on the other one and press again. */
async function outage(
  { nodes, node, people }: { readonly nodes: Nodes; readonly node: Node; readonly people: number },
  { what, begins, ends }: { what: string; begins: () => unknown; ends: () => unknown },
): Promise<{ readonly row: Row; readonly answeredMs: readonly number[] }> {
  nodes.loses(node)
  const port = Number(new URL(node.site.http).port)
  const all: WaitingEnd[] = []
  for (const stillMs of STILL_MS) {
    const persons = await Promise.all(
      Array.from({ length: people }, async (_, n) => {
        const person = new WaitingEnd(await nodes.any.user(`${what}-${stillMs}-${n}`))
        await person.presses()
        return person
      }),
    )
    await begins()
    const began = performance.now()
    const sent = await Promise.all(
      persons.map((person, n) => {
        const { name, leaving } = ways[n % ways.length]!
        return person.sends(port, name, leaving)
      }),
    )
    await Promise.all(persons.map((person) => person.endsAndPressesAgain()))
    await sleep(Math.max(0, began + stillMs - performance.now()))
    await ends()
    await Promise.all(sent.map(({ answered }) => answered))
    await tookMs(async () => (await nodes.reasons(node).catch(() => null))?.status === 200, BACK_MS)
    await sleep(AFTERMATH_MS)
    all.push(...persons)
  }
  nodes.finds(node)
  const wronged = (await Promise.all(all.map((person) => person.isWronged()))).filter(Boolean).length
  const answeredMs = all.flatMap((person) => person.answeredMs ?? [])
  const counted = (status: number): number => all.filter((person) => person.status === status).length
  return {
    answeredMs,
    row: rowOf({
      part: waitingEndsOnNodes.name,
      what: `${what} for ${STILL_MS.map(seconds).join(' and ')} with cancels of people who end the alarm on another node and press again`,
      acknowledged: 2 * all.length,
      lost: wronged,
      remark: `of ${all.length} such ends ${wronged} ended the next SOS; ${counted(200)} were answered with 200, ${counted(503)} with 503`,
      faults: unmet({
        'no end ended the next SOS': wronged === 0,
        'clients that stayed were answered': answeredMs.length >= Math.floor(all.length / 3),
      }),
    }),
  }
}

/** An end that waits in a node must not end the next alarm. */
export const waitingEndsOnNodes: Part = {
  name: 'waiting-ends',
  what: 'cancels wait in a node that stands still, and in one that is cut off from the database',
  async run(ground, { callers: people }) {
    const twilio = await startTwilio(ground)
    const nodes = new Nodes(ground, { servers: await startAlone(ground), twilio, settings: SETTINGS })
    await nodes.starts()
    const node = await nodes.starts()
    const { pid } = node.site.process
    const goesOn = (): void => void process.kill(pid, 'SIGCONT')
    // A process that stands still cannot even be asked to end.
    ground.after(() => node.site.process.isRunning && goesOn())
    const place = { nodes, node, people }
    const frozen = await outage(place, { what: 'a node stands still', begins: () => stopProcess(pid), ends: goesOn })
    const gates = (state: 'black hole' | 'open') => (): void => {
      for (const gate of node.gates) gate.becomes(state)
    }
    const cutOff = await outage(place, {
      what: 'a node is cut off from the database',
      begins: gates('black hole'),
      ends: gates('open'),
    })
    const slowest = Math.max(...cutOff.answeredMs)
    return [
      frozen.row,
      {
        ...cutOff.row,
        remark: `${cutOff.row.remark}; the slowest answer took ${seconds(slowest)}`,
        slow: unmet({ [`every answer came within ${seconds(ANSWER_MS)}`]: slowest <= ANSWER_MS }),
      },
    ]
  },
}
