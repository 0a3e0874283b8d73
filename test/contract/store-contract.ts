import { after, suite } from 'node:test'
import { accountContract } from './accounts.ts'
import { auditedContract } from './audited.ts'
import { boardContract } from './board.ts'
import { canaryContract } from './canary.ts'
import { cardContract } from './cards.ts'
import { certificateContract } from './certificates.ts'
import { contactContract } from './contacts.ts'
import { deviceContract } from './devices.ts'
import { drillContract } from './drills.ts'
import { endContract } from './ends.ts'
import { enrolmentContract } from './enrolment.ts'
import { erasureContract } from './erasure.ts'
import { historyContract } from './history.ts'
import { incidentContract } from './incidents.ts'
import { mailContract } from './mail.ts'
import { majorContract } from './major.ts'
import { noticeContract } from './notices.ts'
import { onCallContract } from './on-call.ts'
import { operatorContract } from './operator.ts'
import { operatorAccountContract } from './operator-accounts.ts'
import { pushContract } from './pushes.ts'
import { putOffContract } from './put-off.ts'
import { relayContract } from './relay.ts'
import { repeatContract } from './repeats.ts'
import { retentionContract } from './retention.ts'
import { scopedPageContract } from './scoped-pages.ts'
import { settingsContract } from './settings.ts'
import { setupContract } from './setup.ts'
import { shiftContract } from './shifts.ts'
import { silenceContract } from './silence.ts'
import type { StoreUnderTest } from './site.ts'
import { smsSosContract } from './sms-sos.ts'
import { talkContract } from './talk.ts'
import { telemetryContract } from './telemetry.ts'
import { timerContract } from './timers.ts'
import { trailContract } from './trail.ts'
import { upkeepContract } from './upkeep.ts'
import { verificationContract } from './verification.ts'

/** What every store adapter must do, whatever its database. */
export function storeContract(subject: StoreUnderTest): void {
  suite(`the store contract: ${subject.name}`, { concurrency: false }, () => {
    after(() => subject.end?.())
    for (const part of [
      incidentContract,
      repeatContract,
      endContract,
      putOffContract,
      relayContract,
      trailContract,
      historyContract,
      boardContract,
      majorContract,
      canaryContract,
      telemetryContract,
      accountContract,
      contactContract,
      enrolmentContract,
      pushContract,
      verificationContract,
      smsSosContract,
      drillContract,
      deviceContract,
      operatorContract,
      operatorAccountContract,
      setupContract,
      shiftContract,
      onCallContract,
      settingsContract,
      auditedContract,
      scopedPageContract,
      mailContract,
      noticeContract,
      silenceContract,
      timerContract,
      talkContract,
      upkeepContract,
      cardContract,
      certificateContract,
      retentionContract,
      erasureContract,
    ]) {
      part(subject)
    }
  })
}
