import type { AuditedName, Store } from '../../../ports/store.ts'

type Kinds = { readonly [N in AuditedName]: 'audited' } & {
  readonly [N in Exclude<keyof Store, AuditedName>]?: 'plain'
}

/**
 * The writes of the port that each store implements under their names, and passes on as they are. `audited`: an
 * operator's change runs it, too, together with its row of the audit log.
 */
const kinds = {
  updateProfile: 'audited',
  addPerson: 'audited',
  updatePerson: 'audited',
  addContact: 'audited',
  updateContact: 'audited',
  removeContact: 'audited',
  markContact: 'plain',
  reorderContacts: 'audited',
  keepCard: 'audited',
  removeCard: 'audited',
  requestVerification: 'audited',
  claimVerification: 'plain',
  releaseVerification: 'plain',
  answerVerification: 'plain',
  requestPhoneCode: 'plain',
  provePhone: 'plain',
  changeSmsCode: 'plain',
  noteSmsAlert: 'plain',
  updateSmsAlert: 'plain',
  changeSmsTalk: 'plain',
  setUserDisabled: 'audited',
  setUserRelay: 'audited',
  eraseUser: 'plain',
  createApplication: 'audited',
  updateApplication: 'audited',
  setText: 'audited',
  setActuator: 'audited',
  addSecret: 'audited',
  retireSecret: 'audited',
  tryCode: 'plain',
  beginPairing: 'plain',
  pair: 'audited',
  unpair: 'plain',
  registerHardware: 'audited',
  unpairHardware: 'audited',
  addFeedback: 'plain',
  keepFieldState: 'plain',
  noteHeard: 'plain',
  keepSilence: 'plain',
  watchHardware: 'audited',
  setDeviceToken: 'audited',
  addOperator: 'plain',
  updateOperator: 'plain',
  invite: 'plain',
  acceptInvitation: 'plain',
  offerSetup: 'plain',
  useSetup: 'plain',
  openSession: 'plain',
  changePassword: 'plain',
  proveSession: 'plain',
  replaceRecoveryCodes: 'plain',
  sessionSeen: 'plain',
  endSession: 'plain',
  addToken: 'plain',
  apiTokenUsed: 'plain',
  revokeToken: 'plain',
  addAuditRow: 'plain',
  addIncidentNote: 'plain',
  tickCalledBack: 'plain',
  addTalkLine: 'plain',
  setTimer: 'audited',
  extendTimer: 'audited',
  endTimer: 'audited',
  raiseTimer: 'plain',
  takeReminders: 'plain',
  offerHandOver: 'plain',
  answerHandOver: 'plain',
  removeHandOver: 'plain',
  keepShiftNote: 'plain',
  removeShiftNote: 'plain',
  changeOnCall: 'plain',
  noteToldOnCall: 'plain',
  noteBoardWatched: 'plain',
  changeSettings: 'plain',
  anchorTimers: 'plain',
  countTimerText: 'plain',
  keepClock: 'plain',
  acceptClock: 'plain',
  deleteExpired: 'plain',
  compactRows: 'plain',
  inviteToApp: 'audited',
  endAppInvitation: 'audited',
  setInvitedDisabled: 'audited',
  enrol: 'plain',
  noteAppDeviceUsed: 'plain',
  removeAppDevice: 'audited',
  removeDueAppDevices: 'plain',
  setErasesAt: 'audited',
  keepPushKey: 'plain',
  keepPushSubscription: 'plain',
  removePushSubscription: 'plain',
  claimPush: 'plain',
  notePush: 'plain',
  placeOnBoard: 'plain',
  addUnnamedEnds: 'plain',
  keepCertificateRecord: 'plain',
} as const satisfies Kinds

type WriteName = keyof typeof kinds

export const writeNames = Object.keys(kinds) as readonly WriteName[]
/** The writes as the port declares them. */
export type SharedWrites = Pick<Store, WriteName>

/** The reads of a port: everything but its writes. */
export type ReadsOf<Port> = Omit<Port, WriteName>

export const auditedNames = writeNames.filter((name): name is AuditedName => kinds[name] === 'audited')
