import type { KnownActor } from '../../core/operator/audit.ts'
import { inNextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  AccountStore,
  BoardStore,
  CardStore,
  CaseStore,
  ContactStore,
  IncidentStore,
  TalkStore,
  TelemetryStore,
} from '../../ports/store.ts'
import { newestBatteries } from '../sending/newest-batteries.ts'
import { type IncidentCase, incidentCase } from './incident-case.ts'
import { type ReadTalkTexts, talkTexts } from './talk-texts.ts'

/** The most history that one incident shows. */
const MAX_SHOWN_ATTEMPTS = 1_000
const MAX_SHOWN_PRESSES = 1_000
const MAX_SHOWN_ACTIONS = 500
const MAX_SHOWN_LINES = 500

export type ReadForCase = BoardStore &
  CaseStore &
  Pick<IncidentStore, 'attempts' | 'positionTrail'> &
  Pick<AccountStore, 'user'> &
  Pick<CardStore, 'card'> &
  Pick<ContactStore, 'contacts'> &
  Pick<TalkStore, 'talkLines'> &
  Pick<TelemetryStore, 'telemetryHistory'> &
  ReadTalkTexts

/**
 * Builds a case for its viewer, in pieces, so that alarms get their turn in between. Null: there is no such incident.
 */
export const caseReader =
  ({ store, clock }: { readonly store: ReadForCase; readonly clock: Pick<Clock, 'now'> }) =>
  async (incidentId: string, { actor }: { readonly actor: KnownActor }): Promise<IncidentCase | null> => {
    const record = await store.boardRecord(incidentId)
    if (record === null) return null
    const { incident } = record
    const records = {
      record,
      user: await inNextTurn(() => store.user(incident.userId)),
      attempts: (await inNextTurn(() => store.attempts(incidentId, MAX_SHOWN_ATTEMPTS))).slice(-MAX_SHOWN_ATTEMPTS),
      batteries: await inNextTurn(() => newestBatteries(store, incident)),
      hasCard: (await inNextTurn(() => store.card(incident.userId))) !== null,
      trail: await inNextTurn(() => store.positionTrail(incidentId)),
      pressTimes: await inNextTurn(() => store.pressTimes(incidentId, MAX_SHOWN_PRESSES)),
      actions: await inNextTurn(() => store.incidentActions(incidentId, MAX_SHOWN_ACTIONS)),
      talk: {
        lines: await inNextTurn(() => store.talkLines(incidentId, 0, MAX_SHOWN_LINES)),
        known: await inNextTurn(() => store.contacts(incident.userId)),
        sms: await talkTexts(store, incident, clock.now()),
      },
      notes: await inNextTurn(() => store.incidentNotes(incidentId)),
      calledBack: await inNextTurn(() => store.calledBackTicks(incidentId)),
    }
    const found = await inNextTurn(() => incidentCase(records, { operatorId: actor.id, now: clock.now() }))
    // Serialising it as JSON is another piece.
    return inNextTurn(() => found)
  }
