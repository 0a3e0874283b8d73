import type { Command } from 'commander'
import { contactView } from '../core/contact.ts'
import { isExternalUserId } from '../core/mqtt-username.ts'
import { profileView, recordTimes, type User } from '../core/profile.ts'
import { userHash } from '../core/user-hash.ts'
import { type Answer, record, table } from './answer.ts'
import type { Act } from './program.ts'
import { applicationOf, NO_SUCH_APPLICATION, type Site } from './site.ts'

const NO_SUCH_USER = 'the application has no such user; one comes into being with its first request or connection'

/** `tocsin user …`: the users of an application, named by their external ids. */
export function addUserCommands(program: Command, act: Act): void {
  const user = program.command('user').description('the users of an application, by their external ids')

  user
    .command('hash <app> <external-id>')
    .description('computes the user hash that the backend of the integrator issues')
    .action(act(hash))

  user
    .command('list <app>')
    .description('lists the users of an application')
    .action(
      act(async ({ store }, appId: string) => {
        const found = await applicationOf(store, appId)
        if ('refused' in found) return found
        const users = await store.users(found.application.id)
        const rows = users.map(({ externalUserId, id, name, phone, disabled }) => ({
          externalUserId,
          id,
          name,
          phone,
          disabled,
        }))
        return { json: users.map(userView), text: table(rows, 'No user yet.') }
      }),
    )

  user.command('show <app> <external-id>').description('shows a user with the emergency contacts').action(act(show))

  user
    .command('disable <app> <external-id>')
    .description('refuses a user and ends the connections')
    .action(act((site, appId: string, externalUserId: string) => setDisabled(site, appId, externalUserId, true)))

  user
    .command('enable <app> <external-id>')
    .description('admits a user again')
    .action(act((site, appId: string, externalUserId: string) => setDisabled(site, appId, externalUserId, false)))
}

const userView = (user: User) => ({ ...profileView(user), disabled: user.disabled, ...recordTimes(user) })

/** Under the newest secret: it is the one that stays. Spec, Authentication, REST 3. */
async function hash({ store }: Site, appId: string, externalUserId: string): Promise<Answer> {
  const found = await applicationOf(store, appId)
  if ('refused' in found) return found
  if (!isExternalUserId(externalUserId)) {
    return { refused: 'an external user id has 1 to 128 characters, none of them a control character' }
  }
  const admitting = await store.admittingApplication(found.application.id)
  const newest = admitting?.secrets.toSorted((a, b) => b.id - a.id)[0]
  if (newest === undefined) return { refused: NO_SUCH_APPLICATION }
  const computed = userHash(newest.secret, externalUserId)
  return { json: { userHash: computed }, text: computed }
}

async function show({ store }: Site, appId: string, externalUserId: string): Promise<Answer> {
  const found = await applicationOf(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: NO_SUCH_USER }
  const view = userView(user)
  const contacts = (await store.contacts(user.id)).map(contactView)
  const rows = contacts.map(({ priority, name, phone, email, language }) => ({
    priority,
    name,
    phone,
    email,
    language,
  }))
  return { json: { ...view, contacts }, text: `${record(view)}\n\n${table(rows, 'No emergency contact.')}` }
}

async function setDisabled({ store }: Site, appId: string, externalUserId: string, disabled: boolean): Promise<Answer> {
  const found = await applicationOf(store, appId)
  if ('refused' in found) return found
  const user = await store.setUserDisabled(found.application.id, externalUserId, disabled)
  if ('refused' in user) return { refused: NO_SUCH_USER }
  const view = userView(user)
  return { json: view, text: record(view) }
}
