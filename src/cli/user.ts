import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { keptDatabases } from '../adapters/stores/sqlite/files/kept-databases.ts'
import { eraseUserBy, setUserDisabled, userView } from '../app/operator/users.ts'
import { contactView } from '../core/account/contact.ts'
import { isExternalUserId } from '../core/account/mqtt-username.ts'
import type { User } from '../core/account/profile.ts'
import { userHash } from '../core/account/user-hash.ts'
import { type Answer, record, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'
import { addPeopleCommands } from './people.ts'
import { addUserAppCommands } from './user-app.ts'

const NO_SUCH_USER = 'the application has no such user; add one with: tocsin user add'

/** `tocsin user …`: an application's users, by external id. */
export function addUserCommands(program: Command, act: Act): void {
  const user = program.command('user').description('manage the users of an application, by external id')

  user
    .command('hash <app> <external-id>')
    .description("compute the user hash that the integrator's backend issues")
    .action(act(hash))

  user
    .command('list <app>')
    .description('list the users of an application')
    .action(
      act(async ({ store }, appId: string) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const users = await store.users(found.application.id)
        const rows = users.map(({ externalUserId, id, name, phone, groupNames, disabled, enrolledBy }) => ({
          externalUserId,
          id,
          name,
          phone,
          groups: (groupNames ?? []).join(', '),
          disabled,
          from: fromWords(enrolledBy),
        }))
        return { json: users.map(userView), text: table(rows, 'No users yet.') }
      }),
    )

  user.command('show <app> <external-id>').description('show a user and the emergency contacts').action(act(show))

  user
    .command('disable <app> <external-id>')
    .description('stop admitting a user and close the user’s connections')
    .action(act((context, appId: string, externalUserId: string) => setDisabled(context, appId, externalUserId, true)))

  user
    .command('enable <app> <external-id>')
    .description('admit a user again')
    .action(act((context, appId: string, externalUserId: string) => setDisabled(context, appId, externalUserId, false)))

  user
    .command('erase <app> <external-id>')
    .description('erase all data of a user; not possible while an incident is open')
    .action(act(erase))

  addPeopleCommands(user, act)
  addUserAppCommands(user, act)
}

/** A user's origin, for a table. */
const fromWords = (enrolledBy: User['enrolledBy']): string => (enrolledBy === null ? 'backend' : `from ${enrolledBy}`)

const refusals = {
  user_not_found: NO_SUCH_USER,
  incident_open:
    'an incident of this user is open; the user must cancel it, or you must resolve it, before erasing (tocsin incident list --open)',
  all_clear_pending:
    'the contacts are still being told that this user’s last incident is over; try again in a few minutes',
} as const

/** Refusals that must still say that the user is gone, with the remaining steps. */
const remaining = {
  in_use:
    'the user is erased, but another process kept reading, so the database log (WAL) could not be emptied; restart the service to empty it',
  left:
    'the user is erased, but copies may remain in unused parts of the database file, which is too large to rebuild while the service runs; ' +
    'stop the service, make a backup, restore it, and delete the previous database that the restore keeps',
} as const

async function erase(context: CommandContext, appId: string, externalUserId: string): Promise<Answer> {
  const { store, config } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = { appId: found.application.id, externalUserId }
  const erased = await eraseUserBy({ store, pause: (ms) => pause(ms) }, user, byCommand(context))
  if ('refused' in erased) return { refused: refusals[erased.refused] }
  const { userId, traces, cameBack } = erased
  const toDelete = keptDatabases(config.dataDir, config.store.url === null)
  const json = { externalUserId, userId, clean: traces === 'none', cameBack, keptDatabases: toDelete }
  if (traces !== 'none') return { refused: remaining[traces], json }
  const lines = [
    'Erased. Nothing is left in the database, its log or any future backup.',
    'Earlier backups still contain the user: delete them.',
    ...(toDelete.length === 0 ? [] : ['Databases kept by earlier restores or a copy do, too: delete', ...toDelete]),
    ...(cameBack
      ? ['A phone that still has the user hash has connected again: the user exists again, with no data.']
      : []),
  ]
  return { json, text: lines.join('\n') }
}

/** Uses the newest secret, because it is the one that stays. access.md#login. */
async function hash({ store }: CommandContext, appId: string, externalUserId: string): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  if (!isExternalUserId(externalUserId)) {
    return { refused: 'an external user id must have 1 to 128 characters and no control characters' }
  }
  const admitting = await store.admittingApplication(found.application.id)
  const newest = admitting?.secrets.toSorted((a, b) => b.id - a.id)[0]
  if (newest === undefined) return { refused: NO_SUCH_APPLICATION }
  const computed = userHash(newest.secret, externalUserId)
  return { json: { userHash: computed }, text: computed }
}

async function show({ store }: CommandContext, appId: string, externalUserId: string): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: NO_SUCH_USER }
  const view = { ...userView(user), notes: user.operatorNotes }
  const contacts = (await store.contacts(user.id)).map(contactView)
  const rows = contacts.map(({ priority, name, phone, email, language }) => ({
    priority,
    name,
    phone,
    email,
    language,
  }))
  return { json: { ...view, contacts }, text: `${record(view)}\n\n${table(rows, 'No emergency contacts.')}` }
}

const setDisabled = (context: CommandContext, appId: string, externalUserId: string, disabled: boolean) =>
  changed(context, { appId, externalUserId }, (known) => setUserDisabled(context, known, disabled, byCommand(context)))

async function changed(
  { store }: CommandContext,
  { appId, externalUserId }: Pick<User, 'appId' | 'externalUserId'>,
  change: (known: User) => Promise<User | { readonly refused: string }>,
): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const known = await store.userByExternalId(found.application.id, externalUserId)
  if (known === null) return { refused: NO_SUCH_USER }
  const user = await change(known)
  if ('refused' in user) return { refused: NO_SUCH_USER }
  const view = userView(user)
  return { json: view, text: record(view) }
}
