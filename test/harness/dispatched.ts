import type { AttemptNeeds } from '../../src/app/sending/attempts.ts'
import { Dispatcher } from '../../src/app/sending/dispatcher.ts'
import type { Sender } from '../../src/app/sending/sender.ts'
import type { Command } from '../../src/core/incident/command.ts'
import type { Incident } from '../../src/core/incident/incident.ts'
import { nextActionAt } from '../../src/core/incident/next-action.ts'
import type { Committed } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { asStore, IncidentsInMemory, silentParts } from './incidents-in-memory.ts'
import { VirtualClock } from './virtual-clock.ts'

/** True: the store fails. `busy`: others are changing the incident. A promise: for as long as it takes. */
type Hindrance = boolean | 'busy' | Promise<void>

/** A dispatcher over incidents in memory. `hinders`: what comes in the way of a command. */
export function dispatched(
  incidents: Incident[],
  notifier: Sender,
  hinders: (id: string, command: Command) => Hindrance = () => false,
  clock = new VirtualClock(momentAt(0)),
  lease: AttemptNeeds['lease'] = null,
) {
  const memory = new IncidentsInMemory(incidents)
  const commands: Command[] = []
  const asked = { due: 0, quiet: 0, read: [] as string[] }
  const errors: object[] = []
  const lines: object[] = []
  const counts: object[] = []
  const run = (id: string, command: Command): Committed => {
    commands.push(command)
    return memory.run(id, command)
  }
  const { store } = memory
  const counted = asStore({
    ...store,
    due: (...about: Parameters<typeof store.due>) => {
      asked.due += 1
      return store.due(...about)
    },
    incident: (id: string) => {
      asked.read.push(id)
      return store.incident(id)
    },
    nextRealActionAt: () => {
      asked.quiet += 1
      return store.nextRealActionAt()
    },
    changePending: async (command: Command) => {
      if (memory.ids.some((id) => hinders(id, command) === true)) throw new Error('the store will not')
      for (const id of memory.ids) run(id, command)
      return memory.ids.length
    },
  })
  const left = (id: string, now: number): Committed => ({
    ...{ verdict: 'unchanged', incident: null, events: [], claimed: [], unsure: [], asked: [], exhausted: false },
    ...{ folded: [], incidentId: null, lastPosition: null, nextActionAt: null, unknownDevice: false, attempt: null },
    busy: { lateMs: now - (nextActionAt(memory.incident(id)) ?? now) },
  })
  /** Like the write door. */
  async function changes(id: string, command: Command): Promise<Committed> {
    const hindrance = hinders(id, command)
    if (hindrance === 'busy') return left(id, command.now)
    if (hindrance === true) throw new Error('the store will not')
    await hindrance
    const committed = run(id, command)
    dispatcher.changed(committed.incidentId, committed.nextActionAt)
    return committed
  }
  const dispatcher = new Dispatcher({
    ...silentParts,
    store: counted,
    door: {
      change: (key, command) => changes('incidentId' in key ? key.incidentId : '', command),
      announce() {},
    },
    notifier,
    clock,
    log: {
      ...silentParts.log,
      info: (fields) => void lines.push(fields),
      error: (fields) => void errors.push(fields),
    },
    meter: { ...silentParts.meter, count: (name, labels) => void counts.push({ name, ...labels }) },
    lease,
  })
  return {
    dispatcher,
    clock,
    commands,
    errors,
    lines,
    counts,
    asked,
    changes,
    incident: (id: string) => memory.incident(id),
  }
}
