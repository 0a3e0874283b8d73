import type { SharedWrites } from '../shared/writes.ts'
import { cardWrites } from './accounts/cards.ts'
import { accountWrites } from './accounts/change-account.ts'
import { applicationWrites } from './accounts/change-application.ts'
import { contactWrites } from './accounts/change-contacts.ts'
import { enrolmentWrites } from './accounts/enrol.ts'
import { erasureWrites } from './accounts/erase-user.ts'
import { pushWrites } from './accounts/push.ts'
import { smsWrites } from './accounts/sms-sos.ts'
import { verificationWrites } from './accounts/verify-contacts.ts'
import { deviceWrites } from './devices/change-devices.ts'
import { feedbackWrites } from './devices/feedback.ts'
import { fieldWrites } from './devices/field-devices.ts'
import { silenceWrites } from './devices/silence.ts'
import { planningWrites } from './engine/plan-with.ts'
import { proofWrites } from './engine/prove-writable.ts'
import type { WriteRule, WritesOf } from './engine/write.ts'
import { incidentWrites } from './incidents/change-incident.ts'
import { mailWrites } from './mail/keep-mail.ts'
import { noticeWrites } from './notices/notices.ts'
import { auditedWrites } from './operators/audited-writes.ts'
import { caseWrites } from './operators/change-cases.ts'
import { operatorWrites } from './operators/change-operators.ts'
import { onCallWrites } from './operators/on-call.ts'
import { operatorPushWrites } from './operators/operator-pushes.ts'
import { settingsWrites } from './operators/settings.ts'
import { setupWrites } from './operators/setup.ts'
import { shiftWrites } from './operators/shifts.ts'
import { removalTextWrites } from './removals/removal-texts.ts'
import { talkWrites } from './talk/change-talk.ts'
import { timerWrites } from './timers/change-timers.ts'
import { certificateWrites } from './upkeep/certificates.ts'
import { clockWrites } from './upkeep/clock.ts'
import { compactionWrites } from './upkeep/compact-rows.ts'
import { placingWrites } from './upkeep/place-on-board.ts'
import { retentionWrites } from './upkeep/retention.ts'
import { unnamedEndWrites } from './upkeep/unnamed-ends.ts'

const plain = {
  ...incidentWrites,
  ...accountWrites,
  ...contactWrites,
  ...cardWrites,
  ...verificationWrites,
  ...enrolmentWrites,
  ...pushWrites,
  ...removalTextWrites,
  ...smsWrites,
  ...applicationWrites,
  ...erasureWrites,
  ...deviceWrites,
  ...feedbackWrites,
  ...fieldWrites,
  ...silenceWrites,
  ...mailWrites,
  ...operatorWrites,
  ...operatorPushWrites,
  ...setupWrites,
  ...caseWrites,
  ...onCallWrites,
  ...shiftWrites,
  ...settingsWrites,
  ...talkWrites,
  ...timerWrites,
  ...clockWrites,
  ...noticeWrites,
  ...retentionWrites,
  ...compactionWrites,
  ...placingWrites,
  ...unnamedEndWrites,
  ...certificateWrites,
  ...proofWrites,
  ...planningWrites,
}

/** Every kind of write, by name. Telemetry rows are not among them: they have their own path into a commit. */
export const writes = { ...plain, ...auditedWrites(plain) } satisfies WritesOf<SharedWrites>

type Writes = typeof writes
export type WriteName = keyof Writes
export type Arguments<N extends WriteName> = Writes[N]['run'] extends (parts: never, ...args: infer A) => unknown
  ? A
  : never
export type Result<N extends WriteName> = ReturnType<Writes[N]['run']>

/** One write on its way between the threads: its name, its moment (epoch ms, or 0) and its arguments. */
export type WriteCall = readonly [name: WriteName, moment: number, args: readonly unknown[]]

/** The rule of a write, with the types of its arguments erased. */
export const ruleOf = (name: WriteName): WriteRule<readonly unknown[]> =>
  writes[name] as unknown as WriteRule<readonly unknown[]>
