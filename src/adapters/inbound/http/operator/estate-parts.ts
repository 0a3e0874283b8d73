import type { SiteDefaults } from '../../../../app/operator/application-view.ts'
import type { knownBackups } from '../../../../app/operator/backups.ts'
import type { clockKeeping } from '../../../../app/operator/clock.ts'
import type { contactChecks } from '../../../../app/operator/contact-checks.ts'
import type { addContactBy } from '../../../../app/operator/contacts.ts'
import type { HealthFigures } from '../../../../app/operator/figures.ts'
import type { firstSteps } from '../../../../app/operator/first-steps.ts'
import type { lookNotes } from '../../../../app/operator/looks.ts'
import type { simulating } from '../../../../app/operator/simulation.ts'
import type { sendingTests } from '../../../../app/operator/test-message.ts'
import type { operatorTimers } from '../../../../app/operator/timers.ts'
import type { userReadiness } from '../../../../app/ready/user-readiness.ts'
import type { AskingLimits } from '../../../../app/user/verify-contacts.ts'
import type { IsPossible } from '../../../../core/account/number-findings.ts'
import type { Ids } from '../../../../ports/ids.ts'
import type { NodeStore } from '../../../../ports/node-store.ts'
import type { PairingCodes } from '../../../../ports/passwords.ts'
import type { Store } from '../../../../ports/store.ts'

/** The health of the service, for the person at the screen. */
type HealthReport = {
  /** Why it is not ready, as `/readyz` says it. */
  readonly reasons: readonly string[]
  /** What needs attention although alarms still work, and what the configuration lacks. */
  readonly concerns: readonly string[]
  /** SMS and calls are kept on this machine instead of being sent. */
  readonly keepsMessages: boolean
  readonly figures: HealthFigures
}

/** What is behind the routes of applications, users, trackers and the system. */
export type EstateParts = {
  readonly store: Pick<
    Store,
    | 'audited'
    | 'application'
    | 'applications'
    | 'user'
    | 'userByExternalId'
    | 'ensureUser'
    | 'userPage'
    | 'contacts'
    | 'requestVerification'
    | 'devices'
    | 'openIncident'
    | 'board'
    | 'changeIncident'
    | 'eraseUser'
    | 'finishErasure'
    | 'timers'
    | 'timerPage'
    | 'hardware'
    | 'hardwareDetail'
    | 'hardwarePage'
    | 'outboxPage'
    | 'deadLetterPage'
    | 'feedbackPage'
  >
  readonly ids: Ids
  readonly devicesPerUser: number
  readonly askContact: ReturnType<typeof contactChecks>
  /** Hashes one code at a time, however many are asked for: senders need the same threads. */
  readonly codes: Pick<PairingCodes, 'hash' | 'make'>
  /** The nodes that share the store. Null where there is one. */
  readonly nodes: Pick<NodeStore, 'nodes' | 'drain'> | null
  /** Whether calls to this address would be refused (rules.md#address-guard). */
  readonly isBlocked: (url: string) => Promise<boolean>
  readonly defaults: SiteDefaults
  readonly look: ReturnType<typeof lookNotes>
  /** Closes the connections that are no longer admitted, on this node: other nodes have a notice. */
  readonly endSessions: (appId: string) => void
  readonly sendTest: ReturnType<typeof sendingTests>
  readonly simulate: ReturnType<typeof simulating>
  readonly firstSteps: ReturnType<typeof firstSteps>
  readonly contactsPerUser: number
  readonly asking: AskingLimits
  readonly isPossible: IsPossible
  readonly announce: NonNullable<Parameters<typeof addContactBy>[0]['announce']>
  readonly clock: ReturnType<typeof clockKeeping>
  readonly timers: ReturnType<typeof operatorTimers>
  readonly backups: ReturnType<typeof knownBackups>
  readonly pause: (ms: number) => Promise<void>
  readonly readiness: ReturnType<typeof userReadiness>
  /** `applications`: whose figures. Null: those of the site. */
  readonly health: (applications: readonly string[] | null) => Promise<HealthReport>
  /** Databases that earlier restores set aside, which still contain the erased user. */
  readonly keptDatabases: () => readonly string[]
}
