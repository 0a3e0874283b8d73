import type { AttemptNeeds } from '../../src/app/sending/attempts.ts'
import type { Command } from '../../src/core/incident/command.ts'
import { decide } from '../../src/core/incident/decide.ts'
import { isSameLease, type Lease } from '../../src/core/incident/delivery.ts'
import type { Incident } from '../../src/core/incident/incident.ts'
import { nextActionAt } from '../../src/core/incident/next-action.ts'
import type { Committed, Store } from '../../src/ports/store.ts'
import { everyActuator, planOf } from '../core/build.ts'

/** What `AttemptNeeds` needs besides, for tests about something else. */
export const silentParts = {
  ids: { uuid: () => '', secret: () => '', jitter: () => 0.5 },
  log: { info() {}, warn() {}, error() {} },
  meter: { count() {}, observe() {} },
  publicUrl: () => 'https://sos.example.org',
  machineTimeZone: () => 'UTC',
} satisfies Partial<AttemptNeeds>

/** Incidents that commands change by `decide`, without a store. */
export class IncidentsInMemory {
  readonly #held: Map<string, Incident>
  readonly #plan: ReturnType<typeof planOf>

  constructor(incidents: readonly Incident[], plan = planOf({})) {
    this.#held = new Map(incidents.map((incident) => [incident.id, incident]))
    this.#plan = plan
  }

  get ids(): readonly string[] {
    return [...this.#held.keys()]
  }

  incident(id: string): Incident {
    const incident = this.#held.get(id)
    if (incident === undefined) throw new Error(`no incident ${id}`)
    return incident
  }

  /** What the write door commits. */
  run(id: string, command: Command): Committed {
    const decision = decide({ incident: this.#held.get(id) ?? null, plan: this.#plan, earlier: null }, command)
    if (decision.incident !== null) this.#held.set(id, decision.incident)
    const at = decision.incident === null ? null : nextActionAt(decision.incident)
    return { ...decision, incidentId: id, lastPosition: null, nextActionAt: at, unknownDevice: false, attempt: null }
  }

  /** What the dispatcher reads. */
  get store() {
    return {
      incident: async (id: string) => ({ incident: this.#held.get(id), lastPosition: null }),
      due: async (now: number, limit: number, except: readonly string[], others: readonly Lease[] = []) => {
        const due = this.#moments(except, others).filter(({ at }) => at <= now)
        const idsOf = (isDrill: boolean) =>
          due.flatMap(({ id }) => ((this.incident(id).drill !== undefined) === isDrill ? id : []))
        const real = idsOf(false).slice(0, limit)
        return { real, drills: idsOf(true).slice(0, limit - real.length) }
      },
      nextActionAt: async (except: readonly string[], others: readonly Lease[] = []) =>
        Math.min(...this.#moments(except, others).map(({ at }) => at)),
      nextRealActionAt: async () => {
        const real = [...this.#held.values()].filter(({ drill }) => drill === undefined)
        const at = Math.min(...real.map((incident) => nextActionAt(incident) ?? Number.POSITIVE_INFINITY))
        return Number.isFinite(at) ? at : null
      },
      callRefs: async () => [],
      user: async () => ({ name: 'Mia', externalUserId: 'hut-1' }),
      application: async () => ({
        name: 'Hut',
        timeZone: 'UTC',
        language: 'en',
        actuators: { ...everyActuator, ...this.#plan.actuators },
        texts: {},
        allowedPrefixes: [],
      }),
    }
  }

  /** When each incident wants attention, but for what `others` have claimed. */
  #moments(except: readonly string[], others: readonly Lease[]) {
    const left = new Set(except)
    const isElsewhere = ({ claim }: Incident['deliveries'][number]): boolean =>
      others.some((lease) => isSameLease(claim?.by, lease))
    return [...this.#held.values()]
      .filter(({ id }) => !left.has(id))
      .map((incident) => ({ id: incident.id, at: nextActionAt(incident, isElsewhere) ?? Number.POSITIVE_INFINITY }))
  }
}

/** As the port has it: the dispatcher asks for nothing else. */
export const asStore = (some: object): Store => some as Store
