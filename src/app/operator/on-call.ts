import type { OnCallChange, OnCallRefusal } from '../../core/account/decide-on-call.ts'
import { dutiesBetween, nextHandOver, type OnCall, type OnCallPerson } from '../../core/account/on-call.ts'
import { type OnCallFinding, onCallFindings } from '../../core/account/on-call-findings.ts'
import type { OnCallGiven } from '../../core/account/on-call-schema.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { onCallText } from '../../core/message/on-call-text.ts'
import type { AuditEntry } from '../../core/operator/audit.ts'
import { type Grant, mayDo } from '../../core/operator/role.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { DAY, HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { OnCallStore } from '../../ports/store.ts'
import { loneText } from '../sending/lone-text.ts'
import { type By, rowBy } from './by.ts'

/** The days that a view shows, by default and at most. */
const SHOWN_MS = 14 * DAY
const MAX_SHOWN_MS = 62 * DAY
/** Texts to people who are put on the list: each costs money, and may reach a stranger. */
const TEXTS = { times: 60, perMs: HOUR }

export type OnCallNeeds = {
  readonly store: OnCallStore
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Log
  readonly machineTimeZone: () => string
  /** The host of `publicUrl`, or the product. */
  readonly siteName: () => string
  readonly sendText: (text: TextNotification) => Promise<AttemptOutcome>
  /** The list was changed. */
  readonly onChanged?: () => void
}

type Asker = By & { readonly grant: Grant }
type Asked = { readonly personId?: string; readonly from?: number; readonly until?: number }
type Shown = { readonly from?: number; readonly until?: number }
export type OnCallView = ReturnType<typeof viewOf>
type Answer = OnCallView | { readonly refused: OnCallRefusal }

/** The on-call list for operators: who is on duty, and changes to it. Rejects only with a StoreError. on-call.md. */
export function operatorOnCall(needs: OnCallNeeds) {
  const { store, clock, ids, machineTimeZone, onChanged = () => {} } = needs
  const texts = new RateLimiter(TEXTS, 1)
  const { tellAll, told } = tellsPeople(needs, () => texts.take('', clock.now()))

  const changed = async (
    change: OnCallChange,
    asker: Asker,
    row: Pick<AuditEntry, 'action'> & Partial<AuditEntry>,
  ): Promise<Answer> => {
    const done = await store.changeOnCall(change, rowBy(asker, row))
    if ('refused' in done) return done
    onChanged()
    return viewOf(done.onCall, asker, {})
  }

  const takes = async (asker: Asker, asked: Asked, isOwn: boolean): Promise<Answer> => {
    const onCall = await store.onCall()
    const personId = isOwn ? ownOf(onCall, asker)?.id : asked.personId
    if (onCall === null || personId === undefined) return { refused: 'on_call_person_not_found' }
    const { now } = asker
    const from = asked.from ?? now
    const until = asked.until ?? nextHandOver(onCall, Math.max(from, now))
    const override = { id: ids.uuid(), personId, from, until, setAt: now }
    const details = { person: personId, from: isoOf(from), until: isoOf(until) }
    const action = isOwn ? 'on_call.take' : 'on_call.change'
    return changed({ kind: 'override', override, isOwn }, asker, { action, subject: override.id, details })
  }

  return {
    async view(asker: Asker, shown: Shown = {}): Promise<OnCallView> {
      return viewOf(await store.onCall(), asker, shown)
    },

    /** Sets everything but the overrides, and tells new numbers in the background. */
    async set(asker: Asker, given: OnCallGiven): Promise<Answer> {
      const change = { kind: 'set', given, now: asker.now, defaultTimeZone: machineTimeZone() } as const
      const details = { people: given.people.length, turns: given.order.length, everyDays: given.everyDays }
      const done = await store.changeOnCall(change, rowBy(asker, { action: 'on_call.change', details }))
      if ('refused' in done) return done
      onChanged()
      tellAll(done.onCall)
      return viewOf(done.onCall, asker, {})
    },

    /** Puts somebody on duty for a while. */
    override: (asker: Asker, asked: Asked): Promise<Answer> => takes(asker, asked, false),
    /** The caller takes a duty. */
    take: (asker: Asker, asked: Omit<Asked, 'personId'>): Promise<Answer> => takes(asker, asked, true),

    remove: (asker: Asker, id: string): Promise<Answer> =>
      changed({ kind: 'remove', id, ownerId: null, now: asker.now }, asker, { action: 'on_call.change', subject: id }),

    /** The caller gives back the duty that they have taken. */
    async giveBack(asker: Asker, id: string): Promise<Answer> {
      const own = ownOf(await store.onCall(), asker)
      if (own === null) return { refused: 'override_not_found' }
      const change = { kind: 'remove', id, ownerId: own.id, now: asker.now } as const
      return changed(change, asker, { action: 'on_call.take', subject: id, details: { back: true } })
    },

    /** Resolves when every new number has been told. */
    told,

    /** An administrator has looked at the list, and it is right. */
    confirm: (asker: Asker, version: number): Promise<Answer> =>
      changed({ kind: 'review', version, now: asker.now }, asker, {
        action: 'on_call.change',
        details: { confirmed: true },
      }),
  }
}

export type OperatorOnCall = ReturnType<typeof operatorOnCall>

const isoOf = (at: number): string => isoAt(at)

/** The entry of the asking operator, if they have one. */
const ownOf = (onCall: OnCall | null, { actor }: Pick<By, 'actor'>): OnCallPerson | null =>
  actor.id === null ? null : (onCall?.people.find(({ operatorId }) => operatorId === actor.id) ?? null)

/** Numbers are shown to administrators of the site, and everybody sees their own. */
function viewOf(onCall: OnCall | null, { actor, grant, now }: Asker, { from = now, until }: Shown) {
  const own = ownOf(onCall, { actor })
  const seesAll = mayDo(grant, 'on_call.change', null)
  const end = Math.min(until ?? from + SHOWN_MS, from + MAX_SHOWN_MS)
  const duties = onCall === null || end <= from ? [] : dutiesBetween(onCall, from, end)
  const current = onCall === null ? undefined : dutiesBetween(onCall, now, now + SHOWN_MS)[0]
  return {
    list: onCall && {
      version: onCall.version,
      timeZone: onCall.timeZone,
      afterMinutes: onCall.afterMinutes,
      handOverAt: onCall.handOverAt,
      startsOn: onCall.startsOn,
      everyDays: onCall.everyDays,
      order: onCall.order,
      people: onCall.people.map(({ id, name, phone, language, operatorId, told, isDisabled = false }) => ({
        ...{ id, name, phone: seesAll || id === own?.id ? phone : null, language, operatorId },
        disabled: isDisabled,
        told: told && { at: isoAt(told.at), accepted: told.accepted },
      })),
      overrides: onCall.overrides.map((one) => ({
        ...{ id: one.id, personId: one.personId },
        ...{ from: isoAt(one.from), until: isoAt(one.until), setAt: isoAt(one.setAt) },
      })),
      reviewedAt: isoAt(onCall.reviewedAt),
    },
    now: {
      personId: current?.person?.id ?? null,
      name: current?.person?.name ?? null,
      until: current === undefined ? null : isoAt(current.until),
    },
    duties: duties.map((duty) => ({
      from: isoAt(duty.from),
      until: isoAt(duty.until),
      personId: duty.person?.id ?? null,
      name: duty.person?.name ?? null,
      overrideId: duty.overrideId,
    })),
    ownPersonId: own?.id ?? null,
    findings: onCallFindings(onCall, now).map(findingView),
  }
}

const findingView = (finding: OnCallFinding) =>
  finding.code === 'on_call_gap'
    ? { code: finding.code, from: isoAt(finding.from), until: isoAt(finding.until), names: [] }
    : finding.code === 'on_call_stale'
      ? { code: finding.code, from: isoAt(finding.reviewedAt), until: null, names: [] }
      : { code: finding.code, from: null, until: null, names: finding.names }

/** Tells numbers that they are on the list, one after the other, behind every alarm. on-call.md#numbers. */
function tellsPeople({ store, clock, ids, log, siteName, sendText }: OnCallNeeds, mayText: () => boolean) {
  let last: Promise<void> = Promise.resolve()

  const tell = async ({ id, phone, language }: OnCallPerson): Promise<void> => {
    // Another save, or another node, may have done it since.
    const current = (await store.onCall())?.people.find((one) => one.id === id)
    if (current?.phone !== phone || current.told?.accepted === true) return
    if (!mayText()) {
      log.warn({ personId: id }, 'too many texts to people on call: this one is left out; save the list again later')
      return
    }
    const at = clock.now()
    const said = onCallText(language, siteName())
    const text = { attemptId: `on-call-${ids.uuid()}`, claimedAt: at, purpose: 'verification', to: phone } as const
    const outcome = await sendText(loneText({ ...text, channel: 'sms', ...said }))
    const accepted = outcome.kind === 'sent' || outcome.kind === 'delivered'
    await store.noteToldOnCall({ personId: id, phone, at, accepted })
  }

  const tellAll = ({ people }: OnCall): void => {
    for (const person of people.filter(({ told }) => told?.accepted !== true)) {
      last = last
        .then(() => tell(person))
        .catch((err) =>
          log.warn({ err, personId: person.id }, 'could not tell a number that it is on the on-call list'),
        )
    }
  }
  return { tellAll, told: () => last }
}
