import {
  BellRing,
  CheckCheck,
  CircleCheck,
  CircleX,
  Headset,
  type IconNode,
  Inbox,
  MessageSquare,
  NotebookPen,
  Phone,
  PhoneCall,
  Timer,
} from 'lucide'
import type { Case, TimelineRow } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { failureText } from '../logic/service-words.ts'
import { type Group, groupsOf } from '../logic/timeline.ts'
import { texts } from '../state/language.ts'
import { Panel } from './controls.tsx'
import { Icon } from './icon.tsx'
import { elapsed, Moment, moment } from './moment.tsx'
import { LateTag } from './urgency.tsx'
import { shownStatus, worded } from './wording.ts'

const icons: Readonly<Record<string, IconNode>> = {
  pressed: BellRing,
  pressed_again: BellRing,
  arrived: Inbox,
  overdue: Timer,
  message: MessageSquare,
  answered: CheckCheck,
  taken: Headset,
  note: NotebookPen,
  called_back: PhoneCall,
  closed: CircleCheck,
  action: Headset,
}

const iconOf = ({ kind, channel, status }: TimelineRow): IconNode =>
  status === 'failed' ? CircleX : kind === 'message' && channel === 'voice' ? Phone : (icons[kind] ?? CircleCheck)

const toneOf = ({ kind, status, mayHaveArrived, answer }: TimelineRow): string =>
  status === 'failed' && !mayHaveArrived
    ? 'bad'
    : kind === 'pressed' || kind === 'pressed_again' || kind === 'overdue'
      ? 'alarm'
      : (kind === 'answered' && answer !== 'unable') || kind === 'taken'
        ? 'good'
        : ''

type Names = ReadonlyMap<string, string>

/** An event, led by its author or recipient: `SMS to Ana`, `Eva: took it`, `Ana: Coming`. */
function titleOf({ kind, channel, contactId, answer, etaMinutes, action, by }: TimelineRow, names: Names): string {
  const t = texts.value
  const name = names.get(contactId ?? '') ?? null
  const word = worded(t.timeline.kinds, kind)
  if (kind === 'message' && channel !== undefined) return t.next.message(worded(t.channels, channel), name)
  if (kind === 'answered' && answer !== undefined && name !== null) {
    return t.labelled(name, answer === 'coming' ? t.comingIn(etaMinutes ?? 0) : worded(t.responses, answer))
  }
  const who = readable(by ?? null)
  if (who === null || kind === 'closed') return word
  return t.labelled(who, action === undefined ? word : worded(t.timeline.actions, action))
}

/** Further details of the event. */
function factsOf(row: TimelineRow, names: Names): string {
  const t = texts.value
  return [
    row.action && row.by == null && worded(t.timeline.actions, row.action),
    row.from && t.shift.from(readable(row.from) ?? t.somebody),
    row.kind !== 'message' && row.kind !== 'answered' && row.contactId && names.get(row.contactId),
    row.purpose && row.purpose !== 'alarm' && worded(t.timeline.purposes, row.purpose),
    row.status && worded(t.statuses, shownStatus(row.status, row.mayHaveArrived)),
    row.kind === 'closed' && row.by && worded(t.closedBy, row.by),
    row.name,
    row.outcome && t.outcomes[row.outcome],
    row.dueAt && moment(row.dueAt),
    row.pressedAt && t.later(elapsed(Date.parse(row.at) - Date.parse(row.pressedAt))),
    row.note,
    row.error && failureText(row.error, t),
  ]
    .filter(Boolean)
    .join(' · ')
}

type Told = { readonly from: number; readonly names: Names }

/** When, as on a clock and since the press: nobody has to subtract at night. */
function Row({ row, from, names }: Told & { readonly row: TimelineRow }) {
  const t = texts.value
  const since = Date.parse(row.at) - from
  return (
    <li class={toneOf(row)}>
      <span class="when">
        <Moment at={row.at} />
        {since > 0 && <small>{t.afterPress(elapsed(since))}</small>}
      </span>
      <Icon of={iconOf(row)} />
      <span>
        {titleOf(row, names)} {row.late && <LateTag />}
        <small>{factsOf(row, names)}</small>
        {row.text && <span class="said-text">{row.text}</span>}
      </span>
    </li>
  )
}

function Round({ group, isLast, ...told }: Told & { readonly group: Group<TimelineRow>; readonly isLast: boolean }) {
  const t = texts.value
  const failed = group.rows.filter((row) => toneOf(row) === 'bad').length
  return (
    <li class="round">
      <details open={isLast}>
        <summary>
          {t.timeline.round(group.round!)} <small>{t.timeline.messages(group.rows.length, failed)}</small>
        </summary>
        <ol>
          {group.rows.map((row, n) => (
            <Row key={`${row.at}${n}`} row={row} {...told} />
          ))}
        </ol>
      </details>
    </li>
  )
}

/** Everything that happened, oldest first; the messages of an earlier round are one line until somebody looks. */
export function Timeline({ found }: { readonly found: Case }) {
  const t = texts.value
  const names = new Map(found.contacts.map(({ contactId, name }) => [contactId, readable(name) ?? t.somebody]))
  const groups = groupsOf(found.timeline)
  const told = { from: Date.parse(found.incident.pressedAt), names }
  return (
    <Panel title={t.timeline.title}>
      <ol class="timeline">
        {groups.map((group, n) =>
          group.round === null ? (
            group.rows.map((row, at) => <Row key={`${row.at}${row.kind}${at}`} row={row} {...told} />)
          ) : (
            <Round key={`${group.round} ${n}`} group={group} isLast={n >= groups.length - 2} {...told} />
          ),
        )}
      </ol>
    </Panel>
  )
}
