import { send } from '../api/client.ts'
import type { AppInvitation, InvitedUsers } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { Problem, useModal } from './controls.tsx'
import { useRead } from './listing.tsx'
import { useTask } from './task.ts'

/** Everyone who joined by an invitation: how many they are, and a way to disable or enable all of them at once. */
export function InvitedPeople({
  path,
  invitation,
  onClose,
}: {
  /** Of the invitations. */
  readonly path: string
  readonly invitation: AppInvitation
  readonly onClose: () => void
}) {
  const t = allTexts.value.invitations
  const of = `${path}/${invitation.id}`
  const { found, problem, again } = useRead<InvitedUsers>(`${of}/users`)
  const task = useTask()
  const dialog = useModal()
  const set = (word: 'disable' | 'enable'): void => void task.run(() => send(`${of}/${word}-users`)).then(again)
  return (
    <dialog ref={dialog} aria-labelledby="invited-people" onClose={onClose}>
      <h2 id="invited-people">{t.peopleTitle}</h2>
      <Problem text={problem ?? task.problem} />
      {found !== null && (
        <>
          <p role="status">
            <strong>{t.enabledOf(found.enabled, found.users)}</strong>
            {found.inAlarm > 0 && ` ${t.inAlarm(found.inAlarm)}`}
          </p>
          {found.enabled > found.inAlarm && <p>{t.disableAllMeans}</p>}
          {found.enabled < found.users && <p>{t.enableAllMeans}</p>}
        </>
      )}
      <div class="actions">
        {found !== null && found.enabled > found.inAlarm && (
          <button type="button" class="main" disabled={task.busy} onClick={() => set('disable')}>
            {t.disableAll}
          </button>
        )}
        {found !== null && found.enabled < found.users && (
          <button type="button" disabled={task.busy} onClick={() => set('enable')}>
            {t.enableAll}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {t.peopleDone}
        </button>
      </div>
    </dialog>
  )
}
