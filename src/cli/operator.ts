import { type Command, Option } from 'commander'
import { certificateOnDisk } from '../adapters/platform/tls/certificate-on-disk.ts'
import { tlsSourceOf } from '../adapters/platform/tls/identity.ts'
import { thisMachine } from '../adapters/platform/tls/names.ts'
import {
  addOperator,
  type Invited,
  inviteOperator,
  resetPasskeys,
  setOperatorDisabled,
} from '../app/operator/operators.ts'
import type { Config } from '../config.ts'
import { nameField } from '../core/account/profile-schema.ts'
import { isoAt, isoOrNull } from '../core/ingest/event-time.ts'
import type { Operator } from '../core/operator/operator.ts'
import { loginField } from '../core/operator/operator-schema.ts'
import { type Role, roles } from '../core/operator/role.ts'
import { listenersOf } from '../service/addresses.ts'
import { consoleAddress, consoleLink, openingHints } from '../service/console-address.ts'
import { type Answer, record, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { parsed } from './parsed.ts'

const NO_SUCH_OPERATOR = 'there is no operator with this login; list them with: tocsin operator list'

type Given = { readonly name?: string; readonly role: Role; readonly app: readonly string[] }

/** `tocsin operator …`: who may sign in to the console. access.md#operators. */
export function addOperatorCommands(program: Command, act: Act): void {
  const operator = program.command('operator').description('manage the operators of the console')

  operator
    .command('add')
    .description('add an operator, and print the link for the first sign-in')
    .argument('<login>', 'what they sign in with: an e-mail address or a short name', parsed(loginField))
    .option('--name <name>', 'what others see; the login if absent', parsed(nameField))
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('operator'))
    .option('--app <app>', 'an application they work for; can be repeated; all if absent', collected, [])
    .action(act((context, login: string, given: Given) => add(context, login, given)))

  operator
    .command('list')
    .description('list all operators')
    .action(
      act(async ({ store }) => {
        const rows = (await store.operators()).map(operatorView)
        return {
          json: rows,
          text: table(
            rows,
            'No operators yet. The log of the start says where the address for the first one is; or: tocsin operator add LOGIN --role admin',
          ),
        }
      }),
    )

  operator
    .command('invite <login>')
    .description('print a new link, for a new password and a new authenticator app')
    .action(act(invite))

  operator
    .command('passkeys <login>')
    .description('list the passkeys of an operator, or remove them all')
    .option('--reset', 'remove all passkeys and end all sessions; password and code keep working')
    .action(act((context, login: string, { reset }: { readonly reset?: true }) => passkeys(context, login, reset)))

  operator
    .command('disable <login>')
    .description('end all sessions of an operator and refuse new ones')
    .action(act((context, login: string) => setDisabled(context, login, true)))

  operator
    .command('enable <login>')
    .description('let an operator sign in again')
    .action(act((context, login: string) => setDisabled(context, login, false)))
}

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value]

const operatorView = ({ login, name, role, applications, disabled, createdAt, signedInAt }: Operator) => ({
  login,
  name,
  role,
  applications: applications ?? 'all',
  disabled,
  createdAt: isoAt(createdAt),
  signedInAt: signedInAt === null ? null : isoAt(signedInAt),
})

/** The link as the service's own start shows one, or at plain localhost if no listener is on. */
function invitationView(config: Config, { secret, expiresAt }: Invited) {
  const address = consoleAddress(config, {
    listeners: listenersOf(config),
    certificate: certificateOnDisk(tlsSourceOf(config)),
    machine: thisMachine(),
  })
  const { base, fingerprint = null, tunnel = null } = address ?? { base: `http://localhost:${config.http.port}` }
  return {
    link: consoleLink(base, 'invitation', secret),
    expiresAt: isoAt(expiresAt),
    fingerprint,
    tunnel: tunnel && { command: tunnel.command, link: consoleLink(tunnel.base, 'invitation', secret) },
    hints: address === null ? [] : openingHints(address, 'invitation', secret),
  }
}

/** An operator with a link, and below it how to open the link. */
function withLink(operator: object, config: Config, invited: Invited): Answer {
  const { hints, ...view } = invitationView(config, invited)
  const { link, expiresAt } = view
  return { json: { ...operator, ...view }, text: [record({ ...operator, link, expiresAt }), ...hints].join('\n') }
}

async function add(context: CommandContext, login: string, { name, role, app }: Given): Promise<Answer> {
  const { store, ids, config } = context
  const applications = new Set<string>()
  for (const named of app) {
    const found = await findApplication(store, named)
    if ('refused' in found) return found
    applications.add(found.application.id)
  }
  const scope = app.length === 0 ? null : [...applications]
  const added = await addOperator(
    { store, ids },
    { login, name: name ?? login, role, applications: scope },
    byCommand(context),
  )
  if ('refused' in added) {
    return {
      refused: 'this login is already taken; print a new link with: tocsin operator invite LOGIN',
    }
  }
  return withLink(operatorView(added.operator), config, added.invited)
}

async function operatorCalled({ store }: CommandContext, login: string): Promise<Operator | null> {
  return (await store.operators()).find((operator) => operator.login === login.trim().toLowerCase()) ?? null
}

async function invite(context: CommandContext, login: string): Promise<Answer> {
  const operator = await operatorCalled(context, login)
  if (operator === null) return { refused: NO_SUCH_OPERATOR }
  if (operator.disabled) return { refused: 'this operator is disabled; first: tocsin operator enable LOGIN' }
  const { store, ids, config } = context
  const invited = await inviteOperator({ store, ids }, operator.id, byCommand(context))
  if ('refused' in invited) return { refused: NO_SUCH_OPERATOR }
  return withLink({ login: operator.login }, config, invited)
}

async function passkeys(context: CommandContext, login: string, reset = false): Promise<Answer> {
  const operator = await operatorCalled(context, login)
  if (operator === null) return { refused: NO_SUCH_OPERATOR }
  if (reset) {
    const removed = await resetPasskeys(context, operator.id, byCommand(context))
    if ('refused' in removed) return { refused: NO_SUCH_OPERATOR }
    const view = { login: operator.login, ...removed }
    return { json: view, text: record(view) }
  }
  const rows = (await context.store.passkeys(operator.id)).map(({ name, host, synced, addedAt, usedAt }) => ({
    ...{ name, host, synced, addedAt: isoAt(addedAt), usedAt: isoOrNull(usedAt) },
  }))
  return { json: rows, text: table(rows, 'No passkeys. They are added in the console, under Your account.') }
}

async function setDisabled(context: CommandContext, login: string, disabled: boolean): Promise<Answer> {
  const operator = await operatorCalled(context, login)
  if (operator === null) return { refused: NO_SUCH_OPERATOR }
  const change = { operatorId: operator.id, disabled, keepAdmin: false }
  const changed = await setOperatorDisabled(context, change, byCommand(context))
  if ('refused' in changed) return { refused: NO_SUCH_OPERATOR }
  const view = operatorView(changed)
  return { json: view, text: record(view) }
}
