import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { AppInvitation, Application, InvitationMade, Items } from '../api/types.ts'
import { Confirm, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { INVITATION_SHOWN_MS, Invitation, type ShownInvitation } from '../parts/invitation.tsx'
import { InvitedPeople } from '../parts/invited-people.tsx'
import { Table, useRead } from '../parts/listing.tsx'
import { Moment, moment } from '../parts/moment.tsx'
import { useShownOnce } from '../parts/shown-once.ts'
import { Small } from '../parts/small.tsx'
import { useTask } from '../parts/task.ts'
import { now } from '../state/clock.ts'
import { allTexts } from '../state/language.ts'
import { mayAct, mayAdminister } from '../state/session.ts'

/** As the service has it. */
const MAX_PLACES = 10_000

/** The invitations to the app, how many have joined by each, and new ones: for one person, or to print. */
export function AppInvitations({ application }: { readonly application: Application }) {
  const t = allTexts.value.invitations
  const path = `/applications/${application.applicationId}/app-invitations`
  const { found, problem, again } = useRead<Items<AppInvitation>>(path)
  const task = useTask()
  const [places, count] = useState('100')
  const [label, write] = useState('')
  const [ending, askToEnd] = useState<AppInvitation | null>(null)
  const [peopleOf, showPeople] = useState<AppInvitation | null>(null)
  const { shown, show, hide } = useShownOnce<ShownInvitation>(INVITATION_SHOWN_MS)
  const make = (given: object): void =>
    void task.run(async () => {
      const made = await send<InvitationMade>(path, given)
      show({ made, application })
      write('')
      again()
    })
  const end = ({ id }: AppInvitation): void =>
    void task
      .run(() => send(`${path}/${id}/end`))
      .then((done) => {
        askToEnd(null)
        if (done && shown?.secret.made.id === id) hide()
        again()
      })
  return (
    <Panel title={t.title}>
      <Problem text={problem} />
      {found !== null && (
        <Table
          label={t.title}
          items={found.items}
          columns={[
            [
              t.kind,
              ({ kind, label }) => (
                <>
                  {t.kinds[kind] ?? kind}
                  {label !== null && (
                    <>
                      <br />
                      <small class="quiet">{label}</small>
                    </>
                  )}
                </>
              ),
            ],
            [t.used, ({ used, places }) => t.usedOf(used, places)],
            [t.until, (invitation) => stateOf(invitation)],
            [t.madeBy, ({ createdBy }) => createdBy],
            [
              allTexts.value.actions,
              (invitation) => {
                const of = invitation.label ?? moment(invitation.createdAt)
                return (
                  <>
                    {mayAct.value && invitation.works && (
                      <Small text={t.end} of={of} disabled={task.busy} onClick={() => askToEnd(invitation)} />
                    )}
                    {mayAdminister.value && invitation.kind === 'poster' && invitation.used > 0 && (
                      <Small text={t.people} of={of} onClick={() => showPeople(invitation)} />
                    )}
                  </>
                )
              },
            ],
          ]}
        />
      )}
      {shown !== null && (
        <Invitation key={shown.secret.made.id} shown={shown.secret} until={shown.until} onHide={hide} />
      )}
      {mayAdminister.value && shown === null && (
        <>
          <div class="actions">
            <button type="button" disabled={task.busy} onClick={() => make({ kind: 'person' })}>
              {t.person}
            </button>
          </div>
          <Form onSend={() => make({ kind: 'poster', places: Number(places), label: label.trim() || null })}>
            <Field
              label={t.places}
              type="number"
              min={1}
              max={MAX_PLACES}
              required
              value={places}
              onInput={(event) => count(event.currentTarget.value)}
            />
            <Field
              label={t.label}
              maxLength={200}
              value={label}
              onInput={(event) => write(event.currentTarget.value)}
            />
            <p class="quiet">{t.posterMeans}</p>
            <button type="submit" disabled={task.busy}>
              {t.poster}
            </button>
          </Form>
        </>
      )}
      <Problem text={task.problem} />
      {peopleOf !== null && (
        <InvitedPeople
          path={path}
          invitation={peopleOf}
          onClose={() => {
            showPeople(null)
            again()
          }}
        />
      )}
      {ending !== null && (
        <Confirm title={t.endAsk} yes={t.end} busy={task.busy} onYes={() => end(ending)} onNo={() => askToEnd(null)}>
          <p>{t.endMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}

/** Until when an invitation works, or why it does not. */
function stateOf({ works, endedAt, used, places, expiresAt }: AppInvitation) {
  const t = allTexts.value.invitations
  if (works) return <Moment at={expiresAt} />
  if (endedAt !== null) return t.isEnded
  if (used >= places) return t.isFull
  return Date.parse(expiresAt) <= now.value ? t.isOver : <Moment at={expiresAt} />
}
