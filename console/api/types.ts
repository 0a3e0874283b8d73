import type { z } from 'zod'
import type { testedSchema } from '../../src/adapters/inbound/http/operator/actuators.ts'
import type {
  appDeviceSchema,
  invitationSchema,
  madeSchema,
} from '../../src/adapters/inbound/http/operator/app-invitations.ts'
import type { applicationSchema } from '../../src/adapters/inbound/http/operator/applications.ts'
import type { auditRowSchema } from '../../src/adapters/inbound/http/operator/audit.ts'
import type { contactAskedSchema } from '../../src/adapters/inbound/http/operator/contacts.ts'
import type { doctorSchema } from '../../src/adapters/inbound/http/operator/doctor.ts'
import type {
  drillReportSchema,
  drillsEndedSchema,
  drillsStartedSchema,
} from '../../src/adapters/inbound/http/operator/drills.ts'
import type { offerSchema } from '../../src/adapters/inbound/http/operator/first-sign-in.ts'
import type { firstStepsSchema } from '../../src/adapters/inbound/http/operator/first-steps.ts'
import type { healthSchema } from '../../src/adapters/inbound/http/operator/health-report.ts'
import type { boardPageSchema } from '../../src/adapters/inbound/http/operator/incidents/board.ts'
import type { shownCardSchema } from '../../src/adapters/inbound/http/operator/incidents/card.ts'
import type { caseSchema } from '../../src/adapters/inbound/http/operator/incidents/case.ts'
import type { boardItemSchema } from '../../src/adapters/inbound/http/operator/incidents/item.ts'
import type { majorIncidentSchema } from '../../src/adapters/inbound/http/operator/incidents/major.ts'
import type { invitedUsersSchema } from '../../src/adapters/inbound/http/operator/invited-users.ts'
import type { letterSchema, messageSchema, userFeedbackSchema } from '../../src/adapters/inbound/http/operator/mail.ts'
import type { meSchema } from '../../src/adapters/inbound/http/operator/me.ts'
import type { onCallSchema } from '../../src/adapters/inbound/http/operator/on-call.ts'
import type { listedSchema } from '../../src/adapters/inbound/http/operator/operators.ts'
import type { sessionSchema } from '../../src/adapters/inbound/http/operator/own-account.ts'
import type {
  addChallengeSchema,
  challengeSchema,
  ownPasskeysSchema,
} from '../../src/adapters/inbound/http/operator/passkeys.ts'
import type { personSchema, writtenContactSchema } from '../../src/adapters/inbound/http/operator/people.ts'
import type { peopleImportSchema } from '../../src/adapters/inbound/http/operator/people-import.ts'
import type { operatorPushSchema } from '../../src/adapters/inbound/http/operator/push.ts'
import type { currentSchema } from '../../src/adapters/inbound/http/operator/session.ts'
import type { setupOfferSchema } from '../../src/adapters/inbound/http/operator/setup.ts'
import type { handedOverSchema, shiftSchema } from '../../src/adapters/inbound/http/operator/shift.ts'
import type { setupNewsSchema, siteSetupSchema } from '../../src/adapters/inbound/http/operator/site-setup-schemas.ts'
import type { backupsSchema, clockSchema, nodesSchema } from '../../src/adapters/inbound/http/operator/system.ts'
import type { previewSchema, textsSchema } from '../../src/adapters/inbound/http/operator/texts.ts'
import type { timersSchema } from '../../src/adapters/inbound/http/operator/timers.ts'
import type { tokenSchema } from '../../src/adapters/inbound/http/operator/tokens.ts'
import type { modelsSchema } from '../../src/adapters/inbound/http/operator/tracker-pairing.ts'
import type { tokenMadeSchema, trackerDetailSchema } from '../../src/adapters/inbound/http/operator/tracker-tokens.ts'
import type { importedSchema, trackerMade, trackerSchema } from '../../src/adapters/inbound/http/operator/trackers.ts'
import type { userDetailSchema, userSchema } from '../../src/adapters/inbound/http/operator/users.ts'
import type { userReadinessSchema } from '../../src/adapters/inbound/http/sdk/readiness.ts'

/**
 * The operator API's answers, as its own schemas have them (docs/reference/protocol.md#operator-api): a field that
 * changes there does not compile here. Types alone, so that nothing of the service is in the bundle.
 */
export type Me = z.infer<typeof meSchema>
export type Current = z.infer<typeof currentSchema>
export type Role = Me['role']
/** The operator that a link for the first sign-in is for. */
export type Invited = z.infer<typeof offerSchema>
/** The offer of the first administrator's address. */
export type SetupOffer = z.infer<typeof setupOfferSchema>

/** The site's settings, and the place of each. */
export type SiteSetup = z.infer<typeof siteSetupSchema>
export type SetupSetting = SiteSetup['settings'][number]
export type SetupNews = z.infer<typeof setupNewsSchema>['changes'][number]
export type SetupChange = SiteSetup['changes'][number]

export type Item = z.infer<typeof boardItemSchema>
export type Position = NonNullable<Item['position']>
export type Answer = NonNullable<Item['answer']>
export type EndOutcome = NonNullable<NonNullable<Item['closing']>['outcome']>

export type MajorIncident = z.infer<typeof majorIncidentSchema>

export type Case = z.infer<typeof caseSchema>
export type ShownCard = z.infer<typeof shownCardSchema>
export type ContactState = Case['contacts'][number]
export type TimelineRow = Case['timeline'][number]

export type Shift = z.infer<typeof shiftSchema>
export type OnCall = z.infer<typeof onCallSchema>
export type HandedOver = z.infer<typeof handedOverSchema>

export type Application = z.infer<typeof applicationSchema>
export type AppInvitation = z.infer<typeof invitationSchema>
export type InvitedUsers = z.infer<typeof invitedUsersSchema>
export type InvitationMade = z.infer<typeof madeSchema>
export type AppDevice = z.infer<typeof appDeviceSchema>
export type Tested = z.infer<typeof testedSchema>
export type OwnText = z.infer<typeof textsSchema>['items'][number]
export type Preview = z.infer<typeof previewSchema>
export type FirstSteps = z.infer<typeof firstStepsSchema>
export type User = z.infer<typeof userSchema>
export type UserDetail = z.infer<typeof userDetailSchema>
export type PeopleImport = z.infer<typeof peopleImportSchema>
export type Person = z.infer<typeof personSchema>
export type WrittenContact = z.infer<typeof writtenContactSchema>
export type Timer = z.infer<typeof timersSchema>['items'][number]
export type TrackerMade = z.infer<typeof trackerMade>
export type Models = z.infer<typeof modelsSchema>
export type Tracker = z.infer<typeof trackerSchema>
export type TrackerDetail = z.infer<typeof trackerDetailSchema>
export type TrackerToken = z.infer<typeof tokenMadeSchema>
export type ContactCheck = z.infer<typeof contactAskedSchema>
export type Imported = z.infer<typeof importedSchema>

export type Operator = z.infer<typeof listedSchema>
export type OperatorPush = z.infer<typeof operatorPushSchema>
export type Passkey = OwnPasskeys['items'][number]
export type OwnPasskeys = z.infer<typeof ownPasskeysSchema>
export type PasskeyChallenge = z.infer<typeof challengeSchema>
export type NewPasskeyChallenge = z.infer<typeof addChallengeSchema>
export type Token = z.infer<typeof tokenSchema>
export type Session = z.infer<typeof sessionSchema>
export type AuditRow = z.infer<typeof auditRowSchema>
export type Backups = z.infer<typeof backupsSchema>
export type Doctor = z.infer<typeof doctorSchema>
export type Clock = z.infer<typeof clockSchema>
export type Health = z.infer<typeof healthSchema>
export type Node = z.infer<typeof nodesSchema>['items'][number]
export type Message = z.infer<typeof messageSchema>
export type DeadLetter = z.infer<typeof letterSchema>
export type Feedback = z.infer<typeof userFeedbackSchema>

/** A whole list, and a page of one. */
export type Items<T> = { readonly items: readonly T[] }
export type Listed<T> = Items<T> & Omit<z.infer<typeof boardPageSchema>, 'items'>

export type DrillReport = z.infer<typeof drillReportSchema>
export type DrillsStarted = z.infer<typeof drillsStartedSchema>
export type DrillsEnded = z.infer<typeof drillsEndedSchema>
export type UserReadiness = z.infer<typeof userReadinessSchema>

export type Row = Readonly<Record<string, unknown>>
