import { startProcessSite } from '../../test/harness/process-site.ts'
import { COMMON } from '../environment.ts'
import { stopProcess } from '../machine/stop-process.ts'
import type { Part } from '../part.ts'
import { rowOf, unmet } from '../row.ts'
import { type Leaving, type Name, WaitingEnd } from '../sos/waiting-end.ts'

/** `early`: its first byte has come before it is held back, so it is known how old the end is. */
type Way = { readonly name: Name; readonly leaving: Leaving; readonly early: boolean }

const ways: readonly Way[] = [
  { name: 'incident', leaving: 'stays', early: false },
  { name: 'press', leaving: 'stays', early: false },
  { name: 'none', leaving: 'fin', early: false },
  { name: 'none', leaving: 'reset', early: false },
  { name: 'none', leaving: 'stays', early: true },
]
/** Nobody can tell such an end from one that was just sent: this is why apps must name the alarm. */
const control: Way = { name: 'none', leaving: 'stays', early: false }
/** More requests than a person sends. */
const AT_ONCE = 10

/** A cancel waits in the network until its client has ended the alarm another way and pressed again. */
export const waitingEnds: Part = {
  name: 'waiting-ends',
  what: 'a cancel is held in the network; the client gives up, ends the alarm elsewhere and presses again; then the cancel arrives',
  async run(ground, { callers }) {
    const site = await startProcessSite(ground, { env: COMMON })
    // A process that stands still cannot even be asked to end.
    ground.after(() => site.process.isRunning && process.kill(site.process.pid, 'SIGCONT'))
    const port = Number(new URL(site.http).port)
    let number = 0
    const begin = async ({ name, leaving, early }: Way, until: Promise<void>) => {
      number += 1
      const person = new WaitingEnd(await site.user(`w-${number}`))
      await person.presses()
      const end = await person.sends(port, name, leaving, { until, firstBytes: early ? 1 : 0 })
      await person.endsAndPressesAgain()
      return { person, ...end }
    }
    /** The network delivers at one moment what it has held, and with it that the client has gone. */
    const atOnce = async (deliver: () => Promise<unknown>): Promise<void> => {
      await stopProcess(site.process.pid)
      await deliver().finally(() => process.kill(site.process.pid, 'SIGCONT'))
    }
    const rounds = async (way: Way, count: number) => {
      const done: (WaitingEnd & { readonly wronged: boolean })[] = []
      while (done.length < count) {
        const { promise: until, resolve: release } = Promise.withResolvers<void>()
        const size = Math.min(AT_ONCE, count - done.length)
        const all = await Promise.all(Array.from({ length: size }, () => begin(way, until)))
        await atOnce(() => {
          release()
          return Promise.all(all.map(({ sent }) => sent))
        })
        await Promise.all(all.map(({ answered }) => answered))
        for (const { person } of all) done.push(Object.assign(person, { wronged: await person.isWronged() }))
      }
      return done
    }
    const each = Math.ceil(callers / ways.length)
    const all = []
    const wrong: string[] = []
    for (const way of ways) {
      const done = await rounds(way, each)
      const count = done.filter(({ wronged }) => wronged).length
      if (count > 0) wrong.push(`${count} with ${way.name}, ${way.leaving}`)
      all.push(...done)
    }
    const wronged = all.filter(({ wronged }) => wronged).length
    const controls = await rounds(control, AT_ONCE)
    const seen = controls.filter(({ wronged }) => wronged).length
    const refused = all.filter(({ status }) => status === 503).length
    const answered = all.filter(({ status }) => status === 200).length
    return [
      rowOf({
        part: waitingEnds.name,
        what: waitingEnds.what,
        acknowledged: 2 * all.length,
        lost: wronged,
        remark: `of ${all.length} such ends ${wronged} ended the next SOS${wrong.map((some) => ` (${some})`).join('')}; ${answered} were answered with 200, ${refused} with 503. Without a name, and with nothing that tells its age, ${seen} of ${controls.length} did: the control`,
        faults: unmet({
          'no end ended the next SOS': wronged === 0,
          'ends with a name were answered': answered >= 2 * each,
          'the control shows what an end without a name can do': seen > 0,
        }),
      }),
    ]
  },
}
