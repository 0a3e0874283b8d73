import { byName } from '../shared/by-name.ts'
import { CALL_BYTES } from '../shared/commit-limits.ts'
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
import type { CommitLane } from './engine/commit-lane.ts'
import type { Write, WriteCall } from './engine/write.ts'
import { clientWrites, noticeWrites } from './notices/notices.ts'
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
import { sharedKeyWrites } from './upkeep/shared-keys.ts'
import { siteTimeWrites } from './upkeep/site-time.ts'
import { trimWrites } from './upkeep/trim.ts'
import { unnamedEndWrites } from './upkeep/unnamed-ends.ts'

const plain = {
  ...accountWrites,
  ...contactWrites,
  ...cardWrites,
  ...verificationWrites,
  ...enrolmentWrites,
  ...pushWrites,
  ...removalTextWrites,
  ...smsWrites,
  ...applicationWrites,
  ...deviceWrites,
  ...feedbackWrites,
  ...fieldWrites,
  ...silenceWrites,
  ...operatorWrites,
  ...operatorPushWrites,
  ...setupWrites,
  ...caseWrites,
  ...onCallWrites,
  ...shiftWrites,
  ...settingsWrites,
  ...talkWrites,
  ...timerWrites,
  ...sharedKeyWrites,
  ...clientWrites,
}

/** Writes with their own transaction and a waiting caller. */
export const accounts = { ...plain, ...auditedWrites(plain) }

/** Writes that can wait, and rare ones of the operator. */
export const upkeep = {
  ...erasureWrites,
  ...clockWrites,
  ...siteTimeWrites,
  ...noticeWrites,
  ...retentionWrites,
  ...compactionWrites,
  ...placingWrites,
  ...unnamedEndWrites,
  ...certificateWrites,
  ...trimWrites,
}

type Writes = Readonly<Record<string, Write<never, unknown>>>
type Methods<T extends Writes> = {
  readonly [N in keyof T]: T[N] extends Write<infer A, infer R> ? (...args: A) => Promise<R> : never
}

/** The writes as the port declares them. */
export const methodsOn = <T extends Writes>(lane: CommitLane<WriteCall, unknown>, writes: T): Methods<T> =>
  byName(Object.keys(writes), (name) => {
    const write = writes[name]!
    return (...args: never) => lane.write({ write, args }, { sender: write.sender?.(...args) ?? '', bytes: CALL_BYTES })
  })
