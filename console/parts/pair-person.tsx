import { useState } from 'preact/hooks'
import { read, send } from '../api/client.ts'
import type { Listed, User } from '../api/types.ts'
import { personName } from '../logic/person-name.ts'
import { allTexts, language } from '../state/language.ts'
import { pairingWords } from '../texts/pairing.ts'
import { Field, Form, Panel, Problem } from './controls.tsx'
import { Table } from './listing.tsx'
import { Small } from './small.tsx'
import { useTask } from './task.ts'

const SHOWN = 10

/** Pairs a tracker with a person of its application: nobody has to sign in as that person. people.md#trackers. */
export function PairPerson({
  applicationId,
  hardwareId,
  onPaired,
}: {
  readonly applicationId: string
  readonly hardwareId: string
  readonly onPaired: () => void
}) {
  const words = pairingWords[language.value]
  const t = allTexts.value
  const task = useTask()
  const [text, write] = useState('')
  const [found, show] = useState<Listed<User> | null>(null)
  const look = (): void => {
    const query = new URLSearchParams({
      app: applicationId,
      limit: String(SHOWN),
      ...(text.trim() && { text: text.trim() }),
    })
    void task.run(async () => show(await read<Listed<User>>(`/users?${query}`)))
  }
  const pair = (userId: string): void =>
    void task.run(() => send('/devices/pair', { applicationId, hardwareId, userId })).then((done) => done && onPaired())
  return (
    <Panel title={words.title}>
      <p class="quiet">{words.means}</p>
      <Form onSend={look}>
        <Field label={words.who} type="search" value={text} onInput={(event) => write(event.currentTarget.value)} />
        <button type="submit" disabled={task.busy}>
          {t.search}
        </button>
      </Form>
      {found !== null && found.items.length === 0 && <p>{words.nobody}</p>}
      {found !== null && found.items.length > 0 && (
        <Table
          label={words.title}
          items={found.items}
          columns={[
            [t.users.name, (user) => <bdi>{personName(user)}</bdi>],
            [t.users.externalId, ({ externalUserId }) => externalUserId],
            [
              t.actions,
              (user) => (
                <Small text={words.pair} of={personName(user)} disabled={task.busy} onClick={() => pair(user.id)} />
              ),
            ],
          ]}
        />
      )}
      {found?.hasMore && <p class="quiet">{words.more}</p>}
      <Problem text={task.problem} />
    </Panel>
  )
}
