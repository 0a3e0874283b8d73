import type { PlanSettings } from '../core/account/settings.ts'
import type { AccountStore, AdmissionStore, ContactStore, ErasureStore, UserAdministration } from './account-store.ts'
import type { ApplicationStore, UnnamedEndsStore } from './application-store.ts'
import type { BoardStore } from './board-store.ts'
import type { CardStore } from './card-store.ts'
import type { CertificateStore } from './certificate-store.ts'
import type { ClockStore } from './clock-store.ts'
import type { DeviceStore, FeedbackStore, HardwareRegistry } from './device-store.ts'
import type { EnrolmentStore } from './enrolment-store.ts'
import type { FieldStore } from './field-store.ts'
import type { DrillStore, DueIncidents, IncidentStore } from './incident-store.ts'
import type { MailStore } from './mail-store.ts'
import type { TurnStore } from './node-store.ts'
import type { OnCallStore } from './on-call-store.ts'
import type { OperatorPushStore } from './operator-push-store.ts'
import type { AuditStore, CaseStore, OperatorStore } from './operator-store.ts'
import type { PasskeyStore } from './passkey-store.ts'
import type { PushStore } from './push-store.ts'
import type { RemovalTextStore } from './removal-text-store.ts'
import type { SettingsStore } from './settings-store.ts'
import type { SetupStore } from './setup-store.ts'
import type { ShiftStore } from './shift-store.ts'
import type { SilenceStore } from './silence-store.ts'
import type { SmsStore } from './sms-store.ts'
import type { TalkStore } from './talk-store.ts'
import type { TelemetryStore } from './telemetry-store.ts'
import type { TimerStore } from './timer-store.ts'
import type { NoticeStore, RetentionStore, Upkeep, UrgencyStore } from './upkeep.ts'
import type { VerificationStore } from './verification-store.ts'

export type * from './account-store.ts'
export type * from './application-store.ts'
export type * from './application-store.ts'
export type * from './board-store.ts'
export type * from './card-store.ts'
export type * from './certificate-store.ts'
export type * from './clock-store.ts'
export type * from './device-store.ts'
export type * from './enrolment-store.ts'
export type * from './field-store.ts'
export type * from './incident-store.ts'
export type * from './mail-store.ts'
export type * from './on-call-store.ts'
export type * from './operator-push-store.ts'
export type * from './operator-store.ts'
export type * from './page.ts'
export type * from './passkey-store.ts'
export type * from './push-store.ts'
export type * from './removal-text-store.ts'
export type * from './settings-store.ts'
export type * from './setup-store.ts'
export type * from './shift-store.ts'
export type * from './silence-store.ts'
export type * from './sms-store.ts'
export * from './store-error.ts'
export type * from './talk-store.ts'
export type * from './telemetry-store.ts'
export type * from './timer-store.ts'
export type * from './upkeep.ts'
export type * from './verification-store.ts'

/**
 * Everything the service keeps. Asynchronous, so that the adapter can batch writes into one commit. The promise of a
 * write settles after the commit is on disk. It rejects with a `StoreError` if nothing was stored, or if that is
 * unknown.
 */
export type Store = IncidentStore &
  DueIncidents &
  DrillStore &
  BoardStore &
  TelemetryStore &
  AdmissionStore &
  AccountStore &
  ContactStore &
  CardStore &
  VerificationStore &
  SmsStore &
  UserAdministration &
  EnrolmentStore &
  PushStore &
  RemovalTextStore &
  PasskeyStore &
  OperatorPushStore &
  ErasureStore &
  ApplicationStore &
  DeviceStore &
  HardwareRegistry &
  FeedbackStore &
  FieldStore &
  MailStore &
  OperatorStore &
  SetupStore &
  AuditStore &
  CaseStore &
  ShiftStore &
  OnCallStore &
  SettingsStore &
  SilenceStore &
  TalkStore &
  TimerStore &
  ClockStore &
  NoticeStore &
  RetentionStore &
  UrgencyStore &
  UnnamedEndsStore &
  CertificateStore &
  Upkeep & {
    /** Absent: one node has the store to itself. */
    readonly turns?: TurnStore
    /** Alarms from here on are planned with these settings in place of those that the store was opened with. */
    planWith(defaults: PlanSettings): Promise<void>
  }
