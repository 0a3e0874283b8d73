import type { AttemptParts } from '../../src/app/sending/attempts.ts'
import { Dispatcher } from '../../src/app/sending/dispatcher.ts'
import type { Sender } from '../../src/app/sending/sender.ts'
import type { Command } from '../../src/core/incident/command.ts'
import { decide } from '../../src/core/incident/decide.ts'
import type { Incident } from '../../src/core/incident/incident.ts'
import { nextActionAt } from '../../src/core/incident/next-action.ts'
import type { Committed, Store } from '../../src/ports/store.ts'
import { momentAt, planOf } from '../core/build.ts'
import { VirtualClock } from './virtual-clock.ts'

/** True: the store fails. `busy`: others are changing the incident. A promise: for as long as it takes. */
type Hindrance = boolean | 'busy' | Promise<void>

/** A dispatcher over incidents in memory. `hinders`: what comes in the way of a command. */
export function dispatched(
  incidents: Incident[],
  notifier: Sender,
  hinders: (id: string, command: Command) => Hindrance = () => false,
  clock = new VirtualClock(momentAt(0)),
  lease: AttemptParts['lease'] = null,
) {
  const held = new Map(incidents.map((incident) => [incident.id, incident]))
  const commands: Command[] = []
  const asked = { due: 0 }
  const errors: object[] = []
  const plan = planOf({})
  const run = (id: string, command: Command): Committed => {
    commands.push(command)
    const decision = decide({ incident: held.get(id) ?? null, plan, earlier: null }, command)
    if (decision.incident !== null) held.set(id, decision.incident)
    const at = decision.incident === null ? null : nextActionAt(decision.incident)
    return { ...decision, incidentId: id, lastPosition: null, nextActionAt: at, unknownDevice: false, attempt: null }
  }
  const moments = (except: readonly string[]) => {
    const left = new Set(except)
    return [...held.values()]
      .filter(({ id }) => !left.has(id))
      .map((incident) => ({ id: incident.id, at: nextActionAt(incident) }))
  }
  const store = {
    incident: async (id: string) => ({ incident: held.get(id), lastPosition: null }),
    due: async (now: number, limit: number, except: readonly string[]) => {
      asked.due += 1
      return moments(except)
        .filter(({ at }) => at !== null && at <= now)
        .map(({ id }) => id)
        .slice(0, limit)
    },
    nextActionAt: async (except: readonly string[]) =>
      Math.min(...moments(except).map(({ at }) => at ?? Number.POSITIVE_INFINITY)),
    callRefs: async () => [],
    changePending: async (command: Command) => {
      if ([...held.keys()].some((id) => hinders(id, command) === true)) throw new Error('the store will not')
      for (const id of held.keys()) run(id, command)
      return held.size
    },
    user: async () => ({ name: 'Mia', externalUserId: 'hut-1' }),
    application: async () => ({
      name: 'Hut',
      timeZone: 'UTC',
      language: 'en',
      actuators: plan.actuators,
      texts: {},
      allowedPrefixes: [],
    }),
  } as unknown as Store
  const left = (id: string, now: number): Committed => ({
    ...{ verdict: 'unchanged', incident: null, events: [], claimed: [], unsure: [], asked: [], exhausted: false },
    ...{ folded: [], incidentId: null, lastPosition: null, nextActionAt: null, unknownDevice: false, attempt: null },
    busy: { lateMs: now - (nextActionAt(held.get(id)!) ?? now) },
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
    store,
    door: {
      change: (key, command) => changes('incidentId' in key ? key.incidentId : '', command),
      announce() {},
    },
    notifier,
    clock,
    ids: { uuid: () => '', secret: () => '', jitter: () => 0.5 },
    log: { info() {}, warn() {}, error: (fields) => void errors.push(fields) },
    meter: { count() {}, observe() {} },
    publicUrl: () => 'http://localhost',
    machineTimeZone: () => 'UTC',
    lease,
  })
  return { dispatcher, clock, commands, errors, asked, changes, incident: (id: string) => held.get(id)! }
}
