import { type Command, InvalidArgumentError } from 'commander'
import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { addPersonBy, updatePersonBy, type WrittenPerson } from '../app/operator/people.ts'
import { setUserRelay, userView } from '../app/operator/users.ts'
import { onOff } from '../config/fields.ts'
import { languageField } from '../core/account/contact-schema.ts'
import { externalUserIdField, groupField, notesField, type PersonUpdate } from '../core/account/person-schema.ts'
import type { User } from '../core/account/profile.ts'
import { profileUpdateSchema } from '../core/account/profile-schema.ts'
import { type Answer, record } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { readText } from './csv-file.ts'
import { parsed } from './parsed.ts'
import { importFile } from './people-import.ts'

const NO_SUCH_USER = 'the application has no such user; list them with: tocsin user list'
const clearable = ['name', 'email', 'phone', 'address', 'language', 'notes', 'groups'] as const

type Options = {
  readonly name?: string
  readonly email?: string
  readonly phone?: string
  readonly address?: string
  readonly language?: string
  readonly notes?: string
  readonly group?: readonly string[]
  readonly clear?: readonly (typeof clearable)[number][]
  readonly relay?: boolean
}

/** `tocsin user add` and `update`: people as operators write them down. people.md. */
export function addPeopleCommands(user: Command, act: Act): void {
  described(user.command('add <app> [external-id]'))
    .description('add a person who has no app, or not yet; without an external id one is made')
    .action(
      act((context, appId: string, externalUserId: string | undefined, options: Options) =>
        add(context, appId, externalUserId, options),
      ),
    )

  user
    .command('import <app> <file>')
    .description('add and change the people of a CSV file, by their external id; nobody is removed')
    .option('--preview', 'say what the file would do, and write nothing', false)
    .option('--partial', 'import the valid lines even if others are invalid', false)
    .action(
      act(async (context, appId: string, file: string, options: { preview: boolean; partial: boolean }) =>
        importFile(context, appId, await readText(file), options),
      ),
    )

  described(user.command('update <app> <external-id>'))
    .description('change what is written about a person, or list them as a relay')
    .option('--clear <field>', `empty a field, repeatable: ${clearable.join(', ')}`, eachOf(asClearable))
    .option(
      '--relay <on|off>',
      'whether the user is a listed relay, whose messages for the trackers of others count as theirs',
      parsed(onOff),
    )
    .action(
      act((context, appId: string, externalUserId: string, options: Options) =>
        update(context, appId, externalUserId, options),
      ),
    )
}

const { name, email, phone, address } = profileUpdateSchema.shape

const described = (command: Command): Command =>
  command
    .option('--name <name>', 'as contacts read it in an alarm', parsed(name.unwrap().unwrap()))
    .option('--phone <number>', 'E.164, such as +4366012345678', parsed(phone.unwrap().unwrap()))
    .option('--email <address>', 'of the person', parsed(email.unwrap().unwrap()))
    .option('--address <text>', 'of the person', parsed(address.unwrap().unwrap()))
    .option('--language <tag>', "BCP 47: of texts to the person (default: the application's)", parsed(languageField))
    .option('--notes <text>', 'for operators alone', parsed(notesField))
    .option('--group <name>', 'a group, repeatable; these replace those that were there', eachOf(parsed(groupField)))

const eachOf =
  <T>(one: (text: string) => T) =>
  (text: string, before: readonly T[] = []): readonly T[] => [...before, one(text)]

function asClearable(text: string): (typeof clearable)[number] {
  const found = clearable.find((field) => field === text)
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${clearable.join(', ')}.`)
  return found
}

const written = ({ group, clear = [], relay: _, ...fields }: Options): PersonUpdate => ({
  ...fields,
  ...(group !== undefined && { groups: [...new Set(group)] }),
  ...Object.fromEntries(clear.map((field) => [field, field === 'groups' ? [] : null])),
})

const answerOf = ({ user, warnings }: WrittenPerson): Answer => {
  const view = { ...userView(user), notes: user.operatorNotes }
  return {
    json: { ...view, ...(warnings.length > 0 && { warnings }) },
    text: record(view),
    warnings: warnings.map(({ message }) => `${user.phone} ${message}`),
  }
}

async function add(
  context: CommandContext,
  appId: string,
  externalUserId: string | undefined,
  options: Options,
): Promise<Answer> {
  const { store, ids } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  if (externalUserId !== undefined && !externalUserIdField.safeParse(externalUserId).success) {
    return { refused: 'an external user id must have 1 to 128 characters and no control characters' }
  }
  const one = { appId: found.application.id, externalUserId }
  const needs = { store, ids, isPossible: isPossibleNumber }
  const added = await addPersonBy(needs, one, written(options), byCommand(context))
  if (!('refused' in added)) return answerOf(added)
  return { refused: `there is a user ${externalUserId} already; change it with: tocsin user update` }
}

async function update(
  context: CommandContext,
  appId: string,
  externalUserId: string,
  options: Options,
): Promise<Answer> {
  const { store } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: NO_SUCH_USER }
  const fields = written(options)
  if (Object.keys(fields).length === 0 && options.relay === undefined) {
    return { refused: 'nothing to change: see tocsin user update --help' }
  }
  const by = byCommand(context)
  const relayed: User | { readonly refused: string } =
    options.relay === undefined ? user : await setUserRelay(context, user, options.relay, by)
  if ('refused' in relayed) return { refused: NO_SUCH_USER }
  const updated = await updatePersonBy({ store, isPossible: isPossibleNumber }, relayed, fields, by)
  return 'refused' in updated ? { refused: NO_SUCH_USER } : answerOf(updated)
}
