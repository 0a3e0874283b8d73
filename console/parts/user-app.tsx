import { useState } from 'preact/hooks'
import { call, read, send } from '../api/client.ts'
import type { AppDevice, AppInvitation, Application, InvitationMade, Items, UserDetail } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { mayAct, mayAdminister } from '../state/session.ts'
import { Confirm, Panel, Problem } from './controls.tsx'
import { INVITATION_SHOWN_MS, Invitation, type ShownInvitation } from './invitation.tsx'
import { Table, useRead } from './listing.tsx'
import { Moment, moment } from './moment.tsx'
import { useShownOnce } from './shown-once.ts'
import { Small } from './small.tsx'
import { useTask } from './task.ts'

/** The phones on which a person has the app, and an invitation for a further one. */
export function UserApp({ user }: { readonly user: UserDetail }) {
  const t = allTexts.value.appDevices
  const words = allTexts.value.invitations
  const path = `/applications/${user.applicationId}`
  const devices = useRead<Items<AppDevice>>(`/users/${user.id}/app-devices`)
  const invitations = useRead<Items<AppInvitation>>(`${path}/app-invitations`)
  const task = useTask()
  const { shown, show, hide } = useShownOnce<ShownInvitation>(INVITATION_SHOWN_MS)
  const [removing, remove] = useState<AppDevice | null>(null)
  const open = invitations.found?.items.filter(
    ({ kind, userId, works }) => kind === 'device' && works && userId === user.id,
  )
  const invite = (): void =>
    void task.run(async () => {
      // First: without it, the link would be made and not shown.
      const application = await read<Application>(path)
      const made = await send<InvitationMade>(`${path}/app-invitations`, {
        kind: 'device',
        externalUserId: user.externalUserId,
      })
      show({ made, application })
      invitations.again()
    })
  const end = ({ id }: AppInvitation): void =>
    void task
      .run(() => send(`${path}/app-invitations/${id}/end`))
      .then((done) => {
        if (!done) return
        if (shown?.secret.made.id === id) hide()
        invitations.again()
      })
  return (
    <Panel title={t.title}>
      <Problem text={devices.problem} />
      {devices.found !== null && (
        <Table
          label={t.title}
          items={devices.found.items}
          columns={[
            [
              t.name,
              ({ name, removedFrom }) => (
                <>
                  {name}
                  {removedFrom !== null && (
                    <>
                      <br />
                      <small class="quiet">{t.leaves(moment(removedFrom))}</small>
                    </>
                  )}
                </>
              ),
            ],
            [t.lastSeen, ({ lastUsedAt }) => (lastUsedAt === null ? t.never : <Moment at={lastUsedAt} />)],
            [t.enrolled, ({ enrolledAt }) => <Moment at={enrolledAt} />],
            [
              allTexts.value.actions,
              (device) =>
                mayAdminister.value && (
                  <Small text={t.remove} of={device.name} disabled={task.busy} onClick={() => remove(device)} />
                ),
            ],
          ]}
        />
      )}
      {open?.map((invitation) => (
        <p key={invitation.id}>
          {words.isOpen} <Moment at={invitation.expiresAt} />{' '}
          {mayAct.value && (
            <Small
              text={words.end}
              of={moment(invitation.expiresAt)}
              disabled={task.busy}
              onClick={() => end(invitation)}
            />
          )}
        </p>
      ))}
      {shown !== null && (
        <Invitation key={shown.secret.made.id} shown={shown.secret} until={shown.until} onHide={hide} />
      )}
      {mayAdminister.value && shown === null && (
        <>
          <p class="quiet">{words.furtherMeans}</p>
          <button type="button" disabled={task.busy} onClick={invite}>
            {words.further}
          </button>
        </>
      )}
      <Problem text={task.problem} />
      {removing !== null && (
        <Confirm
          title={t.removeAsk(removing.name)}
          yes={t.remove}
          busy={task.busy}
          onNo={() => remove(null)}
          onYes={() =>
            void task
              .run(() => call('DELETE', `/users/${user.id}/app-devices/${removing.id}`))
              .then(() => {
                remove(null)
                devices.again()
              })
          }
        >
          <p>{t.removeMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}
